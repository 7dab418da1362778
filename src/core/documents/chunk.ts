import type { DraftMembers, KeptChunk } from "./chunk-members.ts";
import type { ParsedDocument } from "./document.ts";

export type { InnerHeading, SheetPart } from "./chunk-members.ts";

/** A stretch of a page's raw text, by which a chunk is found. */
export interface PageWindow {
  readonly pageText: string;
  /** Places of UTF-16 code units in the page's text, the end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The unit that is embedded, stored, retrieved and cited. */
export interface Chunk extends KeptChunk {
  /** For a tool's finding: the chunk it was read from, and its rows; absent for a passage. */
  readonly readFrom?: { readonly chunk: Chunk; readonly rows: readonly string[] };
  /**
   * Embedded in place of title, headings and text; known while a chunk is made or re-embedded, absent from
   * hits.
   */
  readonly window?: PageWindow;
}

/** A document cut into chunks, before they have ids or a place in a collection. */
export interface ChunkDraft extends DraftMembers {
  readonly window?: PageWindow;
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
