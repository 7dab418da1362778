import { randomUUID } from "node:crypto";
import type { Answer } from "../../core/answers/answer.ts";
import type { ReplayRecord, ReplayStore, ReplayVersions } from "../../core/answers/replay.ts";
import { replaySteps } from "../../core/answers/replay.ts";
import type { AskRequest } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { AskRun, Beside } from "../../registry/history/runs.ts";
import type { ReplayReport } from "../../shapes/replay.ts";
import { type AnswerOrigins, messageReader, sourcesOf } from "../answer-sources.ts";
import { rankingOf } from "../engines/ranking.ts";
import type { Home } from "../home.ts";
import { type RunTiming, redactAnswer, runVisibility } from "../records.ts";
import { hashOf, type Replayed, type ReplayKeeper } from "./keeper.ts";
import { modelDifference, replayHome, toReplayError } from "./model.ts";

/** The parts of a question that the record needs. */
interface AskedQuestion {
  readonly replayKeeper: ReplayKeeper;
  readonly sight: { readable(): Promise<readonly string[]> };
  readonly history: readonly unknown[];
  /** Null outside a room. */
  readonly memory: unknown;
}

/** A question outside a room that is asked again. */
interface AgainContext {
  readonly history: readonly [];
  readonly memory: null;
  readonly replay: { readonly earlier: Replayed; keep(record: ReplayRecord): void };
}

type ReplayHome = Pick<Home, "agents" | "collections" | "documents" | "settings">;

/** What decided an answer, as kept with its run. */
export async function replayRecord(
  { query: _, ...request }: AskRequest,
  question: AskedQuestion,
  answer: Answer,
  { asker, startedAt }: Pick<AnswerOrigins, "asker"> & Pick<RunTiming, "startedAt">,
  home: ReplayHome,
): Promise<ReplayRecord> {
  const { collections: searched, ...kept } = question.replayKeeper.kept();
  const collections = [...new Set([...searched, ...(answer.origins?.collections ?? [])])];
  const inRoom = question.history.length > 0 || question.memory !== null;
  const { retrieve, mmr, embed } = home.settings;
  // However many threads compute it, the model writes the same.
  const { threads: _threads, ...answering } = home.settings.answer;
  const ranking = rankingOf(home.settings);
  const agent = (await home.agents.list()).find(({ name }) => name === answer.agent);
  return {
    request,
    inRoom,
    ...(inRoom ? {} : { sources: await sourcesAlone(answer, question, asker) }),
    agent: agent === undefined ? null : { name: agent.name, hash: hashOf(agent) },
    ...(ranking === undefined ? {} : { ranking: ranking.hash }),
    settings: { retrieve, mmr, answer: answering, embed: { model: embed.model, maxTokens: embed.maxTokens } },
    model: answer.model ?? answer.draft?.model ?? null,
    stores: (
      await Promise.all(collections.map((name) => storeOf(name, startedAt.toISOString(), home)))
    ).flat(),
    at: startedAt.toISOString(),
    ...kept,
    ...(answer.budget === undefined ? {} : { plan: answer.budget.plan }),
  };
}

/** A collection at the time of a search (ISO 8601); empty where it is gone. */
async function storeOf(
  collection: string,
  at: string,
  { collections, documents }: Pick<Home, "collections" | "documents">,
): Promise<readonly ReplayStore[]> {
  const found = await collections.find(collection);
  if (found === undefined) return [];
  const shown = (await documents.latest([collection])).filter(({ ingestedAt }) => ingestedAt <= at);
  const { storeName, fingerprint } = found;
  return [{ collection, store: storeName ?? collection, fingerprint, documents: shown.length }];
}

/** The sources of an answer that was given outside a room, to a question without history. */
async function sourcesAlone(
  answer: Answer,
  { sight }: Pick<AskedQuestion, "sight">,
  asker: AnswerOrigins["asker"],
): Promise<readonly string[]> {
  const collections = answer.origins === undefined ? await sight.readable() : [];
  const readable = { collections, rooms: [] };
  return sourcesOf(answer, { asker, earlier: [], standing: async () => new Map(), readable });
}

type Asking = (
  request: AskRequest,
  run: Run,
  context?: AgainContext,
) => AsyncIterable<{ readonly type: string } & { readonly answer?: Answer }>;

/**
 * Answers a past question again for its original principal, with its seed and fence: on the versions that
 * were visible then, or on the present ones. Nothing is recorded.
 * @throws NOT_FOUND for an unknown run or one whose documents are gone, PERMISSION_DENIED where its sources
 * may no longer be read, MODEL_MISSING, USAGE_INVALID for a run with too few records
 */
export async function replayRun(
  reference: string,
  against: ReplayVersions,
  home: Home,
  openAsking: (home: Home) => Asking,
  run: Run,
): Promise<ReplayReport> {
  const limits = await runVisibility(home, run);
  const past = await home.runs.get(reference, limits?.of);
  if (past.kind !== "ask" || past.replay === null)
    throw notReplayable(past.id, "has no record of how it was answered");
  if (past.replay.inRoom)
    throw notReplayable(past.id, "belongs to a conversation, whose messages influence the answer");
  const earlier = past.replay;
  const replayed: Run = { ...run, id: randomUUID(), principal: past.principal };
  await requireReadable(earlier, home, replayed);
  if (against === "run") await requireDocuments(past.id, earlier, home);
  const its = replayHome(home, earlier, against);
  const { answer, record, model } = await (async () => {
    const again = await answerAgain(past, earlier, against, openAsking(its), replayed);
    const asked = { ...past, replay: earlier };
    return { ...again, model: await modelDifference(asked, again.answer, again.record, its, replayed) };
  })().catch((error: unknown) => {
    throw toReplayError(error, past, its);
  });
  // An older record does not have the answer's sources: it is shown as far as the logs show it.
  const before = withDraft(await redactAnswer(past, limits));
  // Older records do not say what was written below the response.
  const after = past.beside === undefined ? answer.response : withDraft(answer);
  const written = withDraft({ ...past, ...past.beside });
  const steps = await stepsOf(earlier, record, written, after, against, model, home);
  return {
    ...{ runId: past.id, question: past.question, principal: past.principal, against, steps },
    firstDifference: steps.find(({ same }) => !same)?.step ?? null,
    before,
    after,
  };
}

/** A response with what a small model wrote below it. */
const withDraft = ({ response, draft }: Beside & Pick<Answer, "response">): string =>
  draft === undefined ? response : `${response}\n\n${draft.text}`;

const notReplayable = (id: string, why: string): RagctlError =>
  new RagctlError("USAGE_INVALID", `run ${id} cannot be replayed: it ${why}`, {
    hint: "only completed questions outside chats can be replayed; `ragctl logs` lists them",
  });

/** @throws PERMISSION_DENIED; the same words whether a collection is gone or may not be read */
async function requireReadable(
  { stores, sources = [], at }: ReplayRecord,
  home: Home,
  run: Run,
): Promise<void> {
  const readable = new Set((await home.access.allowed(run, null, "read")).collections);
  const lost = stores.filter(({ collection }) => !readable.has(collection));
  if (lost.length === 0 && (await (await messageReader(home, [], run)).reads({ sources, createdAt: at })))
    return;
  const names = lost.map(({ collection }) => collection).join(", ") || "all sources of the answer";
  throw new RagctlError(
    "PERMISSION_DENIED",
    `the run cannot be replayed: ${names} no longer exists or ${run.principal} may no longer read it`,
    { hint: "the owner can see why: ragctl permissions explain" },
  );
}

/** @throws NOT_FOUND naming the documents whose passages are gone */
async function requireDocuments(
  id: string,
  { hits }: ReplayRecord,
  { documents }: Pick<Home, "documents">,
): Promise<void> {
  const kept = await documents.keptVersions(hits.map(({ contentId }) => contentId));
  const gone = new Set(hits.filter(({ contentId }) => !kept.has(contentId)).map(({ document }) => document));
  if (gone.size === 0) return;
  throw new RagctlError(
    "NOT_FOUND",
    `the run cannot be replayed: its passages from ${[...gone].slice(0, 5).join(", ")}${gone.size > 5 ? " …" : ""} no longer exist`,
    { hint: `to see what changed instead: ragctl replay ${id} --against now` },
  );
}

async function answerAgain(
  past: AskRun,
  earlier: ReplayRecord,
  against: ReplayReport["against"],
  ask: Asking,
  run: Run,
): Promise<{ readonly answer: Answer; readonly record: ReplayRecord }> {
  const isLatest = earlier.request.versions === undefined || earlier.request.versions === "latest";
  const versions = against === "run" && isLatest ? { versions: { at: earlier.at } } : {};
  let record: ReplayRecord | undefined;
  const keep = (made: ReplayRecord): void => {
    record = made;
  };
  const context: AgainContext = { history: [], memory: null, replay: { earlier, keep } };
  for await (const event of ask({ ...earlier.request, ...versions, query: past.question }, run, context))
    if (event.type === "answer-end" && event.answer !== undefined && record !== undefined)
      return { answer: event.answer, record };
  throw new TypeError("the answer stream ended without an answer");
}

async function stepsOf(
  before: ReplayRecord,
  after: ReplayRecord,
  responseBefore: string,
  responseAfter: string,
  against: ReplayReport["against"],
  model: string,
  home: Pick<Home, "documents">,
): Promise<ReplayReport["steps"]> {
  const versions = await versionsDifference(before, after, home);
  const differences: Readonly<Record<ReplayReport["steps"][number]["step"], string>> = {
    agent: agentDifference(before, after),
    settings: [settingsDifference(before, after), rankingDifference(before, after)]
      .filter((difference) => difference !== "")
      .join("; "),
    model,
    store: storeDifference(before, after),
    versions: against === "run" ? "" : versions,
    hits: hitsDifference(before, after, versions !== ""),
    prompt: changed(before.prompts, after.prompts, "the model was given different passages"),
    response: responseBefore === responseAfter ? "" : "the response differs",
  };
  return replaySteps.map((step) => ({ step, same: differences[step] === "", difference: differences[step] }));
}

const changed = (before: unknown, after: unknown, difference: string): string =>
  hashOf(before) === hashOf(after) ? "" : difference;

function agentDifference({ agent: before }: ReplayRecord, { agent: after }: ReplayRecord): string {
  if (before?.name !== after?.name) return `${before?.name ?? "no agent"} → ${after?.name ?? "no agent"}`;
  return before?.hash === after?.hash ? "" : `the configuration of ${before?.name ?? "the agent"} changed`;
}

/** Collections that are searched now or were then, and not both; or whose vectors another model made. */
function storeDifference({ stores: before }: ReplayRecord, { stores: after }: ReplayRecord): string {
  const [then, now] = [before, after].map((stores) => new Map(stores.map((each) => [each.collection, each])));
  return [...new Set([...before, ...after].map(({ collection }) => collection))]
    .flatMap((collection) => {
      const [left, right] = [then?.get(collection), now?.get(collection)];
      if (left === undefined) return [`${collection} is also searched`];
      if (right === undefined) return [`${collection} is no longer searched`];
      if (left.fingerprint !== right.fingerprint)
        return [`the vectors of ${collection}: ${left.fingerprint} → ${right.fingerprint}`];
      return left.store === right.store ? [] : [`${collection} is in ${right.store}, was in ${left.store}`];
    })
    .join("; ");
}

/** Nothing where a record does not say what it was. */
const rankingDifference = ({ ranking: before }: ReplayRecord, { ranking: after }: ReplayRecord): string =>
  before === undefined || after === undefined || before === after
    ? ""
    : "the glossary or the ranking weights changed";

/** Settings whose changes are reported by their effect: the answering model, the stores. */
const namedApart: ReadonlySet<string> = new Set(["answer.model", "embed.model"]);

function settingsDifference({ settings: before }: ReplayRecord, { settings: after }: ReplayRecord): string {
  const flat = (settings: object): ReadonlyMap<string, string> =>
    new Map(
      Object.entries(settings).flatMap(([group, members]) =>
        Object.entries(members as object).map(
          ([name, value]) => [`${group}.${name}`, JSON.stringify(value)] as const,
        ),
      ),
    );
  const [left, right] = [flat(before), flat(after)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((key) => !namedApart.has(key) && left.get(key) !== right.get(key))
    .map((key) => `${key}: ${left.get(key) ?? "none"} → ${right.get(key) ?? "none"}`)
    .join("; ");
}

/** How many contents came and went between the two answers. */
async function versionsDifference(
  before: ReplayRecord,
  after: ReplayRecord,
  { documents }: Pick<Home, "documents">,
): Promise<string> {
  return (
    await Promise.all(
      before.stores.map(async ({ collection, documents: shown = 0 }) => {
        const then = new Set(await documents.visibleAt(collection, before.at));
        const now = new Set(await documents.visibleAt(collection, after.at));
        const forgotten = Math.max(0, shown - (await documents.asOf([collection], { at: before.at })).length);
        const [added, removed] = [now.difference(then).size, then.difference(now).size + forgotten];
        return added + removed === 0 ? [] : [`${collection}: ${added} added, ${removed} replaced or removed`];
      }),
    )
  )
    .flat()
    .join("; ");
}

/**
 * Where the passages first differ. BM25 counts words over all that a store holds: documents that came since
 * move scores (`mayMove`), which is no difference while the passages and their order stay.
 */
function hitsDifference(
  { hits: before }: ReplayRecord,
  { hits: after }: ReplayRecord,
  mayMove: boolean,
): string {
  const at = before.findIndex(
    (hit, index) =>
      hit.chunkId !== after[index]?.chunkId ||
      (!mayMove && Math.abs(hit.score - (after[index]?.score ?? 0)) > 1e-6),
  );
  if (at < 0 && before.length === after.length) return "";
  const rank = at < 0 ? before.length : at;
  const name = (hit: ReplayRecord["hits"][number] | undefined): string =>
    hit === undefined ? "nothing" : `${hit.document} (${hit.chunkId}, ${hit.score.toFixed(4)})`;
  return `from rank ${rank + 1} on: ${name(before[rank])} → ${name(after[rank])}`;
}
