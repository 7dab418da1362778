import stringWidth from "string-width";
import { isPageLabel } from "../core/documents/cells.ts";
import type { UnavailableCollection } from "../core/retrieval.ts";
import type { PhaseMetrics } from "../core/run.ts";

/** Above hits that do not fit their query, which are only the nearest. */
export const nothingFits = "nothing fits; the nearest passages:";

/**
 * `manual.pdf, page 3, Maintenance › Seals`; with lines as compilers and editors name them: `main.ts:12–40,
 * start`.
 */
export function location(
  file: string,
  pages: readonly number[],
  section: string,
  cells: readonly string[] = [],
): string {
  const [first, last] = [pages[0], pages.at(-1)];
  const [, lines] = /^lines? ([\d–]+)$/.exec(cells.length === 1 ? (cells[0] ?? "") : "") ?? [];
  if (lines !== undefined) return singleLine(`${file}:${lines}${section === "" ? "" : `, ${section}`}`);
  const page = first === undefined ? "" : first === last ? `, page ${first}` : `, pages ${first}–${last}`;
  // Cells begin with their sheet, which is all of the section.
  const within = cells.every(isPageLabel) ? [...cells, section] : cells;
  return singleLine([`${file}${page}`, ...within].filter((part) => part !== "").join(", "));
}

/** What was not searched, each with the reason and the remedy. */
export const unavailableNotes = (collections: readonly UnavailableCollection[]): readonly string[] =>
  collections.map(
    ({ collection, code, reason, hint }) =>
      `not searched: ${collection} (${code}: ${reason})${hint === "" ? "" : `\n  → ${hint}`}`,
  );

/** `retrieve 12 ms · generate 3.1 s`. */
export function phaseLine(phases: readonly PhaseMetrics[]): string {
  return phases.map(({ phase, durationMs }) => `${phase} ${duration(durationMs)}`).join(" · ");
}

/** A time as tables have it, of UTC: `2026-11-21 16:49:27`. */
export const timeOf = (at: string): string => at.slice(0, 19).replace("T", " ");

/** Milliseconds below one second, seconds with one decimal below a minute, then minutes. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** `1.2 GB`; powers of 1000. */
export function bytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(size) / 3));
  const value = size / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power] ?? "B"}`;
}

export { plural } from "../core/plural.ts";

/** Text as part of a line: a break in a file's name, or a tab, would pass for one of ours. */
export const singleLine = (text: string): string => text.replace(/[\n\r\t]/g, "\uFFFD");

/** One line of at most `length` characters, without what could move a terminal's cursor. */
export function oneLine(text: string, length: number): string {
  const flat = text
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, "\uFFFD")
    .trim();
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`;
}

/** Characters that are shown before the first word of a query. */
const lead = 30;

/** Words as a query is compared with a passage, with their places. */
const wordsOf = (text: string) =>
  [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    word: word.toLowerCase().replace(/(?<=.{3})s$/, ""),
    from: index,
    to: index + word.length,
  }));

/**
 * One line of at most `length` characters: the part of a text that has most words of a query, where one
 * counts more the rarer it is in the text.
 */
export function excerpt(text: string, query: string, length: number): string {
  const flat = oneLine(text, Number.POSITIVE_INFINITY);
  const asked = new Set(wordsOf(query).map(({ word }) => word));
  const found = wordsOf(flat).filter(({ word }) => asked.has(word));
  const times = Map.groupBy(found, ({ word }) => word);
  const worth = (from: number): number => {
    const inside = found.filter((each) => each.from >= from && each.to <= from + length - lead);
    return [...new Set(inside.map(({ word }) => word))].reduce(
      (sum, word) => sum + 1 / (times.get(word)?.length ?? 1),
      0,
    );
  };
  const starts = [0, ...found.map(({ from }) => from)].map((from) => ({ from, worth: worth(from) }));
  const best = starts.reduce((one, other) => (other.worth > one.worth ? other : one));
  if (best.from <= lead || flat.length <= length) return oneLine(flat, length);
  const from = flat.indexOf(" ", best.from - lead);
  return oneLine(`…${flat.slice(from).trim()}`, length);
}

/** One line of at most `columns` columns of a terminal. */
export function truncateToWidth(text: string, columns: number): string {
  const flat = oneLine(text, columns);
  return stringWidth(flat) <= columns ? flat : `${begun([...flat], columns - 1).join("")}…`;
}

/** The first characters, as many as fit into the columns. */
function begun(characters: readonly string[], columns: number): readonly string[] {
  let width = 0;
  const end = characters.findIndex((character) => {
    width += stringWidth(character);
    return width > columns;
  });
  return end === -1 ? characters : characters.slice(0, end);
}

/**
 * Shortens a name to `columns` columns of a terminal; keeps the beginning and the end, which distinguish it
 * from others.
 */
export function cutMiddle(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  const characters = [...text];
  const behind = begun(characters.toReversed(), Math.floor((columns - 1) / 2)).toReversed();
  return `${begun(characters, Math.ceil((columns - 1) / 2)).join("")}…${behind.join("")}`;
}

/** Wraps text at `columns` columns, between words; a longer word gets a separate line. */
export function wrap(text: string, columns: number): string[] {
  if (stringWidth(text) <= columns) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && stringWidth(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
