import { squeeze } from "../blocks.ts";
import { guessHeaderRows } from "../grid.ts";
import { type NotebookPage, type SourceRow, takeTable } from "./page.ts";

/** Texts by the commands before them. */
const byCommand = (pairs: string, pair: RegExp) =>
  new Map([...pairs.matchAll(pair)].map(([, command = "", text = ""]) => [command, text]));
/** The signs that combine with a letter, by the commands of accents. Source: LaTeX 2e, section 3.4. */
const accents = byCommand(
  "`\u0300'\u0301^\u0302~\u0303=\u0304u\u0306.\u0307\"\u0308r\u030aH\u030bv\u030cd\u0323c\u0327k\u0328b\u0331",
  /(.)(\p{M})/gu,
);
const letters = byCommand(
  "ssß aeæ AEÆ oeœ OEŒ aaå AAÅ oø OØ lł LŁ iı dhð DHÐ thþ THÞ djđ DJĐ",
  /(\w+)(\S)/gu,
);

/** Groups: the command around it, its brace, the accent, the letter in one of three ways, the closing brace. */
const accent =
  /(\\[A-Za-z]{1,40})?(\{)?\\(?:([`'^~=."])|([urHvdckb])(?![A-Za-z]))[ \t]?(?:\{\\?([A-Za-z])\}|\\([ij])(?![A-Za-z])[ \t]?|([A-Za-z]))(\})?/g;
const letter = /(\\[A-Za-z]{1,40})?(\{)?\\([A-Za-z]{1,2})(?![A-Za-z])(?:\{\}|[ \t])?(\})?/g;

/** A letter without the braces that hold no more; those of a command stay. */
const unbraced = (command = "", open = "", text = "", close = ""): string =>
  command === "" && open !== "" && close !== "" ? text : `${command}${open}${text}${close}`;

/** A text of LaTeX with letters, signs and blanks in place of the commands for them. */
export const latexText = (text: string): string =>
  text
    .replace(accent, (whole, command, open, sign, name, braced, dotless, bare, close) => {
      const own = `${braced ?? dotless ?? bare}${accents.get(sign ?? name) ?? ""}`.normalize("NFC");
      return own.length === 1 ? unbraced(command, open, own, close) : whole;
    })
    .replace(letter, (whole, command, open, name, close) =>
      letters.has(name) ? unbraced(command, open, letters.get(name), close) : whole,
    )
    .replace(/\\([%&#_$])/g, "$1")
    .replaceAll("\\,", " ");

/** The beginning of a table with the layout of its columns, and its end. */
const begin =
  /\\begin\{(?:tabular[*x]\}\{[^{}]{0,40}\}|(?:tabular|longtable)\})(?:\[[^\]]{0,20}\])?\{(?:[^{}]|\{[^{}]{0,80}\}){0,200}\}/;
const end = /\\end\{(?:tabular[*x]?|longtable)\}/;
/** Rules between the rows of a table. */
const rule =
  /\\(?:[hc]line|(?:top|mid|bottom|cmid)rule|end(?:first|last)?(?:head|foot))(?![A-Za-z])(?:\([lr]{1,2}\))?(?:\{[\d-]{1,9}\})?/g;
/** Commands that place or mark what is in a cell. */
const placing =
  /\\(?:multicolumn\{\d{1,3}\}\{[^{}]{0,80}\}|multirow\{[^{}]{1,9}\}\{[^{}]{1,30}\}|text(?:bf|it|tt|sc)|emph)\{([^{}]{0,400})\}/g;

const linesIn = (text: string): number => text.split("\n").length - 1;

/** The rows of a table by its text, which begins in line `first`, and how many of them are above its first rule. */
function rowsIn(table: string, first: number) {
  const rows: SourceRow[] = [];
  let [heads, line] = [0, first];
  for (const part of table.split(/\\\\(?:\[[^\]]{0,20}\])?|\\tabularnewline(?![A-Za-z])/)) {
    if (heads === 0 && part.search(rule) >= 0) heads = rows.length;
    const text = part.replace(rule, "").replace(placing, "$1");
    const cells = text.split(/(?<!\\)&/).map((cell) => latexText(squeeze(cell)));
    const number = line + linesIn(/^\s*/.exec(text)?.[0] ?? "");
    if (text.trim() !== "") rows.push({ cells, number });
    line += linesIn(part);
  }
  return { rows, heads: heads || guessHeaderRows(rows.map(({ cells }) => cells)) };
}

/**
 * Makes lines a table, `from` the one that begins it to `to` the one that ends it; what is beside it stays, and
 * so does a table with another in it.
 */
function takeRows(page: NotebookPage, from: number, to: number): void {
  const [before = "", own = "", ...inner] = page.lines
    .slice(from, to + 1)
    .join("\n")
    .split(begin);
  const [table = "", after = ""] = inner.length > 0 ? [] : own.split(end);
  const { rows, heads } = rowsIn(table, from + 1);
  takeTable(page, [from, to + 1], rows, heads);
  if (rows.length === 0) return;
  page.lines[from] = before;
  if (!/^(?:\\end\{\w{1,20}\*?\}|\s)*$/.test(after)) page.lines[to] = after;
}

/**
 * Takes the tables out of a page of LaTeX, and writes signs for their commands; not in lines that it shows as
 * they are.
 */
export function readLatex(page: NotebookPage, shown: ReadonlySet<number>): void {
  let from = -1;
  for (const [at, line] of page.lines.entries()) {
    if (shown.has(at)) continue;
    if (from < 0 && begin.test(line)) from = at;
    if (from >= 0 && end.test(line)) takeRows(page, from, at);
    if (end.test(line)) from = -1;
  }
  for (const [at, line] of page.lines.entries()) if (!shown.has(at)) page.lines[at] = latexText(line);
}
