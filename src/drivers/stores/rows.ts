import { type Chunk, embedText, lexicalText } from "../../core/documents/chunk.ts";
import { keptChunk } from "../../core/documents/chunk-members.ts";
import type { EmbeddedChunk } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import { formatZodIssues, z } from "../../core/schema.ts";

/**
 * Bytes a VARCHAR or a JSON value may have (Milvus limits page); Lite 2.5 does not enforce it, servers do.
 */
export const maxFieldBytes = 65_535;

/**
 * Members of a chunk that have a column of their own, encoded as scalars, and the most bytes of one. The text
 * has one too; all others are in the metadata.
 */
export const scalarColumns = {
  id: { column: "id", maxBytes: 128 },
  documentId: { column: "document_id", maxBytes: 512 },
  versionId: { column: "version_id", maxBytes: 512 },
  department: { column: "department", maxBytes: 4_096 },
  sourceName: { column: "document_source", maxBytes: maxFieldBytes },
  format: { column: "file_type", maxBytes: 64 },
  contentType: { column: "content_type", maxBytes: 64 },
} as const;
type ScalarMember = keyof typeof scalarColumns;

// The keys of a literal are its members.
const scalarMembers = Object.keys(scalarColumns) as readonly ScalarMember[];

/** Columns needed to rebuild a chunk. */
export const chunkColumns: readonly string[] = [
  ...scalarMembers.map((member) => scalarColumns[member].column),
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

/** What the metadata has in addition to members of the chunk. */
const ownMetadata = z.looseObject({
  sourcePath: z.string(),
  /** Start and end of the window in the lexical text, which holds the page. */
  window: z.tuple([z.number(), z.number()]).optional(),
  /** The text of the window, where no lexical text holds it. */
  windowText: z.string().optional(),
  /** The end of a text longer than one field. */
  textRest: z.string().optional(),
});

const rowSchema = z.looseObject({
  text: z.string(),
  metadata: ownMetadata,
  lexical_text: z.string().optional(),
});

/** A row as the SDK takes it. */
export type StoredRow = Record<string, string | number[] | Readonly<Record<string, unknown>>>;

/** What BM25 indexes of a chunk: of a page too long for one field its window alone. */
function indexedText(chunk: Chunk): string {
  const text = lexicalText(chunk);
  return (Buffer.byteLength(text) <= maxFieldBytes ? text : embedText(chunk)).toWellFormed();
}

/** How a row remembers the window of its chunk, so that another model can embed it later. */
function storedWindow(
  { window, ...chunk }: Chunk,
  lexical: "sparse" | "bm25",
): Pick<z.infer<typeof ownMetadata>, "window" | "windowText"> {
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

/**
 * What a row keeps in addition to its columns, as JSON; `textRest` is the text that does not fit its column.
 * The inner headings are there a second time as one text, which a filter can look through.
 */
function storedMetadata(chunk: Chunk, lexical: "sparse" | "bm25", textRest: string): string {
  const plain = Object.entries(keptChunk.parse(chunk)).filter(
    ([member]) => member !== "text" && !Object.hasOwn(scalarColumns, member),
  );
  const metadata = {
    ...Object.fromEntries(plain),
    sourcePath: encodeScalar(chunk.sourcePath),
    [innerHeadingText]: chunk.innerHeadings?.map(({ text }) => text).join("\n"),
    ...storedWindow(chunk, lexical),
    ...(textRest === "" ? {} : { textRest }),
  };
  return JSON.stringify(metadata, (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  );
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
): { readonly row: StoredRow; readonly sizeBytes: number } {
  const { chunk, embedding } = embedded;
  const { head, tail } = cutUtf8(chunk.text.toWellFormed(), maxFieldBytes);
  const metadata = storedMetadata(chunk, lexical, tail);
  const metadataBytes = Buffer.byteLength(metadata);
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
  const row: StoredRow = {
    ...Object.fromEntries(
      scalarMembers.map((member) => [scalarColumns[member].column, encodeScalar(chunk[member])]),
    ),
    text: head,
    // Made from an object above.
    metadata: JSON.parse(metadata) as Readonly<Record<string, unknown>>,
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

/** The chunk of a row as the SDK returns it. @throws STORE_FAILED when the row is not one of ours */
export function toChunk(value: unknown): Chunk {
  const { success, data: row, error } = rowSchema.safeParse(value);
  if (!success) throw notOurs(error);
  const { metadata, text } = row;
  const scalars = scalarMembers.map((member) => {
    const stored = row[scalarColumns[member].column];
    return [member, typeof stored === "string" ? decodeScalar(stored) : stored];
  });
  const chunk = keptChunk.safeParse({
    ...metadata,
    ...Object.fromEntries(scalars),
    sourcePath: decodeScalar(metadata.sourcePath),
    text: text + (metadata.textRest ?? ""),
  });
  if (!chunk.success) throw notOurs(chunk.error);
  return { ...chunk.data, ...windowOf(row) };
}

const notOurs = (cause: z.ZodError): RagctlError =>
  new RagctlError(
    "STORE_FAILED",
    `the store returned a row that is not a chunk of ragctl: ${formatZodIssues(cause)}`,
    { cause },
  );
