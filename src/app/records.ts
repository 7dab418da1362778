import type { Answer, Citation } from "../core/answers/answer.ts";
import type { ReplayRecord } from "../core/answers/replay.ts";
import type { IngestReport, IngestRequest } from "../core/app.ts";
import { asRagctlError, RagctlError } from "../core/errors.ts";
import type { PhaseMetrics, Run } from "../core/run.ts";
import { sumCounts } from "../pipeline/ingest/file-report.ts";
import type { IngestTally } from "../pipeline/ingest/ingest.ts";
import type { AskRun, ConversationRow, IngestRun, RunOwner, RunRecord } from "../registry/history/runs.ts";
import { sanitizeForMessage } from "../registry/rows.ts";
import {
  collectionSource,
  type MessageReader,
  messageReader,
  supplementarySources,
} from "./answer-sources.ts";
import type { Home } from "./home.ts";
import { stateOf } from "./run-process.ts";

/** How a run ended; `interrupted`: its process was gone before that. */
export type RunState = Awaited<ReturnType<typeof stateOf>>;

/** A run as `ragctl logs` shows it. */
export interface RunView {
  readonly id: string;
  readonly kind: "ingest" | "ask";
  /** Name of the principal it ran for. */
  readonly principal: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Of one that runs until now; 0 for one that was interrupted. */
  readonly durationMs: number;
  /** What it was about, in one line. */
  readonly summary: string;
  readonly state: RunState;
  /** What ended a run that did not complete. */
  readonly error: RunRecord["error"];
  /** Null for an ingest. */
  readonly answer:
    | (Pick<AskRun, "question" | "response" | "verdict" | "citations"> & AskRun["beside"])
    | null;
  readonly phases: readonly PhaseMetrics[];
}

/** What past runs left; a principal sees its own, the owner all. */
export interface RunLogs {
  /** Newest first. */
  runRecords(limit: number, run: Run): Promise<readonly RunView[]>;
  /** @throws NOT_FOUND */
  runRecord(reference: string, run: Run): Promise<RunView>;
  /** The principal's own conversations, the owner's too, the last asked in first. */
  conversations(limit: number, run: Run): Promise<readonly ConversationRow[]>;
  /** The newest questions of one of them, oldest first. @throws NOT_FOUND */
  conversation(id: string, run: Run): Promise<readonly RunView[]>;
}

type LogsHome = Pick<Home, "access" | "agents" | "tools" | "collections" | "runs" | "registry">;

/** The part of past runs that a principal sees. */
export interface RunLimits extends Pick<MessageReader, "reads"> {
  /** Whose runs. */
  readonly of: RunOwner;
}

/** The limits of the run's principal on past runs by the present rules; null for the owner, who sees all. */
export async function runVisibility(
  home: Omit<LogsHome, "runs" | "registry">,
  run: Run,
): Promise<RunLimits | null> {
  const of = await home.access.principal(run);
  if (of.kind === "owner") return null;
  return { of, reads: (await messageReader(home, [], run)).reads };
}

/** Newest questions of a conversation that are shown. */
const mostQuestions = 100;

/** Access to the logs of a home. */
export function createRunLogs(home: LogsHome): RunLogs {
  const { runs, registry } = home;
  const view = async (record: RunRecord, limits: RunLimits | null): Promise<RunView> => {
    const shown = await runView(record, limits, await stateOf(record, registry));
    if (shown.state !== "running") return shown;
    return { ...shown, durationMs: Math.max(0, (await registry.now()) - Date.parse(record.startedAt)) };
  };
  return {
    async runRecords(limit, run) {
      const limits = await runVisibility(home, run);
      const filter = limits === null ? { limit } : { limit, of: limits.of };
      return Promise.all((await runs.list(filter)).map((record) => view(record, limits)));
    },
    async runRecord(reference, run) {
      const limits = await runVisibility(home, run);
      return view(await runs.get(reference, limits?.of), limits);
    },
    conversations: async (limit, run) => runs.conversations(await home.access.principal(run), limit),
    async conversation(id, run) {
      const limits = await runVisibility(home, run);
      const asked = await runs.list({
        conversation: id,
        of: await home.access.principal(run),
        limit: mostQuestions,
      });
      if (asked.length === 0)
        throw new RagctlError("NOT_FOUND", `there is no conversation "${sanitizeForMessage(id)}"`, {
          hint: "GET /v1/conversations lists yours",
        });
      return Promise.all(asked.toReversed().map((record) => view(record, limits)));
    },
  };
}

/** Facts every run carries: when, how long, what program. */
export interface RunTiming {
  /** By the clock of the registry. */
  readonly startedAt: Date;
  /** `performance.now()` then. */
  readonly startedMs: number;
  readonly programVersion: string;
}

/** The timing of a run that begins now. */
export const startTiming = async ({
  registry,
  programVersion,
}: Pick<Home, "registry" | "programVersion">): Promise<RunTiming> => ({
  startedAt: new Date(await registry.now()),
  startedMs: performance.now(),
  programVersion,
});

/** The registry's row of an ingest that reached its end. */
export function ingestRecord(
  report: IngestReport,
  request: IngestRequest,
  run: Run,
  timing: RunTiming,
): IngestRun {
  const { embeddedFromCache, pagesNeedingOcr, ...counts } = report.counts;
  const { runId: id, model, provider, peakRssBytes, phases, collection, files } = report;
  return {
    ...{ kind: "ingest", state: "completed", error: null, collection, department: request.department, files },
    ...{ ...runFacts({ ...run, id }, timing), model, provider, peakRssBytes, phases },
    counts: { ...counts, embedded_from_cache: embeddedFromCache, pages_needing_ocr: pagesNeedingOcr },
  };
}

/** What every run's row states: who ran it, when, and how long it took until now. */
function runFacts({ id, principal }: Run, { startedAt, startedMs, programVersion }: RunTiming) {
  return {
    id,
    principal,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - startedMs),
    peakRssBytes: process.memoryUsage.rss(),
    programVersion,
  };
}

/** How a run ended that did not complete: stopped, or failed with an error. */
function unfinished(error: RagctlError | undefined, run: Run): Pick<RunRecord, "state" | "error"> {
  return {
    state: run.signal.aborted || error === undefined ? "cancelled" : "failed",
    error: error === undefined ? null : { code: error.code, message: error.message },
  };
}

/** The registry's row of an ingest that was stopped or failed as a whole, with the work done until then. */
export function unfinishedIngest(
  { files, phases, peakRssBytes }: IngestTally,
  error: RagctlError | undefined,
  request: IngestRequest,
  run: Run,
  timing: RunTiming & { readonly model: string },
): IngestRun {
  const { embeddedFromCache: _, pagesNeedingOcr, ...counts } = sumCounts(files, 0);
  const { collection, department } = request;
  return {
    ...{ kind: "ingest", collection, department, files, model: timing.model, provider: "" },
    ...{ ...runFacts(run, timing), ...unfinished(error, run), peakRssBytes, phases },
    counts: { ...counts, embedded_from_cache: 0, pages_needing_ocr: pagesNeedingOcr },
  };
}

/** Operations that change a collection other than by ingest. */
export interface CollectionWork
  extends Pick<IngestRun, "collection" | "department" | "counts">,
    Partial<Pick<IngestRun, "model" | "provider" | "phases" | "files">> {}

type WorkHome = Pick<Home, "access" | "runs" | "process" | "registry" | "programVersion">;

/**
 * Goes through work on a collection and leaves its row, however it ends; killed, it leaves one that says so.
 */
export async function* recordWork<Event, Result>(
  work: AsyncGenerator<Event, Result>,
  sofar: () => CollectionWork,
  home: WorkHome,
  run: Run,
): AsyncGenerator<Event, Result> {
  const timing = await startTiming(home);
  const recorded: Run = { ...run, principal: (await home.access.principal(run)).name };
  const row = (ended: Pick<RunRecord, "state" | "error">): IngestRun => ({
    ...{ kind: "ingest", model: "", provider: "", phases: [], files: [] },
    ...{ ...runFacts(recorded, timing), ...ended, ...sofar() },
  });
  let ended = unfinished(undefined, run);
  await home.runs.record({ ...row(ended), durationMs: 0, process: await home.process() });
  try {
    const result = yield* work;
    ended = { state: "completed", error: null };
    return result;
  } catch (thrown) {
    ended = unfinished(asRagctlError(thrown), run);
    throw thrown;
  } finally {
    await home.runs.record(row(ended));
  }
}

/**
 * As `recordWork`, for work that frees space and reports no progress: on a full disk a failed record is only
 * a warning.
 */
export async function recordRemoval<Result>(
  work: () => Promise<Result>,
  sofar: () => CollectionWork,
  home: WorkHome,
  run: Run,
): Promise<Result> {
  const keep = openHistoryWriter(run, "command");
  const record: Home["runs"]["record"] = (row) => keep(() => home.runs.record(row));
  async function* silent(): AsyncGenerator<never, Result> {
    yield* [];
    return await work();
  }
  const recorded = recordWork(silent(), sofar, { ...home, runs: { ...home.runs, record } }, run);
  return (await recorded.next()).value;
}

/** The registry's row of an answer; a batch writes one per question. */
export function askRecord(
  { agent, model, trace, draft, tools, unavailable, searched, ...answer }: Answer,
  run: Run,
  provider: string,
  replay: ReplayRecord,
  timing: RunTiming,
): AskRun {
  const { phases, query: question, response, verdict, citations } = answer;
  // The text of passages is kept by their documents alone.
  const beside = {
    ...{ agent, model, trace, draft, unavailable, searched: searched && { ...searched, nearest: [] } },
    tools: tools.map((result) => ({ ...result, findings: [] })),
  };
  return {
    ...{ kind: "ask", state: "completed", error: null, model: model ?? "", provider },
    ...{ ...runFacts(run, timing), phases, question, response, verdict, citations, beside, replay },
  };
}

/** The registry's row of a question that was stopped or failed, with what was shown until then. */
export function unfinishedAsk(
  asked: Pick<AskRun, "conversation" | "question" | "response" | "phases" | "beside">,
  error: RagctlError | undefined,
  run: Run,
  timing: RunTiming,
): AskRun {
  return {
    ...{ kind: "ask", model: "", provider: "", verdict: null, citations: [], replay: null },
    ...{ ...runFacts(run, timing), ...unfinished(error, run), ...asked },
  };
}

/**
 * Writes the history of a run that only reads or removes: on a full disk it warns, and the run continues
 * without a record. `what`: its name in the warning.
 */
export function openHistoryWriter(
  run: Run,
  what: "question" | "command",
): (write: () => Promise<void>) => Promise<void> {
  let isWarned = false;
  return async (write) => {
    try {
      await write();
    } catch (thrown) {
      const error = asRagctlError(thrown);
      if (error.code !== "DISK_FULL") throw error;
      if (!isWarned) run.log.warn(`this ${what} was not saved in the history: ${error.message}`);
      isWarned = true;
    }
  };
}

const withheld = "(withheld: it is based on something you may no longer read)";

/** The collections that an answer cites, calculations excluded; older records have no other sources. */
const citedSources = (citations: readonly Citation[]): readonly string[] =>
  citations
    .filter(({ chunkId }) => !chunkId.startsWith("tool-calculator-"))
    .map(({ collection }) => collectionSource(collection));

/** `1 chunk`, `2 chunks`, `2 embedded from cache`: a count by its name in the row. */
function inWords(name: string, count: number): string {
  const [noun = "", ...rest] = name.split("_");
  return [count, count === 1 && noun.endsWith("s") ? noun.slice(0, -1) : noun, ...rest].join(" ");
}

/** The summary of a run in one line, with its state where it did not complete. */
function summaryOf(record: RunRecord, state: RunState): string {
  if (record.kind === "ask") return `${record.verdict?.status ?? state}: ${record.question}`;
  const counts = Object.entries(record.counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => inWords(name, count))
    .join(", ");
  const ended = state === "completed" ? [] : [state];
  return [...ended, record.collection, ...(counts === "" ? [] : [counts])].join(": ");
}

/** A registry row as `ragctl logs` shows it to a principal with these limits, or to one without any. */
export async function runView(
  record: RunRecord,
  limits: RunLimits | null,
  state: RunState = record.state,
): Promise<RunView> {
  const { id, kind, principal, startedAt, durationMs, phases, error } = record;
  const summary = summaryOf(record, state);
  const answer = record.kind === "ask" ? await redactAnswer(record, limits) : null;
  return { id, kind, principal, startedAt, durationMs, summary, state, error, answer, phases };
}

/**
 * A past answer as far as it may be read now: withheld if any source may not be read. Where a record has no
 * sources, its citations decide; without citations only the first line of a refusal is shown.
 */
export async function redactAnswer(
  record: AskRun,
  limits: RunLimits | null,
): Promise<NonNullable<RunView["answer"]>> {
  const { question, response, verdict, replay } = record;
  // Older rows have one quote for each citation.
  const citations = record.citations.map((each) => ({ ...each, quotes: each.quotes ?? [each.quote] }));
  const isCited = citations.length > 0;
  const sources = replay?.sources;
  const restsOn = sources ?? (isCited ? citedSources(citations) : undefined);
  const isReadable =
    limits === null ||
    (restsOn !== undefined && (await limits.reads({ sources: restsOn, createdAt: record.startedAt })));
  if (isReadable) return { question, response, verdict, citations, ...(await besideShown(record, limits)) };
  const [first = ""] = response.split("\n");
  const excerpt = isCited || sources !== undefined ? withheld : verdict?.status === "refused" ? first : "";
  return { question, response: excerpt, verdict: null, citations: [] };
}

/**
 * What is shown beside a past answer that may be read. To others than the owner only while all that it names
 * may be read, and without the details of its steps; of a room, whose messages it may repeat, nothing.
 */
async function besideShown(
  { beside, replay, ...record }: AskRun,
  limits: RunLimits | null,
): Promise<AskRun["beside"]> {
  if (limits === null || beside === undefined) return beside;
  if (replay === null || (replay.inRoom && record.conversation === undefined)) return undefined;
  const sources = supplementarySources(beside, replay);
  if (!(await limits.reads({ sources, createdAt: record.startedAt }))) return undefined;
  return { ...beside, trace: beside.trace?.map((event) => ({ ...event, details: {} })) };
}
