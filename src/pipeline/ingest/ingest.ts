import type { FileReport, IngestEvent, IngestRequest } from "../../core/app.ts";
import type { ParsedDocument, SourceFile } from "../../core/documents/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { type Flow, isFailure } from "../../core/flow.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import { logPhases, type PhaseClock, phaseClock } from "../phases.ts";
import {
  failureReport,
  fileReport,
  isAbsent,
  needsOcrReport,
  removedReport,
  sumCounts,
  withRetries,
} from "./file-report.ts";
import { type Ledger, trackVersions } from "./ledger.ts";
import { prefetch } from "./prefetch.ts";
import { type BegunFile, type Prepared, prepare } from "./prepare.ts";
import { createStoreWriter, type Made, type Storing, type StoringDrivers } from "./store.ts";

export interface IngestDrivers extends StoringDrivers {
  readonly files: (
    request: IngestRequest,
    run: Run,
  ) => Promise<{ readonly total: number; readonly flow: Flow<SourceFile> }>;
  readonly parse: (file: SourceFile, signal: AbortSignal) => Promise<ParsedDocument>;
  /** Documents parsed ahead of the embedder. */
  readonly parseAhead: number;
  /** Changes whenever the same bytes would be stored differently: another model, chunking or parser. */
  readonly fingerprint: string;
  /** The embedding model, known before it is opened. */
  readonly model: { readonly id: string; readonly fingerprint: string };
  /** Removes contents from the store, if it exists. */
  readonly discard: (contentIds: readonly string[]) => Promise<void>;
}

/** What an ingest records in the registry, however it ends. */
export interface IngestTally {
  readonly files: readonly FileReport[];
  readonly phases: readonly PhaseMetrics[];
  readonly peakRssBytes: number;
}

/**
 * request → stored, visible chunks; one event per finished file, then the report. `onEnd` gets the tally
 * however the run ends.
 */
export async function* ingest(
  request: IngestRequest,
  drivers: IngestDrivers,
  run: Run,
  onEnd: (tally: IngestTally) => void = () => undefined,
): AsyncGenerator<IngestEvent> {
  const { collection } = request;
  const { fingerprint } = drivers;
  const clock = phaseClock();
  const memory = watchMemory();
  const ledger = trackVersions(drivers.ledger);
  const tracked = { ...drivers, ledger };
  const storing = createStoreWriter(collection, tracked, clock, run);
  const files: FileReport[] = [];
  const startedMs = performance.now();
  try {
    const { total, flow } = await clock.time("read", () => drivers.files(request, run));
    clock.count("read", { files: total });
    yield { type: "files-found", total };
    const fileEnd = fileEvents(total, startedMs);
    await sweep(collection, drivers, clock);
    const prepared = prefetch(prepare(flow, request, fingerprint, tracked, clock, run), drivers.parseAhead);
    for await (const { report, file } of endings(prepared, storing, ledger, run)) {
      files.push(report);
      if (file !== undefined) await ledger.seen?.(file, request, fingerprint, report);
      yield fileEnd(report);
    }
    await sweep(collection, drivers, clock);
    const phases = clock.list();
    logPhases(phases, run);
    const { provider, embeddedFromCache } = storing.totals();
    const report = {
      runId: run.id,
      collection,
      files,
      counts: sumCounts(files, embeddedFromCache),
      phases,
      model: drivers.model.id,
      provider,
      peakRssBytes: memory.peakRssBytes(),
    };
    yield { type: "ingest-end", report };
  } finally {
    memory.stop();
    await ledger.abandon(run);
    onEnd({ files, phases: clock.list(), peakRssBytes: memory.peakRssBytes() });
  }
}

/**
 * Result of a file; `file` is set if its content was examined, so that the registry can record the outcome.
 */
interface Ended {
  readonly report: FileReport;
  readonly file?: SourceFile;
}

/** Prepared files → their results, immediately or once their own or shared content is stored. */
async function* endings(
  prepared: Flow<Prepared>,
  storing: Storing,
  ledger: Ledger,
  run: Run,
): AsyncGenerator<Ended> {
  const sharing = openSharing(ledger);
  for await (const one of prepared) {
    run.signal.throwIfAborted();
    if (isFailure(one)) yield { report: failureReport(one) };
    else if (one.begun.state === "unchanged")
      yield { report: fileReport(one.file, "unchanged"), file: one.file };
    else if (one.document === undefined) yield* sharing.join(one);
    else for await (const made of make(one, one.document, storing, ledger)) yield* sharing.settle(made);
  }
  for await (const made of storing.rest()) yield* sharing.settle(made);
  yield* sharing.giveUp();
}

/** Stores a document, or abandons its version if there is nothing to store. */
async function* make(
  maker: BegunFile,
  document: ParsedDocument | RagctlError,
  storing: Storing,
  ledger: Ledger,
): AsyncGenerator<Made> {
  const { file, begun } = maker;
  const giveUp = async (report: FileReport): Promise<Made> => {
    await ledger.failed(begun.versionId);
    return { maker, report };
  };
  if (document instanceof RagctlError) {
    yield await giveUp(failureReport({ ...file, error: document }));
    return;
  }
  const { blocks, omitted, warnings } = document.content;
  if (blocks.length === 0) yield await giveUp(needsOcrReport(document));
  // If the same parts were left out again, the visible version is identical.
  else if (begun.again !== undefined && omitted === begun.again)
    yield await giveUp({ ...fileReport(file, "unchanged"), reason: warnings.join("; ") });
  else yield* storing.add(maker, document);
}

/** Files with the same content: the first one stores it, the others wait. */
interface Sharing {
  /** Ends the file that stored a content, then those that waited for it. */
  settle(made: Made): AsyncGenerator<Ended>;
  /** Ends a file whose content was already stored or failed; otherwise it waits. */
  join(sharer: BegunFile): AsyncGenerator<Ended>;
  /** Ends files whose content was not stored in this run. */
  giveUp(): AsyncGenerator<Ended>;
}

function openSharing(ledger: Ledger): Sharing {
  /** Content → files waiting for it to be stored. */
  const waiting = new Map<string, BegunFile[]>();
  /** Content → why it could not be stored. */
  const lost = new Map<string, FileReport>();
  const join = async function* (sharer: BegunFile): AsyncGenerator<Ended> {
    const { file, begun } = sharer;
    const facts = await ledger.share(begun.versionId);
    const failed = lost.get(begun.contentId);
    if (facts === "forgotten" || facts === "gone") yield { report: removedReport(file, facts), file };
    else if (facts !== undefined) {
      const { pages, chunks, tokens } = facts;
      const report = { ...fileReport(file, begun.state), pages, chunks, tokens };
      yield { report: withRetries(report, begun.again), file };
    } else if (failed !== undefined) {
      await ledger.failed(begun.versionId);
      yield { report: { ...failed, path: file.path, name: file.name }, file };
    } else {
      const others = waiting.get(begun.contentId);
      if (others === undefined) waiting.set(begun.contentId, [sharer]);
      else others.push(sharer);
    }
  };
  return {
    join,
    async *settle({ maker: { file, begun }, report: outcome }) {
      const report = withRetries(outcome, begun.again);
      const isMade = report.state === "added" || report.state === "updated";
      // The removal of one document does not affect its copies: they wait for another file that stores the
      // content.
      if (!isMade && !isAbsent(report)) lost.set(begun.contentId, report);
      yield { report, file };
      const sharers = waiting.get(begun.contentId) ?? [];
      waiting.delete(begun.contentId);
      for (const sharer of sharers) yield* join(sharer);
    },
    async *giveUp() {
      for (const { file, begun } of [...waiting.values()].flat()) {
        await ledger.failed(begun.versionId);
        yield { report: failureReport({ ...file, error: busy(file.name) }) };
      }
    },
  };
}

/** Turns reports into progress events. */
function fileEvents(total: number, startedMs: number): (file: FileReport) => IngestEvent {
  let done = 0;
  let pages = 0;
  let chunks = 0;
  return (file) => {
    done += 1;
    pages += file.pages;
    chunks += file.chunks;
    const etaMs = ((performance.now() - startedMs) / done) * (total - done);
    return { type: "file-end", file, done, total, progress: { pages, chunks, etaMs } };
  };
}

/** Tracks the memory of this process until stopped. */
function watchMemory(): { readonly peakRssBytes: () => number; readonly stop: () => void } {
  let peakRssBytes = 0;
  const measure = (): number => {
    peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
    return peakRssBytes;
  };
  const timer = setInterval(measure, 200);
  return { peakRssBytes: measure, stop: () => clearInterval(timer) };
}

/** Removes from the store what no version needs, including remains of a killed run. */
async function sweep(
  collection: string,
  { ledger, discard }: IngestDrivers,
  clock: PhaseClock,
): Promise<void> {
  const contents = await ledger.stale(collection);
  if (contents.length === 0) return;
  await clock.time("sweep", () => discard(contents));
  await ledger.removed(contents);
}

/** Whatever was to store the content here failed, or it was just removed. */
function busy(name: string): RagctlError {
  return new RagctlError(
    "REGISTRY_BUSY",
    `the content of ${name} is being stored or removed by another run`,
    {
      hint: "run the command again in a moment",
    },
  );
}
