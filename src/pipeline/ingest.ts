import type { FileReport, FileState, IngestEvent, IngestReport, IngestRequest } from "../core/app.ts";
import type { Chunk, Chunker } from "../core/chunk.ts";
import type { ParsedDocument, SourceFile } from "../core/document.ts";
import type { Embedder } from "../core/embedding.ts";
import { asRagctlError, RagctlError } from "../core/errors.ts";
import { type Failure, type Flow, isFailure } from "../core/flow.ts";
import type { VectorStore } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";
import { ahead, type Started } from "./ahead.ts";
import { chunk, type Placement } from "./chunk.ts";
import { type EmbeddingCache, embed } from "./embed.ts";
import { logPhases, type PhaseClock, phaseClock } from "./phases.ts";

/** The registry's part in an ingest: it alone says which version of a document is visible. */
export interface Ledger {
  /** Registers the version before anything of it is stored; `unchanged` when the same content is already visible. */
  begin(file: SourceFile, request: IngestRequest, fingerprint: string): Placement & { readonly state: "added" | "updated" | "unchanged" };
  /** Makes the version visible and hides the one before it, in one transaction. */
  ready(
    versionId: string,
    facts: { readonly title: string; readonly pages: number; readonly chunks: number; readonly tokens: number },
  ): void;
  /** Versions whose chunks are in the store but must not be: superseded, abandoned, forgotten. */
  stale(collection: string): readonly string[];
  removed(versionIds: readonly string[]): void;
  failed(versionId: string): void;
}

export interface IngestDrivers {
  readonly files: (request: IngestRequest, run: Run) => Promise<{ readonly total: number; readonly flow: Flow<SourceFile> }>;
  readonly parse: (file: SourceFile, signal: AbortSignal) => Promise<ParsedDocument>;
  /** Documents parsed ahead of the embedder. */
  readonly parseAhead: number;
  readonly chunker: Chunker;
  readonly embedder: Embedder;
  readonly cache: EmbeddingCache;
  readonly vectors: VectorStore;
  readonly ledger: Ledger;
}

/** Chunks that are embedded and stored together; documents are filled into it one after the other. */
const batchChunks = 128;

interface Waiting {
  readonly file: SourceFile;
  readonly placement: Placement & { readonly state: "added" | "updated" | "unchanged" };
  readonly document: ParsedDocument | undefined;
}

interface Open {
  readonly item: Waiting;
  readonly document: ParsedDocument;
  chunks: number;
  tokens: number;
  pending: number;
}

/** request → stored, visible chunks; one event per file as it ends, then the report */
export async function* ingest(request: IngestRequest, drivers: IngestDrivers, run: Run): AsyncGenerator<IngestEvent> {
  const clock = phaseClock();
  const fingerprint = `${drivers.embedder.fingerprint}/${drivers.chunker.id}`;
  const reports: FileReport[] = [];
  let fromCache = 0;
  let peakRssBytes = 0;
  const watchMemory = setInterval(() => {
    peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
  }, 200);
  try {
    const { total, flow } = await clock.time("read", () => drivers.files(request, run));
    const end = (file: FileReport): IngestEvent => ({ type: "file-end", file, done: reports.push(file), total });
    await sweep(request.collection, drivers, clock);
    let queue: { readonly open: Open; readonly chunk: Chunk }[] = [];
    const flush = async function* (rest: boolean): AsyncGenerator<IngestEvent> {
      while (queue.length >= batchChunks || (rest && queue.length > 0)) {
        const batch = queue.slice(0, batchChunks);
        queue = queue.slice(batchChunks);
        const embedded = await clock.time("embed", () =>
          embed(
            batch.map((entry) => entry.chunk),
            drivers.embedder,
            drivers.cache,
            run,
          ),
        );
        fromCache += embedded.fromCache;
        clock.count("embed", { chunks: batch.length, tokens: embedded.tokens });
        await clock.time("store", () => drivers.vectors.write(request.collection, embedded.chunks));
        clock.count("store", { vectors: batch.length });
        run.signal.throwIfAborted();
        for (const { open } of batch) if (--open.pending === 0) yield end(settle(open, drivers.ledger));
      }
    };
    for await (const resolved of ahead(waiting(flow, request, fingerprint, drivers, clock, run), drivers.parseAhead)) {
      run.signal.throwIfAborted();
      if (isFailure(resolved)) {
        yield end(failureReport(resolved));
        continue;
      }
      if (resolved.document === undefined) {
        yield end(fileReport(resolved.file, "unchanged"));
        continue;
      }
      const document = resolved.document;
      if (document.content.blocks.length === 0) {
        drivers.ledger.failed(resolved.placement.versionId);
        yield end(withoutText(document));
        continue;
      }
      const chunks = await clock.time("chunk", async () =>
        chunk(document, resolved.placement, drivers.chunker, drivers.embedder.tokenizer),
      );
      const open: Open = {
        item: resolved,
        document,
        chunks: chunks.length,
        tokens: chunks.reduce((n, c) => n + c.tokenCount, 0),
        pending: chunks.length,
      };
      clock.count("chunk", { documents: 1, chunks: open.chunks, tokens: open.tokens });
      if (chunks.length === 0) yield end(settle(open, drivers.ledger));
      for (const part of chunks) queue.push({ open, chunk: part });
      yield* flush(false);
    }
    yield* flush(true);
    await sweep(request.collection, drivers, clock);
    const phases = clock.list();
    logPhases(phases, run);
    const facts = {
      model: drivers.embedder.id,
      provider: drivers.embedder.provider,
      peakRssBytes: Math.max(peakRssBytes, process.memoryUsage.rss()),
    };
    yield {
      type: "ingest-end",
      report: { runId: run.id, collection: request.collection, files: reports, counts: countAll(reports, fromCache), phases, ...facts },
    };
  } finally {
    clearInterval(watchMemory);
  }
}

/** Files to documents; a parse is started as soon as its file is pulled, so that several run ahead of the embedder. */
async function* waiting(
  flow: Flow<SourceFile>,
  request: IngestRequest,
  fingerprint: string,
  drivers: IngestDrivers,
  clock: PhaseClock,
  run: Run,
): AsyncGenerator<Started<Waiting | Failure>> {
  for await (const file of flow) {
    if (isFailure(file)) {
      yield { result: Promise.resolve(file) };
      continue;
    }
    const placement = drivers.ledger.begin(file, request, fingerprint);
    if (placement.state === "unchanged") {
      yield { result: Promise.resolve({ file, placement, document: undefined }) };
      continue;
    }
    const result = clock
      .time("parse", () => drivers.parse(file, run.signal))
      .then((document): Waiting => {
        clock.count("parse", { documents: 1, pages: document.content.pageCount, bytes: file.sizeBytes });
        return { file, placement, document };
      })
      .catch((thrown: unknown): Failure => {
        run.signal.throwIfAborted();
        const error = asRagctlError(thrown);
        if (error.scope === "run") throw error;
        drivers.ledger.failed(placement.versionId);
        return { failed: true, name: file.name, phase: "parse", error };
      });
    yield { result };
  }
}

/** Removes from the store what no visible version owns; what a killed run left behind goes here. */
async function sweep(collection: string, drivers: IngestDrivers, clock: PhaseClock): Promise<void> {
  const versions = drivers.ledger.stale(collection);
  if (versions.length === 0) return;
  await clock.time("sweep", () => drivers.vectors.delete(collection, { field: "versionId", in: versions }));
  drivers.ledger.removed(versions);
}

function settle(open: Open, ledger: Ledger): FileReport {
  const { content } = open.document;
  ledger.ready(open.item.placement.versionId, { title: content.title, pages: content.pageCount, chunks: open.chunks, tokens: open.tokens });
  const { state } = open.item.placement;
  return {
    ...fileReport(open.item.file, state),
    reason: content.warnings.join("; "),
    pages: content.pageCount,
    chunks: open.chunks,
    tokens: open.tokens,
    pagesWithoutText: content.pagesWithoutText,
  };
}

function fileReport(file: { readonly path: string; readonly name: string }, state: FileState): FileReport {
  return { path: file.path, name: file.name, state, code: "", reason: "", pages: 0, chunks: 0, tokens: 0, pagesWithoutText: [] };
}

function failureReport({ name, error }: Failure): FileReport {
  const reason = error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  return { ...fileReport({ path: name, name }, error.code === "SOURCE_UNSUPPORTED" ? "skipped" : "failed"), code: error.code, reason };
}

/** A document of images alone: a failure that counts its pages. */
function withoutText({ file, content: { pageCount, pagesWithoutText } }: ParsedDocument): FileReport {
  const error = new RagctlError("SOURCE_NEEDS_OCR", `${file.name} has ${pageCount} pages and no text layer: they are images`, {
    hint: "run it through OCR first, e.g. `ocrmypdf in.pdf out.pdf`, and ingest the result",
  });
  const report = failureReport({ failed: true, name: file.name, phase: "chunk", error });
  return { ...report, path: file.path, pages: pageCount, pagesWithoutText };
}

function countAll(files: readonly FileReport[], embeddedFromCache: number): IngestReport["counts"] {
  const counts = {
    added: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failed: 0,
    chunks: 0,
    tokens: 0,
    pages: 0,
    pagesNeedingOcr: 0,
    embeddedFromCache,
  };
  for (const file of files) {
    counts[file.state] += 1;
    counts.chunks += file.chunks;
    counts.tokens += file.tokens;
    counts.pages += file.pages;
    counts.pagesNeedingOcr += file.pagesWithoutText.length;
  }
  return counts;
}
