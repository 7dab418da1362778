import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { readUtterances, type Utterances } from "../../agents/decide/utterances.ts";
import type { Answer, AnswerEvent } from "../../core/answers/answer.ts";
import { modelIdOf } from "../../core/answers/model-names.ts";
import { isLocal } from "../../core/answers/provider.ts";
import type { TraceEvent } from "../../core/answers/trace.ts";
import type { AskRequest } from "../../core/app.ts";
import { asRagctlError, type RagctlError } from "../../core/errors.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import { logPhases } from "../../pipeline/phases.ts";
import type { AskRun } from "../../registry/history/runs.ts";
import { openTableMemory } from "../../tools/database/table-query.ts";
import {
  budgetOf,
  createAnswerBudget,
  type QuestionBudget,
  recordAnswerDuration,
  replayedBudget,
} from "../budget/budget.ts";
import { openAuxiliaryModel } from "../budget/reader.ts";
import { createTextVectors, routerVectors } from "../engines/text-vectors.ts";
import type { Home } from "../home.ts";
import { askRecord, openHistoryWriter, startTiming, unfinishedAsk } from "../records.ts";
import { replayRecord } from "../replay/replay.ts";
import { answerQuestion } from "./answer-question.ts";
import { searchedScope } from "./kinds/searched.ts";
import { type AskContext, type AskHome, createQuestionContext, type QuestionContext } from "./question.ts";
import type { Retrieval } from "./retrieval.ts";
import { sheetsOf, spreadsheetsOf } from "./sheets.ts";
import { createToolbox } from "./toolbox.ts";

/** Answers a question from what the run's principal may read, alone or within a conversation. */
export type Ask = (request: AskRequest, run: Run, context?: AskContext) => AsyncGenerator<AnswerEvent>;

const alone: AskContext = { history: [], memory: null };

/** Creates the parts that questions need; models and tools open on first use. */
export function createQuestionApi(home: Home, retrieval: Retrieval): Ask {
  let utterances: Utterances | undefined;
  const askHome: AskHome = {
    ...home,
    retrieval,
    routingVectors: routerVectors(
      () => routingModel(home),
      (id) => createTextVectors(home.embedders.of(id), home.cache),
      home.vectors,
    ),
    toolbox: toolboxOf(home),
    tables: openTableMemory(),
    utterances: () => {
      utterances ??= loadUtterances();
      return utterances;
    },
  };
  return (request, run, context = alone) => answer(request, context, askHome, run);
}

/**
 * Answers a question and records the answer; a stopped or failed one is recorded with
 * the text shown until then.
 */
async function* answer(
  request: AskRequest,
  context: AskContext,
  home: AskHome,
  run: Run,
): AsyncGenerator<AnswerEvent> {
  const record = await openRecord(request, context, home, run);
  // Written as soon as the signal fires: a busy part, such as a model, may not finish before the process
  // ends.
  run.signal.throwIfAborted();
  run.signal.addEventListener("abort", record.stopped, { once: true });
  try {
    const opened = await createQuestionContext(request, context, home, run);
    const collections = await opened.sight.readable();
    // A named agent may have stores of its own.
    if (request.agent === undefined && collections.length > 0)
      await home.retrieval.open({ collections }, run);
    await record.begun();
    const budget = await budgetFor(request, context, record.since, home, run);
    const question: QuestionContext = { ...opened, budget };
    record.opened();
    for await (const event of answerQuestion(question, home, run)) {
      record.took(event);
      if (event.type === "answer-end") {
        yield { type: "answer-end", answer: await record.answered(event.answer, question) };
      } else yield event;
    }
  } catch (error) {
    await record.failed(asRagctlError(error));
    throw error;
  } finally {
    run.signal.removeEventListener("abort", record.stopped);
    await record.unfinished();
  }
}

/**
 * The time limit of a question and its plan; null without a limit.
 * @throws USAGE_INVALID
 */
async function budgetFor(
  request: AskRequest,
  { replay }: AskContext,
  startedAt: number,
  home: AskHome,
  run: Run,
): Promise<QuestionBudget | null> {
  if (replay !== undefined)
    return replay.earlier.plan === undefined ? null : replayedBudget(replay.earlier.plan);
  const budgetMs = budgetOf(request, home.settings);
  if (budgetMs === undefined) return null;
  return createAnswerBudget(request, budgetMs, startedAt, home, run);
}

/** Collects the record of one question; it is written once, however the question ends. */
async function openRecord(request: AskRequest, context: AskContext, home: AskHome, run: Run) {
  const timing = await startTiming(home);
  // A principal may be named by its id or in another case; its runs are found by its name.
  const recordedRun: Run = { ...run, principal: (await home.access.principal(run)).name };
  const since = performance.now();
  const [phases, trace]: [PhaseMetrics[], TraceEvent[]] = [[], []];
  let isRecorded = context.replay !== undefined;
  let failure: RagctlError | undefined;
  const conversation = context.conversation === undefined ? {} : { conversation: context.conversation };
  const asked = { ...conversation, question: request.query, response: "", phases, beside: { trace } };
  const sofar = (): AskRun => unfinishedAsk(asked, failure, recordedRun, timing);
  const keep = openHistoryWriter(run, "question");
  let recording: Promise<void> = Promise.resolve();
  const unrecorded = (error: unknown): void => {
    isRecorded = false;
    throw error;
  };
  const unfinished = (): Promise<void> => {
    const record = () => keep(() => home.runs.record(sofar()));
    if (!isRecorded) recording = recording.then(record, record);
    isRecorded = true;
    return recording;
  };
  return {
    since,
    unfinished,
    /** Leaves a row that says so should the process be killed. */
    async begun(): Promise<void> {
      const process = await home.process();
      if (!isRecorded) recording = keep(() => home.runs.record({ ...sofar(), durationMs: 0, process }));
      await recording;
    },
    /** What fails here is told at the end. */
    stopped(): void {
      failure = asRagctlError(run.signal.reason);
      void unfinished().catch(() => undefined);
    },
    opened(): void {
      phases.push({ phase: "open", durationMs: performance.now() - since, counts: {} });
    },
    took(event: AnswerEvent): void {
      if (event.type === "text-delta") asked.response += event.text;
      if (event.type === "node-end") trace.push(event.event);
    },
    async answered(made: Answer, question: QuestionContext): Promise<Answer> {
      const whole = { ...made, phases: [...phases, ...made.phases] };
      const answer = await completed(whole, question, since, home);
      logPhases(answer.phases, run);
      const model =
        answer.model === null ? null : await (await home.languageModels.of("llm", null, run)).model();
      const asker = await home.access.principal(run);
      const replay = await replayRecord(request, question, answer, { asker, ...timing }, home);
      context.replay?.keep(replay);
      await keep(async () => {
        const row = askRecord(answer, recordedRun, model?.provider ?? "", replay, timing);
        const isFirst = !isRecorded;
        isRecorded = true;
        if (isFirst) await home.runs.record({ ...row, ...conversation }).catch(unrecorded);
        if (context.replay === undefined)
          await recordAnswerDuration(
            answer.phases,
            answer.model ?? answer.draft?.model ?? question.budget?.opened() ?? null,
            home,
          );
      });
      return context.replay === undefined ? { ...answer, runId: run.id } : answer;
    },
    async failed(error: RagctlError): Promise<void> {
      failure = error;
      if (!turnedAway(error)) await unfinished();
      else if (!isRecorded) await keep(() => home.runs.withdraw(run.id));
      isRecorded = true;
    },
  };
}

/** The answer with where it came from and what it took. */
async function completed(
  answer: Answer,
  { origins: keeper, budget, request, sight, through }: QuestionContext,
  since: number,
  home: AskHome,
): Promise<Answer> {
  const origins = keeper.origins();
  const made: Answer = origins === undefined ? answer : { ...answer, origins };
  const agent = through((await home.agents.list()).find(({ name }) => name === answer.agent) ?? null);
  const isRefused = answer.verdict.status === "refused" && (await sight.readable()).length > 0;
  const searched = isRefused ? await searchedScope(made, request, await sight.readableBy(agent), home) : null;
  const traced: Answer = searched === null ? made : { ...made, searched };
  const report = budget?.report(traced, performance.now() - since);
  return report === undefined ? traced : { ...traced, budget: report };
}

/** Whether a question was turned away before it began: then nothing ran, and nothing is recorded. */
const turnedAway = (error: RagctlError): boolean => error.exitStatus >= 2 && error.exitStatus <= 4;

/**
 * The local model that the operator's `semantic_router` row names; undefined for the embedding model of the
 * settings.
 */
async function routingModel({
  providers,
  settings,
}: Pick<Home, "providers" | "settings">): Promise<string | undefined> {
  const rows = await providers.list({ component: "semantic_router" });
  const named = rows.find(({ enabled, provider }) => enabled && isLocal(provider))?.config["model"];
  const id = typeof named === "string" ? modelIdOf(named) : undefined;
  return id === settings.embed.model ? undefined : id;
}

function toolboxOf(home: Home) {
  return createToolbox({
    ...home,
    embed: home.vectors.embed,
    cosineRange: async () => (await home.vectors.embedder()).cosineRange,
    model: async (agent, run) => openAuxiliaryModel(await home.languageModels.of("llm", agent, run), home),
    sheets: (collections, run) => sheetsOf(collections, home, run),
    sheetsMark: async (collections) =>
      (await spreadsheetsOf(collections, home)).map(({ versionId }) => versionId).join(" "),
  });
}

const utterancesPath = fileURLToPath(new URL("../../../config/intents.yaml", import.meta.url));

/** The labelled utterances of config/intents.yaml. @throws CONFIG_INVALID */
function loadUtterances(): Utterances {
  return readUtterances(parse(readFileSync(utterancesPath, "utf8")), "config/intents.yaml");
}
