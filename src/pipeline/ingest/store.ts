import type { FileReport } from "../../core/app.ts";
import type { Chunk, Chunker } from "../../core/documents/chunk.ts";
import type { ParsedDocument, TableSlice } from "../../core/documents/document.ts";
import type { EmbeddedChunk, Embedder } from "../../core/documents/embedding.ts";
import { asRagctlError, type RagctlError } from "../../core/errors.ts";
import type { VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { slicesOf } from "../../tables/slices.ts";
import { documentTables } from "../../tables/whole.ts";
import type { PhaseClock } from "../phases.ts";
import { chunk } from "./chunk.ts";
import { type EmbeddingCache, embed } from "./embed.ts";
import { failureReport, fileReport, removedReport } from "./file-report.ts";
import type { Ledger } from "./ledger.ts";
import type { BegunFile } from "./prepare.ts";

export interface StoringDrivers {
  readonly chunker: Chunker;
  readonly embedder: () => Promise<Embedder>;
  readonly cache: EmbeddingCache;
  /** Opened with the first document that has anything to store. */
  readonly vectors: () => Promise<VectorStore>;
  readonly ledger: Ledger;
}

/** The file that was to store a content, and the outcome. */
export interface Made {
  readonly maker: BegunFile;
  readonly report: FileReport;
}

/**
 * Documents → stored, visible chunks. A document ends with the batch that has its last chunk; each call
 * yields those that ended.
 */
export interface Storing {
  add(maker: BegunFile, document: ParsedDocument): AsyncGenerator<Made>;
  /** Stores an incomplete batch. */
  rest(): AsyncGenerator<Made>;
  totals(): {
    /** Hardware the embedder ran on; "" if it was not needed. */
    readonly provider: string;
    readonly embeddedFromCache: number;
  };
}

/** Chunks embedded and stored together; a batch may span documents. */
const batchChunks = 128;

/** A document with chunks still to be stored. */
interface OpenDocument {
  readonly maker: BegunFile;
  readonly document: ParsedDocument;
  readonly tables: readonly TableSlice[];
  readonly chunks: number;
  readonly tokens: number;
  pending: number;
}

interface WaitingChunk {
  readonly open: OpenDocument;
  readonly chunk: Chunk;
}

/** Starts storing documents in a collection. */
export function createStoreWriter(
  collection: string,
  drivers: StoringDrivers,
  clock: PhaseClock,
  run: Run,
): Storing {
  let queue: readonly WaitingChunk[] = [];
  let provider = "";
  let embeddedFromCache = 0;

  const cut = async (maker: BegunFile, document: ParsedDocument): Promise<readonly Chunk[]> => {
    const embedder = await clock.time("load", drivers.embedder);
    if (provider === "") clock.count("load", { models: 1 });
    provider = embedder.provider;
    const { documentId, contentId, department } = maker.begun;
    const place = { documentId, versionId: contentId, collection: maker.begun.collection, department };
    return clock.time("chunk", () => chunk(document, place, drivers.chunker, embedder.tokenizer));
  };
  /** Errors of documents that the store refused, by content. */
  const storeBatch = async (chunks: readonly Chunk[]): Promise<ReadonlyMap<string, RagctlError>> => {
    const embedded = await clock.time("embed", async () =>
      embed(chunks, await drivers.embedder(), drivers.cache, run),
    );
    embeddedFromCache += embedded.fromCache;
    clock.count("embed", { chunks: chunks.length, tokens: embedded.tokens });
    const refused = await clock.time("store", async () => {
      const store = await drivers.vectors();
      return writeEach(embedded.chunks, (some) => store.write(collection, some));
    });
    clock.count("store", { vectors: chunks.filter(({ versionId }) => !refused.has(versionId)).length });
    return refused;
  };
  /** Stores batches while at least `least` chunks are waiting. */
  const flush = async function* (least: number): AsyncGenerator<Made> {
    while (queue.length >= least) {
      const batch = queue.slice(0, batchChunks);
      queue = queue.slice(batchChunks);
      const refused = await storeBatch(batch.map((entry) => entry.chunk));
      run.signal.throwIfAborted();
      queue = queue.filter(({ chunk }) => !refused.has(chunk.versionId));
      yield* endedBy(batch, refused, drivers.ledger);
    }
  };

  return {
    async *add(maker, document) {
      const chunks = await cut(maker, document);
      const tokens = chunks.reduce((sum, one) => sum + one.tokenCount, 0);
      const tables = await clock.time("chunk", () => slicesOf(documentTables(document.content)));
      const open = { maker, document, tables, chunks: chunks.length, tokens, pending: chunks.length };
      clock.count("chunk", { documents: 1, chunks: open.chunks, tokens });
      if (tokens < (maker.begun.visibleTokens ?? 0)) {
        yield await keepVisible(open, drivers.ledger);
        return;
      }
      if (chunks.length === 0) yield await publish(open, drivers.ledger);
      queue = [...queue, ...chunks.map((one) => ({ open, chunk: one }))];
      yield* flush(batchChunks);
    },
    rest: () => flush(1),
    totals: () => ({ provider, embeddedFromCache }),
  };
}

/** The documents whose last chunk was in the batch, or that the store refused. */
async function* endedBy(
  batch: readonly WaitingChunk[],
  refused: ReadonlyMap<string, RagctlError>,
  ledger: Ledger,
): AsyncGenerator<Made> {
  for (const [open, stored] of Map.groupBy(batch, (entry) => entry.open)) {
    open.pending -= stored.length;
    const error = refused.get(open.maker.begun.contentId);
    if (error !== undefined) yield await refuse(open.maker, error, ledger);
    else if (open.pending === 0) yield await publish(open, ledger);
  }
}

/**
 * Writes a batch with chunks of several documents. If the store refuses it because of a document, each
 * document is written separately, so that the others are stored. Returns the errors of refused documents, by
 * version id. @throws errors that end the run
 */
async function writeEach(
  chunks: readonly EmbeddedChunk[],
  write: (chunks: readonly EmbeddedChunk[]) => Promise<void>,
): Promise<ReadonlyMap<string, RagctlError>> {
  const attempt = async (some: readonly EmbeddedChunk[]): Promise<RagctlError | undefined> => {
    try {
      await write(some);
      return undefined;
    } catch (thrown) {
      const error = asRagctlError(thrown);
      if (error.scope === "run") throw error;
      return error;
    }
  };
  const refused = new Map<string, RagctlError>();
  if ((await attempt(chunks)) === undefined) return refused;
  for (const [versionId, own] of Map.groupBy(chunks, ({ chunk }) => chunk.versionId)) {
    const error = await attempt(own);
    if (error !== undefined) refused.set(versionId, error);
  }
  return refused;
}

/** Makes a completely stored document visible, unless it was removed meanwhile. */
async function publish(
  { maker, document, tables, chunks, tokens }: OpenDocument,
  ledger: Ledger,
): Promise<Made> {
  const { file, begun } = maker;
  const { title, pageCount: pages, omitted, properties, warnings, pagesWithoutText } = document.content;
  const readiness = await ledger.ready(begun.versionId, {
    title,
    pages,
    chunks,
    tokens,
    tables,
    ...(omitted === undefined ? {} : { omitted }),
    ...(properties === undefined ? {} : { properties }),
  });
  if (readiness === "forgotten" || readiness === "gone")
    return { maker, report: removedReport(file, readiness) };
  const reason = [...(file.misnamed === undefined ? [] : [file.misnamed]), ...warnings].join("; ");
  return {
    maker,
    report: { ...fileReport(file, begun.state), reason, pages, chunks, tokens, pagesWithoutText },
  };
}

/** Abandons an attempt that, due to limits, has less than the visible version of the same content. */
async function keepVisible({ maker, document }: OpenDocument, ledger: Ledger): Promise<Made> {
  await ledger.failed(maker.begun.versionId);
  const reason = [...document.content.warnings, "the text read before is longer and was kept"].join("; ");
  return { maker, report: { ...fileReport(maker.file, "unchanged"), reason } };
}

/** Abandons a document that the store refuses; what was stored of it is removed by the next sweep. */
async function refuse(maker: BegunFile, error: RagctlError, ledger: Ledger): Promise<Made> {
  await ledger.failed(maker.begun.versionId);
  return { maker, report: failureReport({ ...maker.file, error }) };
}
