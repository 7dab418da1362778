import { type Chunk, embedText, lexicalText } from "../../core/documents/chunk.ts";
import { innerHeadingsSchema, sheetPartsSchema } from "../../core/documents/chunk-members.ts";
import { blockKinds } from "../../core/documents/document.ts";
import type { EmbeddedChunk } from "../../core/documents/embedding.ts";
import { formats } from "../../core/documents/formats.ts";
import { RagctlError } from "../../core/errors.ts";
import type { FilterField } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";

/**
 * Bytes a VARCHAR or a JSON value may have (Milvus limits page); Lite 2.5 does not enforce it, servers do.
 */
export const maxFieldBytes = 65_535;

/** Filter field → column. */
export const columnOf: Readonly<Record<FilterField, string>> = {
  id: "id",
  documentId: "document_id",
  versionId: "version_id",
  department: "department",
  sourceName: "document_source",
  format: "file_type",
};

/** Columns needed to rebuild a chunk. */
export const chunkColumns: readonly string[] = [
  ...Object.values(columnOf),
  "content_type",
  "text",
  "metadata",
];
/** Member of the metadata that has the inner headings of a chunk, one a line. */
export const innerHeadingText = "innerHeadingText";
/** What BM25 indexes; with it a chunk of a page knows its window again. */
export const lexicalColumn = "lexical_text";

/**
 * A filterable value as stored: control characters, lone surrogates and `%` become `%` and the UTF-16 code
 * unit in four hex digits, because no Milvus can quote them all. One to one, so stored values are equal
 * exactly when the values are.
 */
export function encodeScalar(value: string): string {
  const safe = value.replace(/[\u0000-\u001f\u007f%]/g, (unit) => escapeUnit(unit));
  if (safe.isWellFormed()) return safe;
  return Array.from(safe, (character) => (character.isWellFormed() ? character : escapeUnit(character))).join(
    "",
  );
}

function escapeUnit(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The value `encodeScalar` was given. */
export function decodeScalar(value: string): string {
  return value.replace(/%([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Cuts at a character boundary so that `head` has at most `maxBytes` bytes of UTF-8. */
function cutUtf8(text: string, maxBytes: number): { readonly head: string; readonly tail: string } {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return { head: text, tail: "" };
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return { head: text.slice(0, read), tail: text.slice(read) };
}

const metadataSchema = z.object({
  ordinal: z.number(),
  title: z.string(),
  headings: z.array(z.string()),
  ownHeadings: z.number().optional(),
  innerHeadings: innerHeadingsSchema.optional(),
  sheetParts: sheetPartsSchema.optional(),
  pages: z.array(z.number()),
  kinds: z.array(z.enum(blockKinds)).optional(),
  tokenCount: z.number(),
  sourcePath: z.string(),
  collection: z.string(),
  method: z.string(),
  contentHash: z.string(),
  /** Start and end of the window in the lexical text, which holds the page. */
  window: z.tuple([z.number(), z.number()]).optional(),
  /** The text of the window, where no lexical text holds it. */
  windowText: z.string().optional(),
  /** The end of a text longer than one field. */
  textRest: z.string().optional(),
});

const rowSchema = z.object({
  id: z.string(),
  document_id: z.string(),
  version_id: z.string(),
  department: z.string(),
  document_source: z.string(),
  file_type: z.string(),
  content_type: z.string(),
  text: z.string(),
  metadata: metadataSchema,
  lexical_text: z.string().optional(),
});

/** A row as the SDK takes it. */
export type Row = Record<string, string | number[] | Readonly<Record<string, unknown>>>;

/** What BM25 indexes of a chunk: of a page too long for one field its window alone. */
function indexedText(chunk: Chunk): string {
  const text = lexicalText(chunk);
  return (Buffer.byteLength(text) <= maxFieldBytes ? text : embedText(chunk)).toWellFormed();
}

/** Inner headings with their places, and as one text, which a filter can look through. */
function storedInnerHeadings({ innerHeadings }: Chunk) {
  if (innerHeadings === undefined) return {};
  const wellFormed = innerHeadings.map((inner) => ({ ...inner, text: inner.text.toWellFormed() }));
  return { innerHeadings: wellFormed, [innerHeadingText]: wellFormed.map(({ text }) => text).join("\n") };
}

function storedSheetParts({ sheetParts }: Chunk) {
  return sheetParts === undefined
    ? {}
    : {
        sheetParts: sheetParts.map(({ sheet, of, columns, rows }) => ({
          sheet: sheet.toWellFormed(),
          ...(of === undefined ? {} : { of }),
          columns: columns.map(([name, letters]) => [name.toWellFormed(), letters]),
          rows,
        })),
      };
}

/** How a row remembers the window of its chunk, so that another model can embed it later. */
function storedWindow(
  { window, ...chunk }: Chunk,
  lexical: "sparse" | "bm25",
): Pick<z.infer<typeof metadataSchema>, "window" | "windowText"> {
  if (window === undefined) return {};
  const isWhole = lexical === "bm25" && indexedText({ ...chunk, window }) === window.pageText.toWellFormed();
  return isWhole
    ? { window: [window.start, window.end] }
    : { windowText: embedText({ ...chunk, window }).toWellFormed() };
}

/** The window of a row that was read with its lexical text, or that holds it itself. */
function windowOf({ metadata, lexical_text: pageText }: z.infer<typeof rowSchema>): Pick<Chunk, "window"> {
  const { window, windowText } = metadata;
  if (windowText !== undefined) return { window: { pageText: windowText, start: 0, end: windowText.length } };
  if (window === undefined || pageText === undefined) return {};
  return { window: { pageText, start: window[0], end: window[1] } };
}

/** What a row keeps in addition to its columns; `textRest` is the text that does not fit its column. */
function storedMetadata(chunk: Chunk, lexical: "sparse" | "bm25", textRest: string) {
  return {
    ordinal: chunk.ordinal,
    title: chunk.title.toWellFormed(),
    headings: chunk.headings.map((heading) => heading.toWellFormed()),
    ...(chunk.ownHeadings === undefined ? {} : { ownHeadings: chunk.ownHeadings }),
    ...storedInnerHeadings(chunk),
    ...storedSheetParts(chunk),
    pages: [...chunk.pages],
    ...(chunk.kinds === undefined ? {} : { kinds: [...chunk.kinds] }),
    tokenCount: chunk.tokenCount,
    sourcePath: encodeScalar(chunk.sourcePath),
    collection: chunk.collection,
    method: chunk.method,
    contentHash: chunk.contentHash,
    ...storedWindow(chunk, lexical),
    ...(textRest === "" ? {} : { textRest }),
  };
}

/**
 * The row of a chunk. `text` is the original, `lexical_text` the text that BM25 indexes (headings included,
 * cut at one field's limit); text beyond one field continues in the metadata. `hasSparse`: the collection has
 * a sparse column, which BM25 fills by itself. @throws SOURCE_TOO_LARGE when even that is full
 */
export function toRow(
  embedded: EmbeddedChunk,
  lexical: "sparse" | "bm25",
  hasSparse: boolean,
): { readonly row: Row; readonly sizeBytes: number } {
  const { chunk, embedding } = embedded;
  const { head, tail } = cutUtf8(chunk.text.toWellFormed(), maxFieldBytes);
  const metadata = storedMetadata(chunk, lexical, tail);
  const metadataBytes = Buffer.byteLength(JSON.stringify(metadata));
  if (metadataBytes > maxFieldBytes) {
    throw new RagctlError(
      "SOURCE_TOO_LARGE",
      `a chunk of ${chunk.sourceName} is too large for the store (${Buffer.byteLength(chunk.text)} bytes)`,
      {
        hint: `the limit is ${maxFieldBytes} bytes of text and as many of headings and overflow per chunk; ingest with a smaller chunk size`,
      },
    );
  }
  const indexed = lexical === "bm25" ? cutUtf8(indexedText(chunk), maxFieldBytes).head : "";
  const sparse = lexical === "sparse" && hasSparse ? sparseRow(embedding.sparse) : undefined;
  const row: Row = {
    id: chunk.id,
    document_id: encodeScalar(chunk.documentId),
    version_id: encodeScalar(chunk.versionId),
    department: encodeScalar(chunk.department),
    document_source: encodeScalar(chunk.sourceName),
    file_type: encodeScalar(chunk.format),
    content_type: encodeScalar(chunk.contentType),
    text: head,
    metadata,
    dense_vector: Array.from(embedding.dense),
    ...(lexical === "bm25" ? { lexical_text: indexed } : {}),
    ...(sparse === undefined ? {} : { sparse_vector: sparse }),
  };
  const sparseBytes = 8 * (sparse?.indices.length ?? 0);
  const scalarBytes = 1_024 + Buffer.byteLength(chunk.sourceName);
  return {
    row,
    sizeBytes:
      embedding.dense.length * 4 +
      Buffer.byteLength(head) +
      Buffer.byteLength(indexed) +
      metadataBytes +
      sparseBytes +
      scalarBytes,
  };
}

/**
 * Weights as the SDK takes them (CSR). A text without any weight gets one of zero effect: an empty row is
 * refused.
 */
export function sparseRow(sparse: EmbeddedChunk["embedding"]["sparse"]): {
  indices: number[];
  values: number[];
} {
  if (sparse === undefined || sparse.indices.length === 0) return { indices: [0], values: [1e-9] };
  return { indices: Array.from(sparse.indices), values: Array.from(sparse.values) };
}

/** Columns needed to rebuild a chunk with its embedding. */
export const embeddedColumns = (lexical: "sparse" | "bm25", hasSparse: boolean): string[] => [
  ...chunkColumns,
  "dense_vector",
  ...(lexical === "bm25" ? [lexicalColumn] : hasSparse ? ["sparse_vector"] : []),
];

const vectorsSchema = z.object({
  dense_vector: z.array(z.coerce.number()),
  /** Index → weight. */
  sparse_vector: z.record(z.string(), z.number()).optional(),
});

/**
 * The chunk of a row that was read with `embeddedColumns`.
 * @throws STORE_FAILED when it is not one of ours
 */
export function toEmbedded(value: unknown): EmbeddedChunk {
  const chunk = toChunk(value);
  const parsed = vectorsSchema.safeParse(value);
  if (!parsed.success) {
    throw new RagctlError("STORE_FAILED", `the store returned chunk ${chunk.id} without its vectors`, {
      cause: parsed.error,
    });
  }
  const dense = Float32Array.from(parsed.data.dense_vector);
  if (parsed.data.sparse_vector === undefined) return { chunk, embedding: { dense } };
  const weights = Object.entries(parsed.data.sparse_vector)
    .map(([index, weight]) => [Number(index), weight] as const)
    .sort(([left], [right]) => left - right);
  const sparse = {
    indices: Uint32Array.from(weights, ([index]) => index),
    values: Float32Array.from(weights, ([, weight]) => weight),
  };
  return { chunk, embedding: { dense, sparse } };
}

function oneOf<T extends string>(known: readonly T[], value: string, what: string): T {
  const match = known.find((each) => each === value);
  if (match === undefined)
    throw new RagctlError(
      "STORE_FAILED",
      `the store returned an unknown ${what} "${value}"; known: ${known.join(", ")}`,
    );
  return match;
}

/** The chunk of a row as the SDK returns it. @throws STORE_FAILED when the row is not one of ours */
export function toChunk(value: unknown): Chunk {
  const parsed = rowSchema.safeParse(value);
  if (!parsed.success) {
    throw new RagctlError("STORE_FAILED", "the store returned a row that is not a chunk of ragctl", {
      cause: parsed.error,
    });
  }
  const { metadata, ...row } = parsed.data;
  const {
    textRest = "",
    ownHeadings,
    innerHeadings,
    sheetParts,
    kinds,
    window: _,
    windowText: __,
    ...rest
  } = metadata;
  return {
    ...rest,
    ...windowOf(parsed.data),
    ...(ownHeadings === undefined ? {} : { ownHeadings }),
    ...(innerHeadings === undefined ? {} : { innerHeadings }),
    ...(sheetParts === undefined ? {} : { sheetParts }),
    ...(kinds === undefined ? {} : { kinds }),
    id: row.id,
    documentId: decodeScalar(row.document_id),
    versionId: decodeScalar(row.version_id),
    department: decodeScalar(row.department),
    sourceName: decodeScalar(row.document_source),
    sourcePath: decodeScalar(metadata.sourcePath),
    format: oneOf(formats, row.file_type, "format"),
    contentType: oneOf(blockKinds, row.content_type, "content type"),
    text: row.text + textRest,
  };
}
