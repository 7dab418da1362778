import { readDirectives } from "./directives.ts";
import { readLatex } from "./latex.ts";
import type { NotebookPage } from "./page.ts";

/** How a markup writes what its readers do not see, and names that stand for text. */
interface Markup {
  /** A line with a comment; its group is what stands before it. */
  readonly comment?: RegExp;
  /** The beginning of a block that is a comment or shows its lines as they are; its group is the block's name. */
  readonly block?: RegExp;
  /** The line that ends such a block, in lower case; its name where there is none. */
  readonly end?: (name: string) => string;
  /** Names of blocks that are comments. */
  readonly hidden?: RegExp;
  /** A line that defines a name; its groups are the name and the text. */
  readonly define?: RegExp;
  /** A name in a text. */
  readonly use?: RegExp;
}

const asciidoc: Markup = {
  comment: /^()\/\/(?!\/).*$/,
  block: /^(\/{4,}|-{4,}|\.{4,}|\+{4,})$/,
  hidden: /^\//,
  define: /^:([\w-]{1,80}):[ \t]+(\S.*)$/,
  use: /(?<!\\)\{([\w-]{1,80})\}/g,
};
const latex: Markup = {
  comment: /^((?:[^\\%]|\\(?:url|href|path)\{[^{}]*\}|\\(?!(?:url|href|path)\{).)*)%.*$/,
  block: /^\s*\\begin\{(comment|verbatim\*?|lstlisting|minted)\}/,
  end: (name) => `\\end{${name}}`,
  hidden: /^comment$/,
  define: /^\s*\\(?:re)?newcommand\*?\{?\\([A-Za-z]{1,80})\}?\{(.*)\}\s*$/,
  use: /\\([A-Za-z]{1,80})(?:\{\})?/g,
};
const markups: Readonly<Record<string, Markup>> = {
  adoc: asciidoc,
  asciidoc,
  org: {
    comment: /^()\s*#(?:\s.*)?$/,
    block: /^\s*#\+begin_(\w{1,20})/i,
    end: (name) => `#+end_${name.toLowerCase()}`,
    hidden: /^comment$/i,
  },
  ...{ tex: latex, ltx: latex },
  rst: { define: /^\.\. \|([^|]{1,80})\| replace:: (.*)$/, use: /\|([^|\s](?:[^|\n]{0,78}[^|\s])?)\|/g },
};

/** A line as the ends of blocks are compared. */
const plain = (line: string | undefined): string => (line ?? "").trim().toLowerCase();

/** Leaves out comments, in lines and in blocks; returns the lines that blocks show as they are written. */
function dropComments(lines: string[], { comment, block, hidden, end = (name) => name }: Markup) {
  const shown = new Set<number>();
  const last = new Map(block === undefined ? [] : lines.map((line, at) => [plain(line), at]));
  const blockEnd = (at: number, name: string): number => {
    let to = at;
    if ((last.get(end(name)) ?? 0) > at) while (plain(lines[++to]) !== end(name));
    return to;
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const name = block?.exec(line)?.[1] ?? "";
    const to = name === "" ? at : blockEnd(at, name);
    for (let index = at; index <= to && to > at; index++) shown.add(index);
    if (to > at && hidden?.test(name)) lines.fill("", at, to + 1);
    if (to === at && comment !== undefined) lines[at] = line.replace(comment, "$1");
    at = to;
  }
  return shown;
}

/** Most characters that are written for names in one text: definitions may hold names that hold others. */
const mostWritten = 1_000_000;

/** Writes texts for the names that a text defines, wherever it does; definitions stay. */
function writeNames(lines: string[], { define, use }: Markup, shown: ReadonlySet<number>): void {
  if (define === undefined || use === undefined) return;
  const texts = new Map<string, string>();
  const defined = (line: string) => define.exec(line)?.slice(1) ?? [];
  for (const [name = "", text = ""] of lines.toReversed().map(defined))
    if (name !== "") texts.set(name, text);
  let room = mostWritten;
  const written = (line: string): string =>
    line.replace(use, (whole, name: string) => {
      const text = texts.get(name) ?? whole;
      room -= text.length;
      return room < 0 ? whole : text;
    });
  for (const [at, line] of lines.entries()) {
    const [name, text = ""] = defined(line);
    if (shown.has(at)) continue;
    if (name === undefined) lines[at] = written(line);
    else texts.set(name, written(text));
  }
}

/** Leaves out the parts of an Org file that are comments with all below them. */
function dropCommentTrees(lines: string[]): void {
  let level = Number.POSITIVE_INFINITY;
  for (const [at, line] of lines.entries()) {
    const stars = /^(\*{1,50})\s/.exec(line)?.[1]?.length;
    if (stars !== undefined && stars <= level)
      level = /^\*+\s+(?:(?:TODO|DONE)\s+)?(?:\[#\w\]\s+)?COMMENT(?:\s|$)/.test(line)
        ? stars
        : Number.POSITIVE_INFINITY;
    if (level < Number.POSITIVE_INFINITY) lines[at] = "";
  }
}

/**
 * A text by the markup of its file's extension: without comments, with the texts that names stand for, and its
 * tables apart.
 */
export function readMarkup(text: string, extension: string): NotebookPage {
  const page: NotebookPage = { lines: text.split("\n"), blocks: [] };
  const markup = markups[extension];
  if (markup === undefined) return page;
  const shown = dropComments(page.lines, markup);
  writeNames(page.lines, markup, shown);
  if (extension === "org") dropCommentTrees(page.lines);
  if (extension === "rst") readDirectives(page);
  if (markup === latex) readLatex(page, shown);
  return page;
}
