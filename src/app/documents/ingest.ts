import { caller } from "../../config/caller.ts";
import type { Settings } from "../../config/settings.ts";
import type { IngestEvent, IngestReport, IngestRequest } from "../../core/app.ts";
import type { GivenSizes } from "../../core/documents/chunk-sizes.ts";
import type { IngestEstimate } from "../../core/documents/estimate.ts";
import { asRagctlError, isLimit, RagctlError } from "../../core/errors.ts";
import { isFailure } from "../../core/flow.ts";
import { lazy } from "../../core/lazy.ts";
import type { Run } from "../../core/run.ts";
import { createChunker } from "../../drivers/chunkers/by-preset.ts";
import type { ParserPool } from "../../drivers/parsers/process/pool.ts";
import { documentTitle } from "../../pipeline/ingest/chunk.ts";
import { type IngestDrivers, type IngestTally, ingest } from "../../pipeline/ingest/ingest.ts";
import type { Ledger } from "../../pipeline/ingest/ledger.ts";
import { type Candidate, listSources, readSources } from "../../pipeline/ingest/read.ts";
import { createIngestScope } from "../../pipeline/ingest/scope.ts";
import type { WrittenStore } from "../../registry/documents/contents.ts";
import type { RunDocuments } from "../../registry/documents/documents.ts";
import { createSeenFileRepository, type SeenFiles } from "../../registry/documents/seen-files.ts";
import type { IngestRun } from "../../registry/history/runs.ts";
import {
  createParseTimer,
  estimateIngestDuration,
  type ParseMeter,
  recordIngestDuration,
  sizedFile,
} from "../budget/estimate.ts";
import {
  createSourceReaders,
  declaredExtensions,
  parseCached,
  parserFingerprint,
} from "../engines/parsers.ts";
import type { Home } from "../home.ts";
import { ingestRecord, startTiming, unfinishedIngest } from "../records.ts";
import { createMissingVectorLookup, type LostLookup } from "./lost.ts";
import { fileCollection, readersOf } from "./placement.ts";

/** Names that ragctl reserves in a store: messages of rooms, and collections that are being re-embedded. */
const reserved = /^(?:audit_)?chat_messages|__/;

/** The resources of an ingest into one collection. */
export interface OpenedIngest extends IngestDrivers, AsyncDisposable {
  /** Finds contents that the registry lists and the store lacks: their files are ingested again. */
  readonly lost: LostLookup;
  /** How long its files were parsed. */
  readonly meter: ParseMeter;
  /** Takes the row of the ingest in place of the history, where it is part of a run that leaves its own. */
  readonly keep?: (row: IngestRun) => Promise<void>;
  files(request: IngestRequest, run: Run): Promise<ListedFiles>;
}

/** The files to ingest; `listed` where they were listed for this ingest only. */
interface ListedFiles extends Awaited<ReturnType<IngestDrivers["files"]>> {
  readonly listed?: readonly Candidate[];
}

/**
 * Opens the resources of an ingest into the request's collection; model and store open with the first unknown
 * document. An existing collection keeps its model. The caller closes given parsers.
 * @throws FINGERPRINT_MISMATCH, USAGE_INVALID
 */
export async function openIngest(
  request: IngestRequest,
  home: Home,
  run: Run,
  parsers?: ParserPool,
): Promise<OpenedIngest> {
  checkName(request.collection);
  const { settings, collections, documents } = home;
  const existing = await collections.find(request.collection);
  const facts = await home.embedders.facts(existing?.embedder, existing?.name);
  const { id, maxTokens, ...spec } = facts;
  const record = { ...spec, name: request.collection, instance: request.instance, embedder: id };
  await collections.check(record);
  const storeName = existing?.storeName ?? request.collection;
  const lost = createMissingVectorLookup(request.collection, documents, async () =>
    home.collectionStore(request.instance),
  );
  const cache = await home.cache();
  const pool = parsers ?? createSourceReaders(settings);
  const meter = createParseTimer();
  const sizes = clampChunkSizes(settings, facts, run.log);
  const chunker = await chunkerOf({ ...settings.chunk, ...sizes }, maxTokens);
  const owned = documents.forRun();
  return {
    files: (asked, asking) => filesOf(asked, home, asking),
    meter,
    parse(file, signal) {
      meter.saw(file);
      return parseCached(file, settings, cache, () => meter.time(file, () => pool.parse(file, signal)));
    },
    parseAhead: pool.workers + 1,
    chunker,
    fingerprint: `${spec.fingerprint}/${chunker.id}/${parserFingerprint(settings)}`,
    model: { id, fingerprint: spec.fingerprint },
    embedder: home.embedders.of(id, existing?.name),
    cache: cache.embeddings,
    // Bound to the present store: the registry refuses chunks that were written to one replaced meanwhile.
    vectors: lazy(async () => {
      const store = await home.store(request.instance);
      await store.ensure({ ...spec, name: storeName }, run.signal);
      // Only here: a collection must have a store before it is registered, else it could not be searched.
      if ((await collections.find(request.collection)) === undefined) {
        await collections.ensure(record);
        const isOfOneFile = record.name.startsWith(fileCollection(""));
        const readers =
          (await home.access.principal(run)).kind === "owner" ? await readersOf(record, home) : undefined;
        if (readers !== undefined && !isOfOneFile) run.log.warn(readers);
      } else await collections.check(record);
      return { ...store, write: (_, chunks) => store.write(storeName, chunks) };
    }),
    discard: async (contentIds) => {
      const now = await collections.find(request.collection);
      if (now === undefined) return;
      const store = await home.collectionStore(now.instance);
      await store.delete(request.collection, { field: "versionId", in: contentIds });
    },
    ledger: seenLedger(
      owned,
      createSeenFileRepository(home.registry),
      { instance: request.instance, storeName },
      lost,
    ),
    lost,
    async [Symbol.asyncDispose]() {
      await owned[Symbol.asyncDispose]();
      if (parsers === undefined) await pool[Symbol.asyncDispose]();
    },
  };
}

/** The chunker of the settings, whose chunks the model reads whole. */
function chunkerOf(chunk: Settings["chunk"], modelTokens: number): ReturnType<typeof createChunker> {
  // A size in tokens holds for every format.
  const isSized = chunk.preset === "hybrid" && chunk.size > 0;
  const maxTokens = Math.min(isSized ? chunk.size : chunk.maxTokens, modelTokens);
  const minTokens = Math.min(chunk.minTokens, maxTokens / 2);
  const window = isSized ? { windowTokens: maxTokens } : {};
  return createChunker(chunk.preset, chunk, { maxTokens, minTokens, ...window, titleOf: documentTitle });
}

/**
 * Size and overlap of the settings; a size in tokens that the model would cut off is lowered, with a warning,
 * and with it an overlap of more than its half.
 */
export function clampChunkSizes(
  { chunk }: Settings,
  { id, maxTokens }: { readonly id: string; readonly maxTokens: number },
  log: Pick<Run["log"], "warn">,
): GivenSizes {
  const isInTokens = chunk.preset === "hybrid" || chunk.preset === "window";
  if (!isInTokens || chunk.size <= maxTokens) return chunk;
  log.warn(`chunks have at most ${maxTokens} tokens, not ${chunk.size} (chunk.size): ${id} reads no more`);
  return { size: maxTokens, overlap: Math.min(chunk.overlap, Math.floor(maxTokens / 2)) };
}

function checkName(collection: string): void {
  if (/^[a-z][a-z0-9_]{0,62}$/.test(collection) && !reserved.test(collection)) return;
  throw new RagctlError("USAGE_INVALID", `"${collection}" is not a valid collection name`, {
    hint: "use a lowercase letter followed by up to 62 lowercase letters, digits and underscores; chat_messages… and __ are reserved",
  });
}

async function filesOf(
  { paths }: Pick<IngestRequest, "paths">,
  { settings, access }: Home,
  run: Run,
): Promise<ListedFiles> {
  const { maxBytes } = settings.parse;
  // Folders hold what nobody reads, such as packages, and say so themselves.
  const scope = createIngestScope({ include: [], exclude: [] });
  const options = {
    cwd: caller().cwd,
    maxBytes,
    refuse: await access.refusal(run),
    scope,
    namesIgnored: true,
  };
  const files = await listSources(paths, options, run.signal);
  return {
    total: files.length,
    listed: files.filter((file): file is Candidate => !isFailure(file)),
    flow: readSources(files, run, declaredExtensions(settings)),
  };
}

/**
 * Ingests and records the run, however it ends; the caller closes `opened`.
 * @throws PERMISSION_DENIED for a path the run's principal may not ingest
 */
export async function* ingestFiles(
  request: IngestRequest,
  home: Home,
  run: Run,
  opened?: OpenedIngest,
): AsyncGenerator<IngestEvent> {
  for (const path of request.paths) await home.access.source(run, path);
  const timing = await startTiming(home);
  // A principal may be named by its id or in another case; its runs are found by its name.
  const recorded: Run = { ...run, principal: (await home.access.principal(run)).name };
  const since = performance.now();
  const drivers = opened ?? (await openIngest(request, home, run));
  let tally: IngestTally = { files: [], phases: [], peakRssBytes: 0 };
  let failure: RagctlError | undefined;
  let whole = false;
  const keep = drivers.keep ?? home.runs.record;
  const sofar = (): IngestRun =>
    unfinishedIngest(tally, failure, request, recorded, { ...timing, model: drivers.model.id });
  // Leaves a row that says so should the process be killed.
  await keep({ ...sofar(), durationMs: 0, process: await home.process() });
  try {
    const files = lazy(() => drivers.files(request, run));
    const estimate =
      request.estimate === true
        ? await estimateOf((await files()).listed ?? [], request, drivers, home)
        : undefined;
    if (estimate !== undefined) yield { type: "estimate", estimate };
    const finish = async (report: IngestReport): Promise<IngestEvent> => {
      whole = true;
      const settled = await home.registry.writeBehind(async () => {
        await keep(ingestRecord(report, request, recorded, timing));
        return recordIngestDuration(report, drivers.meter, performance.now() - since, estimate, home);
      });
      return {
        type: "ingest-end",
        report: settled === undefined ? report : { ...report, estimate: settled },
      };
    };
    for await (const event of ingest(request, { ...drivers, files }, run, (end) => {
      tally = end;
    }))
      yield event.type === "ingest-end" ? await finish(event.report) : event;
  } catch (error) {
    failure = asRagctlError(error);
    throw error;
  } finally {
    if (opened === undefined) await drivers[Symbol.asyncDispose]();
    if (!whole) await keep(sofar());
  }
}

/** Estimates the time for the files that an ingest must read: those that are new or changed. */
async function estimateOf(
  listed: readonly Candidate[],
  { collection, department }: IngestRequest,
  { fingerprint, model }: OpenedIngest,
  home: Home,
): Promise<IngestEstimate> {
  const seen = await createSeenFileRepository(home.registry).below(collection, "");
  const wanted = ingestFingerprint(fingerprint, department);
  const isNew = ({ path, stamp }: Candidate): boolean => {
    const before = seen.get(path);
    return (
      before?.fingerprint !== wanted ||
      before.outcome !== "ready" ||
      before.sizeBytes !== stamp.sizeBytes ||
      before.mtimeMs !== stamp.mtimeMs
    );
  };
  return estimateIngestDuration(listed.filter(isNew).map(sizedFile), model.id, home);
}

/** Embedding, chunking and department: a file that went through the same is not read again untouched. */
export function ingestFingerprint(fingerprint: string, department: string): string {
  return `${fingerprint}/${department}`;
}

/** Errors that come from the moment, not from the file: it is tried again even untouched. */
const passing = new Set(["NOT_FOUND", "SOURCE_CHANGED", "SOURCE_MISSING", "SOURCE_UNREADABLE"]);

/**
 * The registry's documents as an ingest needs them, for chunks that go into one store; files are noted as
 * they end. A file whose content is lost is made again under the ids it has, although the registry knows it.
 */
function seenLedger(
  documents: RunDocuments,
  seen: SeenFiles,
  written: WrittenStore,
  lost: LostLookup,
): Ledger {
  return {
    async begin(file, request, fingerprint) {
      const begun = await documents.begin(file, request, fingerprint);
      const isThere = begun.state === "unchanged" || begun.shared;
      if (isThere && !begun.restored && (await lost.has(begun.contentId)))
        return { ...begun, state: begun.state === "unchanged" ? "updated" : begun.state, shared: false };
      const before = await seen.find(request.collection, file.path);
      const wasGivenUp =
        before?.sha256 === file.sha256 && before.outcome === "failed" && isLimit(before.code);
      return wasGivenUp && begun.state !== "unchanged" ? { ...begun, again: "the whole document" } : begun;
    },
    ready: (versionId, facts) => documents.ready(versionId, facts, written),
    share: documents.share,
    stale: documents.stale,
    removed: documents.removed,
    failed: (versionId) => documents.failed(versionId),
    async seen(file, { collection, department }, fingerprint, { state, code, reason }) {
      if (file.stamp === undefined || passing.has(code)) return;
      const outcome = state === "failed" || state === "skipped" ? state : "ready";
      const facts = {
        path: file.path,
        ...file.stamp,
        sha256: file.sha256,
        fingerprint: ingestFingerprint(fingerprint, department),
      };
      await seen.put(collection, [{ ...facts, outcome, code, reason, seenAtMs: Date.now() }]);
    },
  };
}
