import type { Settings } from "../../config/settings.ts";
import type { Answer, LanguageModel } from "../../core/answers/answer.ts";
import type { AnswerPlan, BudgetReport, RateSource } from "../../core/answers/budget.ts";
import { parseDuration } from "../../core/answers/time.ts";
import type { AskRequest } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import { systemMessage } from "../../pipeline/answer/prompt.ts";
import {
  type AnswerRates,
  type AnswerWishes,
  describeOmissions,
  durationOf,
  minimumBudgetMs,
  minimumPlan,
  planAnswer,
} from "../../pipeline/budget/plan.ts";
import {
  fastestSearchMs,
  isMeasured,
  type Measured,
  maxSamples,
  modelRates,
  modelSamples,
  type Samples,
  searchRates,
  searchSamples,
  typicalWritingMs,
} from "../../pipeline/budget/rates.ts";
import type { ServedModel } from "../engines/language-models.ts";
import { contextTokensBy, passagesBy } from "../engines/reader.ts";
import type { Home } from "../home.ts";
import { machineName } from "./machine.ts";

/** The time limit of one answer, and its plan. */
export interface QuestionBudget {
  readonly plan: AnswerPlan;
  /** `performance.now()` at which the model stops; undefined where none will write. */
  readonly until: number | undefined;
  /**
   * Opens the model that writes; null where the plan is to quote, and where it does not load within the
   * limit.
   */
  model(served: ServedModel): Promise<LanguageModel | null>;
  /** Id of the model that was opened, also where nothing it wrote is in the answer; null for none. */
  opened(): string | null;
  /** What became of the time. */
  report(answer: Answer, usedMs: number): BudgetReport;
}

type BudgetHome = Pick<Home, "rates" | "settings" | "languageModels">;

/** Formulations that a question is searched by, at most: itself and three parts. */
const mostFormulations = 4;

/** Share of the time that a warm-up may take. */
const warmUpShare = 0.5;
/** Tokens a warm-up writes. */
const warmUpTokens = 8;
/** A model that was too slow longer ago than this is measured again, ms. */
const freshMs = 600_000;
/** Tokens of a usual passage: most chunks have fewer. */
const usualPassage = 256;
/** Share of the time kept free for what no rate foresees. */
const reserve = 0.04;

/** Time a question may take, ms; undefined for as long as it needs. @throws USAGE_INVALID */
export function budgetOf({ budget }: Pick<AskRequest, "budget">, { answer }: Settings): number | undefined {
  if (budget !== undefined) return parseDuration(budget, "the budget");
  return answer.budget === "" ? undefined : parseDuration(answer.budget, "answer.budget");
}

/** The parts of an answer without a limit. */
function wishesOf({ topK }: Pick<AskRequest, "topK">, { answer }: Settings): AnswerWishes {
  return {
    formulations: mostFormulations,
    passages: Math.min(passagesBy.small, topK),
    passageTokens: usualPassage,
    contextTokens: answer.contextTokens || contextTokensBy.small,
    answerTokens: answer.maxTokens,
  };
}

/**
 * Plans an answer for the time it is given, from what past runs took on this machine; a model nothing is
 * known of writes a few words first. `startedAt`: `performance.now()` when the question came.
 * @throws USAGE_INVALID where the time is too short for anything, naming the least that would do
 */
export async function createAnswerBudget(
  request: AskRequest,
  budgetMs: number,
  startedAt: number,
  home: BudgetHome,
  run: Run,
): Promise<QuestionBudget> {
  const wishes = wishesOf(request, home.settings);
  const quickest = fastestSearchMs(await home.rates.of(machineName(), home.settings.embed.model));
  const leastMs = minimumBudgetMs(quickest) / (1 - reserve);
  if (budgetMs < leastMs) throw tooShort(budgetMs, leastMs);
  const served = await home.languageModels.of("llm", null, run);
  const times = { startedAt, budgetMs };
  const leftMs = (): number => budgetMs * (1 - reserve) - (performance.now() - startedAt);
  const isTooSlow = (by: AnswerRates): boolean => planAnswer(by, wishes, leftMs())?.kind !== "write";
  const { rates, source } = await ratesOf(served, isTooSlow, times, home, run);
  const plan = planAnswer(rates, wishes, leftMs()) ?? minimumPlan(quickest, wishes);
  run.log.event("budget", { budget_ms: budgetMs, kind: plan.kind, planned_ms: durationOf(plan) });
  const judgeMs = plan.phases.find(({ phase }) => phase === "judge")?.durationMs ?? 0;
  const until = startedAt + budgetMs * (1 - reserve) - Math.min(judgeMs, reserve * budgetMs);
  let opened: string | null = null;
  return {
    plan,
    until: rates.model === null ? undefined : until,
    async model(writing) {
      const model = plan.kind === "quote" ? null : await within(writing.model(), until);
      opened = model?.id ?? null;
      return model;
    },
    opened: () => opened,
    report: (answer, usedMs) => ({
      promisedMs: budgetMs,
      usedMs,
      rates: source,
      plan,
      leftOut: [...describeOmissions(plan, wishes, rates.model !== null), ...unforeseen(plan, answer)],
    }),
  };
}

/** The plan of a replayed answer, without its deadline. */
export function replayedBudget(plan: AnswerPlan): QuestionBudget {
  return {
    plan,
    until: undefined,
    model: async (served) => (plan.kind === "quote" ? null : await served.model()),
    opened: () => null,
    report: (_, usedMs) => ({
      promisedMs: durationOf(plan),
      usedMs,
      rates: "measured",
      plan,
      leftOut: [],
    }),
  };
}

const tooShort = (budgetMs: number, leastMs: number): RagctlError =>
  new RagctlError(
    "USAGE_INVALID",
    `a budget of ${budgetMs} ms is too short: searching and quoting takes at least ${Math.ceil(leastMs)} ms on this machine`,
    { hint: `use at least ${Math.ceil(leastMs / 100) * 100}ms` },
  );

/** Planned parts that did not finish within the limit. */
const unforeseen = ({ kind }: AnswerPlan, { model, verdict, phases }: Answer): readonly string[] => {
  if (kind === "quote") return [];
  const isCut = phases.some(({ phase, counts }) => phase === "generate" && counts["late"] === 1);
  if (isCut && model !== null) return ["the end of the answer: time ran out"];
  return model === null && verdict.status === "extractive"
    ? ["the model's answer: time ran out, so sentences are quoted"]
    : [];
};

/**
 * The measured rates of the steps of an answer. A model that was never measured is warmed up first, and so is
 * one that was too slow when it was measured last, long ago: answers that only quote would never measure it
 * again.
 */
async function ratesOf(
  served: ServedModel,
  isTooSlow: (rates: AnswerRates) => boolean,
  { startedAt, budgetMs }: { readonly startedAt: number; readonly budgetMs: number },
  home: BudgetHome,
  run: Run,
): Promise<{ readonly rates: AnswerRates; readonly source: RateSource }> {
  const search = searchRates(await home.rates.of(machineName(), home.settings.embed.model));
  const outlook = await served.outlook();
  if (outlook === null) return { rates: { ...search, model: null }, source: "measured" };
  const { id, fileBytes, isLoaded } = outlook;
  const known = await home.rates.of(machineName(), id);
  const measured = { ...search, model: modelRates(known, fileBytes, isLoaded) };
  const isFresh = Date.now() - (known.get("measured_at_ms")?.at(-1) ?? 0) < freshMs;
  if (isMeasured(known) && (isFresh || !isTooSlow(measured))) return { rates: measured, source: "measured" };
  // The rest must be enough at least for quoting.
  const spareMs = Math.min(warmUpShare * budgetMs, budgetMs * (1 - reserve) - minimumBudgetMs(search));
  const isWarm = spareMs > 0 && (await warmUp(id, served, startedAt + spareMs, home, run));
  const now = isMeasured(known) && isWarm ? await newestOf(home, id) : await home.rates.of(machineName(), id);
  return {
    rates: { ...search, model: modelRates(now, fileBytes, isWarm || isLoaded) },
    source: isMeasured(now) ? "warm-up" : "assumed",
  };
}

/** The latest sample of each rate alone: those before are of another time. */
const newestOf = async ({ rates }: Pick<Home, "rates">, id: string): Promise<Samples> =>
  new Map([...(await rates.of(machineName(), id))].map(([name, samples]) => [name, samples.slice(-1)]));

/** Loads the model and lets it write a few words; whether it was loaded before `until`. */
async function warmUp(
  id: string,
  served: ServedModel,
  until: number,
  { rates }: Pick<Home, "rates">,
  run: Run,
): Promise<boolean> {
  const since = performance.now();
  const model = await within(served.model(), until);
  if (model === null) return false;
  const load: PhaseMetrics = { phase: "load", durationMs: performance.now() - since, counts: {} };
  const messages = [
    { role: "system", text: systemMessage() },
    { role: "user", text: "Count from one to ten in words." },
  ] as const;
  const options = { temperature: 0, maxTokens: warmUpTokens, until };
  for await (const event of model.generate(messages, options, run.signal)) {
    if (event.type !== "generation-end") continue;
    const { type: _, reason: __, toolCalls: ____, ...counts } = event;
    // The overhead of a prompt is that of an answer, not of this one.
    const { overhead_tokens: ___, ...measured } = modelSamples([
      load,
      { phase: "generate", durationMs: 0, counts },
    ]);
    await rates.add(machineName(), id, { ...measured, measured_at_ms: Date.now() }, maxSamples);
  }
  return true;
}

/**
 * How long the model usually takes here to write an answer, ms; undefined where no model writes, or none has
 * so far.
 */
export async function typicalWriteMs(
  served: Pick<ServedModel, "outlook"> | null,
  { rates }: Pick<Home, "rates">,
): Promise<number | undefined> {
  const outlook = (await served?.outlook()) ?? null;
  return outlook === null ? undefined : typicalWritingMs(await rates.of(machineName(), outlook.id));
}

/** Records the duration of an answer, for the plans of later ones. */
export async function recordAnswerDuration(
  phases: readonly PhaseMetrics[],
  model: string | null,
  { rates, settings }: Pick<Home, "rates" | "settings">,
): Promise<void> {
  const note = async (subject: string, measured: Measured): Promise<void> => {
    if (Object.keys(measured).length > 0)
      await rates.add(machineName(), subject, { ...measured, measured_at_ms: Date.now() }, maxSamples);
  };
  await note(settings.embed.model, searchSamples(phases));
  if (model !== null) await note(model, modelSamples(phases));
}

/** The value, or null where it does not arrive before `until`; the work continues. */
async function within<T>(work: Promise<T>, until: number): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), Math.max(0, until - performance.now()));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
