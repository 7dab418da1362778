import type { BlockKind, Format, ParsedDocument, PlaceUnit } from "./document.ts";

/** A stretch of a page's raw text, by which a chunk is found. */
export interface PageWindow {
  readonly pageText: string;
  /** Places of UTF-16 code units in the page's text, the end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** A heading inside a chunk's text: the text after it belongs to it, not to the chunk's own path. */
export interface InnerHeading {
  /** Place in the text, in UTF-16 code units. */
  readonly start: number;
  /** How many headings of the path before it stay above it. */
  readonly depth: number;
  readonly text: string;
}

/** Rows of one table of a spreadsheet in a chunk's text, or lines of one file. */
export interface SheetPart {
  /** "" for a CSV; of lines the member of an archive, or ""; of a page its label. */
  readonly sheet: string;
  /**
   * The unit of the row numbers outside a sheet; such a part has no columns, and a row is a line of the text.
   */
  readonly of?: PlaceUnit;
  /** The name of each column in the text, in its order, and the letters of the column in the sheet. */
  readonly columns: readonly (readonly [name: string, letters: string])[];
  /** Where each row begins in the text, in UTF-16 code units, and its number in the sheet or file, from 1. */
  readonly rows: readonly (readonly [start: number, row: number])[];
}

/** The unit that is embedded, stored, retrieved and cited. */
export interface Chunk {
  /**
   * `<versionId>-<ordinal>`: the same content in the same place always has the same id. Matches [a-z0-9-]+, ≤
   * 64 characters.
   */
  readonly id: string;
  /** Logical document: stays the same when the file is edited. */
  readonly documentId: string;
  /** This content of the document, under this chunking and embedding. */
  readonly versionId: string;
  /** 0-based position within its document. */
  readonly ordinal: number;
  /** Original text, which is cited. */
  readonly text: string;
  readonly title: string;
  /** Path of headings above the text, outermost first; embedded with the title and the text. */
  readonly headings: readonly string[];
  /**
   * How many of the last headings the text itself begins with, so that they are not embedded twice; absent
   * for none.
   */
  readonly ownHeadings?: number;
  /** Headings inside the text, in its order; absent for none. */
  readonly innerHeadings?: readonly InnerHeading[];
  /**
   * The position of its rows in a spreadsheet or its lines in a file, in the order of the text; absent for
   * none.
   */
  readonly sheetParts?: readonly SheetPart[];
  /** For a tool's finding: the chunk it was read from, and its rows; absent for a passage. */
  readonly readFrom?: { readonly chunk: Chunk; readonly rows: readonly string[] };
  /** 1-based pages or slides, ascending; empty where the format has none. */
  readonly pages: readonly number[];
  readonly contentType: BlockKind;
  /**
   * Kinds of its blocks other than headings, if there are several; absent where `contentType` is the only
   * one.
   */
  readonly kinds?: readonly BlockKind[];
  /**
   * Embedded in place of title, headings and text; known while a chunk is made or re-embedded, absent from
   * hits.
   */
  readonly window?: PageWindow;
  /** Length of `embedText(chunk)` in the embedder's own tokens, special tokens included. */
  readonly tokenCount: number;
  readonly sourcePath: string;
  readonly sourceName: string;
  readonly format: Format;
  readonly collection: string;
  /** "" where the document belongs to no department. */
  readonly department: string;
  /** Parser that read the document. */
  readonly method: string;
  /** sha256 (hex) of `embedText(chunk)`. */
  readonly contentHash: string;
}

/** A document cut into chunks, before they have ids or a place in a collection. */
export interface ChunkDraft {
  readonly text: string;
  readonly headings: readonly string[];
  readonly ownHeadings?: number;
  readonly innerHeadings?: readonly InnerHeading[];
  readonly sheetParts?: readonly SheetPart[];
  readonly pages: readonly number[];
  readonly contentType: BlockKind;
  readonly kinds?: readonly BlockKind[];
  readonly window?: PageWindow;
  readonly tokenCount: number;
}

/** Counts and cuts by the embedder's own tokenizer. */
export interface Tokenizer {
  /** Number of tokens of `text`, without special tokens. */
  count(text: string): number;
  /** Token ids without special tokens. */
  encode(text: string): readonly number[];
  /** Ids as the model reads them: special tokens added, cut to `maxTokens`. Shape [≤ maxTokens]. */
  encodeForModel(
    text: string,
    maxTokens: number,
  ): { readonly ids: readonly number[]; readonly truncated: number };
}

export interface Chunker {
  readonly id: string;
  /** Text that two neighbouring chunks may share; absent for none. */
  readonly overlap?: { readonly size: number; readonly unit: "characters" | "tokens" };
  /** The chunks one after another: between two there is time for other work. */
  chunk(document: ParsedDocument, tokenizer: Tokenizer): Iterable<ChunkDraft>;
}

/**
 * The text the model embeds. For a page, the raw text of its window: measured on 95 PDFs, small encoders find
 * a page by its raw text, running header included, far better than by its blocks
 * (docs/decisions/0009-what-is-embedded.md). Otherwise title and heading path precede the text, to say what a
 * bare paragraph is about.
 */
export function embedText(
  chunk: Pick<Chunk, "title" | "headings" | "ownHeadings" | "text" | "window">,
): string {
  const { window } = chunk;
  if (window !== undefined) return window.pageText.slice(window.start, window.end).trim();
  const above = chunk.headings.slice(0, chunk.headings.length - (chunk.ownHeadings ?? 0));
  const path = [chunk.title, ...above.filter((heading) => heading !== chunk.title)].filter(
    (part) => part !== "",
  );
  return path.length === 0 ? chunk.text : `${path.join(" › ")}\n${chunk.text}`;
}

/**
 * The text BM25 indexes: the whole page for a page, because a page answers as a unit; otherwise the embedded
 * text.
 */
export function lexicalText(chunk: Parameters<typeof embedText>[0]): string {
  return chunk.window?.pageText ?? embedText(chunk);
}

/** The content id in the id of a chunk; "" if it has none. */
export const versionIdOf = (chunkId: string): string =>
  chunkId.slice(0, Math.max(0, chunkId.lastIndexOf("-")));
