import type { Chunk } from "./documents/chunk.ts";
import type { BlockKind } from "./documents/document.ts";
import type { EmbeddedChunk, Embedding } from "./documents/embedding.ts";
import { headingsAbove } from "./documents/sections.ts";
import { hasRow } from "./documents/table-text.ts";
import type { ErrorCode } from "./errors.ts";

export type Instance = "public" | "private";

/** Chunk fields a filter may name. */
export type FilterField = "documentId" | "versionId" | "department" | "sourceName" | "format" | "id";

/**
 * A condition as a typed value, never as text. `in` with no values matches nothing;
 * `all` with no parts matches everything, `any` with no parts nothing.
 */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | { readonly field: FilterField; readonly in: readonly string[] }
  | { readonly pages: PageRange }
  | KindCondition
  | TextCondition;

/** A chunk has a block of one of these kinds, among others or alone. */
export interface KindCondition {
  readonly kinds: readonly string[];
}

/** Pages or slides, 1-based, both ends included; matches a passage with any page in the range. */
export interface PageRange {
  readonly from: number;
  readonly to: number;
}

/** Matches a chunk whose stored text of this kind contains one of these strings exactly. */
export interface TextCondition {
  /** Of `headings`, one of them on the path above the chunk or in it. */
  readonly text: "headings" | "title" | "method";
  readonly contains: readonly string[];
}

/** The kinds of a chunk's blocks, its main kind first. */
export const kindsOf = ({
  contentType,
  kinds = [],
}: Pick<Chunk, "contentType" | "kinds">): readonly BlockKind[] => [...new Set([contentType, ...kinds])];

/** Headings of a path that a condition looks at: HTML and Office know six levels. */
export const headingLevels = 6;

/** The headings that a condition looks at: those of the path, as many as it can have, and the inner ones. */
export const headingsToFilter = ({
  headings,
  innerHeadings = [],
}: Pick<Chunk, "headings" | "innerHeadings">): readonly string[] => [
  ...headings.slice(0, headingLevels),
  ...innerHeadings.map(({ text }) => text),
];

/** Whether one of these texts contains one of the strings of a condition. */
export const containsAny = ({ contains }: TextCondition, texts: readonly string[]): boolean =>
  texts.some((each) => contains.some((part) => each.includes(part)));

/** Whether the text of a condition contains one of its strings. */
export function matchesTextCondition(
  condition: TextCondition,
  chunk: Pick<Chunk, TextCondition["text"] | "innerHeadings">,
): boolean {
  const { text } = condition;
  return containsAny(condition, text === "headings" ? headingsToFilter(chunk) : [chunk[text]]);
}

export const matchAllFilter: Filter = { all: [] };

export interface CollectionSpec {
  /** Matches ^[a-z][a-z0-9_]{0,62}$. */
  readonly name: string;
  readonly dimensions: number;
  /** `sparse`: learned weights of the embedder; `bm25`: the server's BM25 over the text. */
  readonly lexical: "sparse" | "bm25";
  readonly fingerprint: string;
  /**
   * How BM25 cuts text into terms: `standard` lower-cases and strips accents, `english` also stems and drops
   * stop words. Default `standard`.
   */
  readonly analyzer?: "standard" | "english";
}

/** A stored chunk matched by one search; `score` is comparable only within one `via`. */
export interface Hit {
  readonly chunk: Chunk;
  readonly score: number;
  readonly via: Via;
  /** The parts of the score, if requested. */
  readonly parts?: ScoreParts;
  /** The chunks it is read with for an answer, in reading order, its own among them. */
  readonly around?: readonly Chunk[];
}

/** The chunk of a hit with the text and the pages of all that it is read with. */
export function expandedChunk({ chunk, around }: Pick<Hit, "chunk" | "around">): Chunk {
  if (around === undefined) return chunk;
  const pages = [...new Set(around.flatMap((each) => each.pages))].sort((a, b) => a - b);
  // Places of headings are places in one chunk: a quote is looked for in the chunks themselves.
  const [first = "", ...others] = around.map(({ text }) => text);
  return { ...chunk, innerHeadings: [], sheetParts: [], text: others.reduce(continued, first), pages };
}

/** Characters from which the beginning of a text that another ends with is not there by chance. */
const leastShared = 24;

/** Where the end of a text begins that the next one begins with; -1 where they share none. */
function sharedFrom(text: string, next: string): number {
  const head = next.slice(0, leastShared);
  for (let at = text.indexOf(head, text.length - next.length); at !== -1; at = text.indexOf(head, at + 1))
    if (next.startsWith(text.slice(at))) return at;
  return -1;
}

/**
 * A text joined with the next one: what both share is kept once, and a table that continues under the same
 * header remains one table.
 */
function continued(text: string, next: string): string {
  const shared = sharedFrom(text, next);
  if (shared !== -1) return text.slice(0, shared) + next;
  const [lines, following] = [text.split("\n"), next.split("\n")];
  const above = lines.slice(lines.findLastIndex((line) => !hasRow(line)) + 1);
  const firstOther = following.findIndex((line, at) => !hasRow(line) || line !== above[at]);
  const header = firstOther < 0 ? following.length : firstOther;
  return header === 0 ? `${text}\n\n${next}` : [...lines, ...following.slice(header)].join("\n");
}

/** The chunk of a hit or passage that contains a quote, with the headings above the quote as its own. */
export function chunkContaining({ chunk, around }: Pick<Hit, "chunk" | "around">, quote: string): Chunk {
  const holder = around?.find(({ text }) => text.includes(quote)) ?? chunk;
  return { ...holder, headings: headingsAbove(quote, holder), innerHeadings: [] };
}

/** Contributions to a score, by name; zero ones are absent. */
export type ScoreParts = Readonly<Record<string, number>>;

export type Via = "dense" | "lexical" | "fused" | "reranked";

export interface StoreQuery {
  /** Absent: no dense route. */
  readonly dense?: Float32Array;
  /** Learned weights; used when the collection's lexical side is `sparse`. */
  readonly sparse?: Embedding["sparse"];
  /** Question text; used when the collection's lexical side is `bm25`. */
  readonly text?: string;
  /** Hits per route. */
  readonly limit: number;
  readonly filter: Filter;
  /** Return each hit's dense vector too (for MMR). Default false. */
  readonly withVectors?: boolean;
  /** Return each hit with the text of its page, in `window`, where the store holds it. Default false. */
  readonly withPages?: boolean;
}

/** One ranked list per route, best first. Dense scores are cosine (inner product of unit vectors). */
export interface StoreResult {
  readonly dense: readonly Hit[];
  readonly lexical: readonly Hit[];
  /** Chunk id → dense vector, if requested. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

/** A collection that should have been searched and could not be; the others were. */
export interface UnavailableCollection {
  readonly collection: string;
  /** Code of the error that kept it from being searched. */
  readonly code: ErrorCode;
  readonly reason: string;
  /** How to make it available again; "" where unknown. */
  readonly hint: string;
}

/** One Milvus instance. Every method raises RagctlError STORE_* on failure. */
export interface VectorStore extends AsyncDisposable {
  readonly id: string;
  /** Server product and version, as it reports itself. */
  version(): Promise<string>;
  collections(): Promise<readonly CollectionSpec[]>;
  /**
   * Creates and loads the collection, or leaves nothing; on an existing one checks fingerprint, dimensions
   * and lexical side. A server that is still starting is waited for, at most until the signal. @throws
   * FINGERPRINT_MISMATCH
   */
  ensure(spec: CollectionSpec, signal?: AbortSignal): Promise<void>;
  drop(collection: string): Promise<void>;
  /** Upserts by chunk id, in slices that fit the server's message limit. */
  write(collection: string, chunks: readonly EmbeddedChunk[]): Promise<void>;
  /** Deletes the matching chunks; an empty `all` is refused (use drop). */
  delete(collection: string, filter: Filter): Promise<void>;
  search(collection: string, query: StoreQuery, signal: AbortSignal): Promise<StoreResult>;
  count(collection: string, filter: Filter): Promise<number>;
  /** Chunks that match, in no particular order, streamed. */
  list(collection: string, filter: Filter): AsyncIterable<Chunk>;
}

/**
 * The last write to each collection of a server, by the server's clock: a search must see it, whichever
 * process wrote.
 */
export interface WriteTimes {
  /** ms since 1970; undefined where none is recorded. */
  of(collection: string): Promise<number | undefined>;
  /** Has no effect with a time before the recorded one. */
  note(collection: string, ms: number): Promise<void>;
}

/** Reads chunks with their vectors, to copy them to another store. */
export interface EmbeddedRows {
  /** Ids of every chunk of a collection. @throws NOT_FOUND */
  ids(collection: string): Promise<readonly string[]>;
  /** The rows of those chunks that exist, with the store's data on their embeddings. */
  rows(collection: string, ids: readonly string[]): Promise<readonly EmbeddedChunk[]>;
}

/**
 * Word index for the chunks of a store without one. It holds only ids: the chunks are in the store, which
 * decides which exist.
 */
export interface LexicalIndex {
  /** Adds chunks, or replaces those of the same ids. */
  put(collection: LexicalCollection, chunks: readonly Chunk[]): void;
  /** Removes the matching chunks. */
  delete(collection: LexicalCollection, filter: Filter): void;
  /** Takes out a collection; nothing happens where it is not known. */
  drop(collection: string): void;
  /** Ids of all chunks of a collection. */
  ids(collection: LexicalCollection): readonly string[];
  count(collection: LexicalCollection): number;
  /** Best first, by BM25 (k1 1.2, b 0.75), at most `limit` chunks that match the filter. */
  search(
    collection: LexicalCollection,
    query: { readonly text: string; readonly filter: Filter; readonly limit: number },
  ): readonly { readonly id: string; readonly score: number }[];
}

/** The facts about a collection that a lexical index needs. */
export type LexicalCollection = Pick<CollectionSpec, "name" | "analyzer">;

/** Reads a question and a passage together: closer than comparing two vectors, and far slower. */
export interface Reranker extends AsyncDisposable {
  /** Model id of the manifest, or a folder with the user's own model. */
  readonly id: string;
  /**
   * How relevant each passage is to the question, in [0, 1], same order; comparable only within one model.
   */
  score(query: string, passages: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
}

/** A passage as the model will see it, under the number the model must cite. */
export interface Passage {
  /** 1-based. */
  readonly marker: number;
  readonly chunk: Chunk;
  readonly text: string;
  /** Those above its sentence nearest to the question. Default: the chunk's. */
  readonly headings?: readonly string[];
  /** The chunks its text was taken from, where they are several. */
  readonly around?: readonly Chunk[];
}

export interface Context {
  readonly question: string;
  readonly passages: readonly Passage[];
  readonly tokenCount: number;
  /** Hits left out because the budget was full or they repeated a passage. */
  readonly dropped: {
    readonly overBudget: number;
    readonly duplicate: number;
    /**
     * Sentences of retrieved text withheld because they speak to an assistant; passages of nothing else are
     * withheld whole.
     */
    readonly instructions?: number;
  };
}
