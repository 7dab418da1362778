import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { sheetRowsIn } from "../../core/documents/cells.ts";
import {
  type Chunk,
  type ChunkDraft,
  type Chunker,
  embedText,
  type Tokenizer,
} from "../../core/documents/chunk.ts";
import type { ParsedDocument } from "../../core/documents/document.ts";

/** Where a document's chunks are stored. */
export interface ChunkPlacement {
  readonly documentId: string;
  readonly versionId: string;
  readonly collection: string;
  readonly department: string;
}

/** How long a document is cut before other work of the process has its turn, milliseconds. */
const turnMs = 20;

/** parsed document → chunks with ids */
export async function chunk(
  document: ParsedDocument,
  placement: ChunkPlacement,
  chunker: Chunker,
  tokenizer: Tokenizer,
): Promise<readonly Chunk[]> {
  const title = documentTitle(document);
  const { path: sourcePath, name: sourceName, format } = document.file;
  const common = { ...placement, title, sourcePath, sourceName, format, method: document.method };
  const chunks: Chunk[] = [];
  let turn = performance.now();
  for (const draft of chunker.chunk(document, tokenizer)) {
    for (const part of bounded(draft, title, tokenizer)) {
      const ordinal = chunks.length;
      const contentHash = createHash("sha256")
        .update(embedText({ ...part, title }))
        .digest("hex");
      chunks.push({ ...part, ...common, id: `${placement.versionId}-${ordinal}`, ordinal, contentHash });
    }
    if (performance.now() - turn < turnMs) continue;
    await setImmediate();
    turn = performance.now();
  }
  return chunks;
}

/**
 * Largest chunk in bytes of UTF-8: text without spaces is one token whatever its length, and stores have a
 * limit.
 */
const maxChunkBytes = 16_384;
/**
 * Longest heading in a chunk's path, in characters; the chunk that begins with the heading has its full text.
 */
const maxHeading = 1_000;

/**
 * Splits a draft that is too long for a store: each part ends at its last space, or else between characters.
 */
function bounded(draft: ChunkDraft, title: string, tokenizer: Tokenizer): readonly ChunkDraft[] {
  const headings = draft.headings.map((heading) => beginningOf(heading, maxHeading));
  if (Buffer.byteLength(draft.text) <= maxChunkBytes)
    return [{ ...draft, headings, ...innerHeadingsOf(draft, 0, draft.text.length) }];
  const { ownHeadings = 0, innerHeadings: _, sheetParts: __, ...further } = draft;
  let end = 0;
  return pieces(draft.text).map((text, index) => {
    const start = draft.text.indexOf(text, end);
    end = start + text.length;
    const own = index === 0 && ownHeadings > 0 ? { ownHeadings } : {};
    const places = { ...innerHeadingsOf(draft, start, end), ...sheetRowsIn(draft, start, end) };
    const part = { ...further, headings, ...own, ...places, text };
    return { ...part, tokenCount: tokenizer.count(embedText({ ...part, title })) + 2 };
  });
}

/** The inner headings of a part of a draft's text; outer ones apply to the whole draft. */
function innerHeadingsOf(
  { innerHeadings = [] }: ChunkDraft,
  from: number,
  to: number,
): Pick<ChunkDraft, "innerHeadings"> {
  const inner = innerHeadings
    .filter(({ start }) => start < to)
    .map(({ start, depth, text }) => ({
      start: Math.max(0, start - from),
      depth,
      text: beginningOf(text, maxHeading),
    }));
  return inner.length === 0 ? {} : { innerHeadings: inner };
}

function pieces(text: string): readonly string[] {
  const cut: string[] = [];
  const room = new Uint8Array(maxChunkBytes);
  for (let rest = text.trim(); rest !== ""; rest = rest.trimStart()) {
    const { read } = new TextEncoder().encodeInto(rest, room);
    const blank = read < rest.length ? rest.slice(0, read).search(/(?<!\s)\s+\S*$/) : -1;
    const end = blank > read / 2 ? blank : read;
    cut.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return cut;
}

const beginningOf = (text: string, characters: number): string =>
  text.length <= characters ? text : `${text.slice(0, characters - 1).toWellFormed()}…`;

/** Longest title embedded with every chunk, in characters. */
const maxTitle = 120;

/**
 * The title that is embedded and shown: the file's name in words, then the document's own title if that adds
 * anything. People ask by file and company names (`AMCOR_2023_10K.pdf`), which the text may never mention.
 */
export function documentTitle(document: {
  readonly file: { readonly name: string };
  readonly content: { readonly title: string };
}): string {
  const words = nameInWords(document.file.name);
  const title = /\p{L}{2}/u.test(document.content.title)
    ? document.content.title.replace(/\s+/g, " ").trim()
    : "";
  const known = new Set(words.toLowerCase().split(" "));
  const isNew = nameInWords(title)
    .toLowerCase()
    .split(" ")
    .some((word) => !known.has(word));
  const both = words === "" || !isNew ? words || title : title === "" ? words : `${words}: ${title}`;
  return both.length <= maxTitle ? both : shortened(both);
}

/**
 * A title cut at its last space; one without a space in its second half, such as a Chinese one, between
 * characters.
 */
function shortened(title: string): string {
  const room = title.slice(0, maxTitle - 1);
  const blank = room.lastIndexOf(" ");
  return `${room.slice(0, blank > maxTitle / 2 ? blank : room.length).replace(/\p{Cs}$/u, "")}…`;
}

/**
 * `dir/AMCOR_2023_10K.pdf` → `AMCOR 2023 10K`; names that are only numbers or hexadecimal identifiers become
 * "".
 */
function nameInWords(name: string): string {
  const base = name.slice(name.lastIndexOf("/") + 1).replace(/\.[A-Za-z0-9]{1,8}$/, "");
  if (/^[0-9a-f-]{16,}$/i.test(base) || !/\p{L}{2}/u.test(base)) return "";
  return base
    .replace(/[_\-.+\s]+/g, " ")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .trim();
}
