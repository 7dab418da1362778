import type { FileReport, IngestEvent, IngestProgress, IngestRequest } from "../../core/app.ts";
import type { Chunk, Chunker } from "../../core/documents/chunk.ts";
import type { ParsedDocument, SourceFile } from "../../core/documents/document.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import { type Flow, isFailure } from "../../core/flow.ts";
import type { VectorStore } from "../../core/retrieval.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import { logPhases, type PhaseClock, phaseClock } from "../phases.ts";
import { ahead } from "./ahead.ts";
import { chunk } from "./chunk.ts";
import { type EmbeddingCache, embed } from "./embed.ts";
import { countAll, failureReport, fileReport, triedAgain, withoutText } from "./file-report.ts";
import type { Ledger } from "./ledger.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { writeEach } from "./store.ts";

export interface IngestDrivers {
  readonly files: (
    request: IngestRequest,
    run: Run,
  ) => Promise<{ readonly total: number; readonly flow: Flow<SourceFile> }>;
  readonly parse: (file: SourceFile, signal: AbortSignal) => Promise<ParsedDocument>;
  /** Documents parsed ahead of the embedder. */
  readonly parseAhead: number;
  readonly chunker: Chunker;
  /** Changes whenever the same bytes would be stored otherwise: by another model, another cut, another reading. */
  readonly fingerprint: string;
  /** What vectors will come from, known before it is opened. */
  readonly model: { readonly id: string; readonly fingerprint: string };
  readonly embedder: () => Promise<Embedder>;
  readonly cache: EmbeddingCache;
  /** Opened with the first document that has something to store. */
  readonly vectors: () => Promise<VectorStore>;
  /** Removes contents from the store, where there is one. */
  readonly discard: (contentIds: readonly string[]) => Promise<void>;
  readonly ledger: Ledger;
}

/** Chunks that are embedded and stored together; documents are filled into it one after the other. */
const batchChunks = 128;

type Item = Pick<Prepared, "file" | "begun">;

interface Open {
  readonly item: Item;
  readonly document: ParsedDocument;
  readonly chunks: number;
  readonly tokens: number;
  pending: number;
}

/** What an ingest leaves in the registry however it ends. */
export interface IngestTally {
  readonly files: readonly FileReport[];
  readonly phases: readonly PhaseMetrics[];
  readonly peakRssBytes: number;
}

/** request → stored, visible chunks; one event per file as it ends, then the report. `onEnd` learns what was done however it ends. */
export async function* ingest(
  request: IngestRequest,
  drivers: IngestDrivers,
  run: Run,
  onEnd: (tally: IngestTally) => void = () => undefined,
): AsyncGenerator<IngestEvent> {
  const clock = phaseClock();
  const { fingerprint } = drivers;
  const reports: FileReport[] = [];
  /** Versions begun here and not yet at their end. */
  const begun = new Set<string>();
  /** Content → files that wait for it to be made. */
  const sharers = new Map<string, Item[]>();
  /** Content → why it could not be made. */
  const lost = new Map<string, FileReport>();
  const startedMs = performance.now();
  let fromCache = 0;
  let provider = "";
  let peakRssBytes = 0;
  const watchMemory = setInterval(() => {
    peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
  }, 200);
  const ledger: Ledger = {
    ...drivers.ledger,
    begin(file, of, by) {
      const one = drivers.ledger.begin(file, of, by);
      if (one.state !== "unchanged") begun.add(one.versionId);
      return one;
    },
    failed(versionId) {
      drivers.ledger.failed(versionId);
      begun.delete(versionId);
    },
  };
  try {
    const { total, flow } = await clock.time("read", () => drivers.files(request, run));
    const sums = { pages: 0, chunks: 0 };
    const progress = (): IngestProgress => {
      const left = total - reports.length;
      return {
        ...sums,
        etaMs: reports.length === 0 ? null : ((performance.now() - startedMs) / reports.length) * left,
      };
    };
    const end = (file: FileReport, source?: SourceFile): IngestEvent => {
      reports.push(file);
      sums.pages += file.pages;
      sums.chunks += file.chunks;
      if (source !== undefined) drivers.ledger.seen?.(source, request, fingerprint, file);
      return { type: "file-end", file, done: reports.length, total, progress: progress() };
    };
    /** The file that made a content, then those that waited for it. */
    const settle = function* (item: Item, outcome: FileReport): Generator<IngestEvent> {
      const report = triedAgain(outcome, item.begun.again);
      begun.delete(item.begun.versionId);
      if (report.state !== "added" && report.state !== "updated") lost.set(item.begun.contentId, report);
      yield end(report, item.file);
      for (const sharer of sharers.get(item.begun.contentId) ?? []) yield* shareOne(sharer);
      sharers.delete(item.begun.contentId);
    };
    const shareOne = function* (item: Item): Generator<IngestEvent> {
      const { versionId, contentId, state } = item.begun;
      const facts = ledger.share(versionId);
      const failed = lost.get(contentId);
      if (facts !== undefined) {
        begun.delete(versionId);
        const { pages, chunks, tokens } = facts;
        yield end(
          triedAgain({ ...fileReport(item.file, state), pages, chunks, tokens }, item.begun.again),
          item.file,
        );
      } else if (failed !== undefined) {
        ledger.failed(versionId);
        yield end({ ...failed, path: item.file.path, name: item.file.name }, item.file);
      } else sharers.set(contentId, [...(sharers.get(contentId) ?? []), item]);
    };
    await sweep(request.collection, drivers, clock);
    let queue: { readonly open: Open; readonly chunk: Chunk }[] = [];
    const flush = async function* (rest: boolean): AsyncGenerator<IngestEvent> {
      while (queue.length >= batchChunks || (rest && queue.length > 0)) {
        const batch = queue.slice(0, batchChunks);
        queue = queue.slice(batchChunks);
        const chunks = batch.map((entry) => entry.chunk);
        const embedded = await clock.time("embed", async () =>
          embed(chunks, await drivers.embedder(), drivers.cache, run),
        );
        fromCache += embedded.fromCache;
        clock.count("embed", { chunks: batch.length, tokens: embedded.tokens });
        const refused = await clock.time("store", async () => {
          const store = await drivers.vectors();
          return writeEach(embedded.chunks, (some) => store.write(request.collection, some));
        });
        clock.count("store", { vectors: batch.filter(({ chunk }) => !refused.has(chunk.versionId)).length });
        run.signal.throwIfAborted();
        queue = queue.filter(({ chunk }) => !refused.has(chunk.versionId));
        for (const [versionId, { open }] of new Map(batch.map((entry) => [entry.chunk.versionId, entry]))) {
          open.pending -= chunks.filter((chunk) => chunk.versionId === versionId).length;
          const error = refused.get(versionId);
          if (error === undefined && open.pending > 0) continue;
          yield* settle(
            open.item,
            error === undefined ? publish(open, ledger) : refusal(open.item, error, ledger),
          );
        }
      }
    };
    for await (const resolved of ahead(
      prepare(flow, request, fingerprint, { ...drivers, ledger }, clock, run),
      drivers.parseAhead,
    )) {
      run.signal.throwIfAborted();
      if (isFailure(resolved)) {
        yield end(failureReport(resolved));
      } else if (resolved.begun.state === "unchanged") {
        yield end(fileReport(resolved.file, "unchanged"), resolved.file);
      } else if (resolved.document instanceof RagctlError) {
        const { file, begun: version, document: error } = resolved;
        ledger.failed(version.versionId);
        yield* settle(
          resolved,
          failureReport({ failed: true, name: file.name, path: file.path, phase: "parse", error }),
        );
      } else if (resolved.document === undefined) {
        yield* shareOne(resolved);
      } else if (resolved.document.content.blocks.length === 0) {
        ledger.failed(resolved.begun.versionId);
        yield* settle(resolved, withoutText(resolved.document));
      } else if (
        resolved.begun.again !== undefined &&
        resolved.document.content.omitted === resolved.begun.again
      ) {
        // The visible version holds the same.
        ledger.failed(resolved.begun.versionId);
        yield* settle(resolved, {
          ...fileReport(resolved.file, "unchanged"),
          reason: resolved.document.content.warnings.join("; "),
        });
      } else {
        const { document } = resolved;
        const { tokenizer, provider: where } = await clock.time("load", drivers.embedder);
        provider = where;
        const { documentId, contentId: versionId, collection, department } = resolved.begun;
        const place = { documentId, versionId, collection, department };
        const chunks = await clock.time("chunk", async () =>
          chunk(document, place, drivers.chunker, tokenizer),
        );
        const tokens = chunks.reduce((sum, one) => sum + one.tokenCount, 0);
        const open: Open = {
          item: resolved,
          document,
          chunks: chunks.length,
          tokens,
          pending: chunks.length,
        };
        clock.count("chunk", { documents: 1, chunks: open.chunks, tokens });
        if (chunks.length === 0) yield* settle(resolved, publish(open, ledger));
        for (const part of chunks) queue.push({ open, chunk: part });
        yield* flush(false);
      }
    }
    yield* flush(true);
    for (const item of [...sharers.values()].flat()) {
      ledger.failed(item.begun.versionId);
      yield end(failureReport({ failed: true, ...item.file, phase: "store", error: busy(item.file.name) }));
    }
    await sweep(request.collection, drivers, clock);
    const phases = clock.list();
    logPhases(phases, run);
    const facts = {
      model: drivers.model.id,
      provider,
      peakRssBytes: Math.max(peakRssBytes, process.memoryUsage.rss()),
    };
    const report = {
      runId: run.id,
      collection: request.collection,
      files: reports,
      counts: countAll(reports, fromCache),
      phases,
      ...facts,
    };
    yield { type: "ingest-end", report };
  } finally {
    clearInterval(watchMemory);
    // What was begun and cannot be finished by this run must not wait for its process to end: it may live on.
    abandon(begun, drivers.ledger, run);
    onEnd({
      files: reports,
      phases: clock.list(),
      peakRssBytes: Math.max(peakRssBytes, process.memoryUsage.rss()),
    });
  }
}

/** Removes from the store what no version needs; what a killed run left behind goes here. */
async function sweep(
  collection: string,
  { ledger, discard }: IngestDrivers,
  clock: PhaseClock,
): Promise<void> {
  const contents = ledger.stale(collection);
  if (contents.length === 0) return;
  await clock.time("sweep", () => discard(contents));
  ledger.removed(contents);
}

function publish(open: Open, ledger: Ledger): FileReport {
  const { content } = open.document;
  const { file, begun } = open.item;
  const omitted = content.omitted === undefined ? {} : { omitted: content.omitted };
  ledger.ready(begun.versionId, {
    title: content.title,
    pages: content.pageCount,
    chunks: open.chunks,
    tokens: open.tokens,
    ...omitted,
  });
  return {
    ...fileReport(file, begun.state),
    reason: [...(file.misnamed === undefined ? [] : [file.misnamed]), ...content.warnings].join("; "),
    pages: content.pageCount,
    chunks: open.chunks,
    tokens: open.tokens,
    pagesWithoutText: content.pagesWithoutText,
  };
}

/** A document the store does not take: what of it was stored goes with the next sweep. */
function refusal({ file, begun }: Item, error: RagctlError, ledger: Ledger): FileReport {
  ledger.failed(begun.versionId);
  return failureReport({ failed: true, name: file.name, path: file.path, phase: "store", error });
}

/** Another run of this process makes the same content, or it was removed a moment ago. */
function busy(name: string): RagctlError {
  return new RagctlError(
    "REGISTRY_BUSY",
    `the content of ${name} is being stored or removed by another run`,
    {
      hint: "run the command again in a moment",
    },
  );
}

function abandon(versionIds: Iterable<string>, ledger: Ledger, run: Run): void {
  try {
    for (const versionId of versionIds) ledger.failed(versionId);
  } catch (error) {
    // The error that ended the run says more; what stays is swept once this process is gone.
    run.log.warn(
      `unfinished documents could not be given up: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
