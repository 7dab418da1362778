import type { Block, ParsedContent, Table } from "../../core/documents/document.ts";
import { tableText } from "../../core/documents/table-text.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { plural } from "../../core/plural.ts";
import { formatZodIssues, z } from "../../core/schema.ts";
import { resolveMarks } from "./raised.ts";

/** A table block from its rows. */
export function tableBlock(table: Table, pages: readonly number[]): Block {
  return { kind: "table", text: tableText(table.rows), pages, table };
}

/**
 * Collapses runs of white space to one space, drops characters that carry no meaning, and keeps raised digits
 * separate from the text before them.
 */
export function squeeze(text: string): string {
  return resolveMarks(text)
    .replace(/[\u0000-\u001f\u007f\u00a0\u200b\ufeff]+/g, " ")
    .replace(/\u00ad/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * A block of a file within a document, nested `below` levels under the name of the file. Page numbers are
 * dropped because they would pass for the document's; line numbers carry the file's name.
 */
export function blockWithin(block: Block, member: string, below: number): Block {
  const { place, level } = block;
  const inner = place?.member === undefined ? member : `${member}/${place.member}`;
  return {
    ...block,
    pages: [],
    ...(level === undefined ? {} : { level: Math.min(6, level + below) }),
    ...(place === undefined ? {} : { place: { ...place, member: inner } }),
  };
}

/** The title a file gives when the content has none: its name without folder and extension. */
export function titleFromName(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? name;
  return base.replace(/\.[A-Za-z0-9]{1,8}$/, "").trim() || base;
}

/**
 * The content of a file without blocks that have no text; it has no pages unless `facts` say so. Its title is
 * what it states, else its first main heading, else its name. @throws SOURCE_EMPTY
 */
export function contentOf(
  name: string,
  found: readonly Block[],
  { title = "", ...facts }: Partial<ParsedContent>,
): ParsedContent {
  const blocks = found.filter((block) => block.text.trim() !== "");
  if (blocks.length === 0) throw emptyFileError(name);
  const heading = blocks.find(({ kind, level }) => kind === "heading" && level === 1);
  const own = title || heading?.text || titleFromName(name);
  return { pageCount: 0, pagesWithoutText: [], warnings: [], ...facts, title: own, blocks };
}

/** Passages that a document holds and does not say, counted while they are left out. */
export interface Unsaid {
  struck: number;
  hidden: number;
}

/** The warning that something was done to things, `2 images were skipped`; none where there are none. */
export const countWarning = (count: number, noun: string, done: string): string[] =>
  count === 0 ? [] : [`${plural(count, noun)} ${count === 1 ? "was" : "were"} ${done}`];

/** The warnings for passages that were left out because they are struck out or hidden. */
export function hiddenWarnings({ struck, hidden }: Readonly<Unsaid>): string[] {
  return [
    ...countWarning(struck, "struck-out passage", "left out"),
    ...countWarning(hidden, "hidden passage", "left out"),
  ];
}

/** The error for a file that holds no text at all. */
export function emptyFileError(name: string): RagctlError {
  return new RagctlError("SOURCE_EMPTY", `${name} contains no text`, {
    hint: "check that it is the right file; it has nothing to index",
  });
}

/** The error for a file whose content its parser cannot read, however often it tries. */
export function damagedFile(name: string, what: string, cause: unknown): RagctlError {
  const message = cause instanceof z.ZodError ? formatZodIssues(cause) : asRagctlError(cause).message;
  // What to do about it follows in the same line.
  const reason = message.trimEnd().replace(/(?<!\.)\.$/, "");
  return new RagctlError("SOURCE_DAMAGED", `cannot read ${name} as ${what}: ${reason}`, {
    hint: "the file is damaged or incomplete; open it in its own program, save it again and ingest the new copy",
    cause,
  });
}
