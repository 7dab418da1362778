import type { AnswerPlan, PlannedPhase } from "../../core/answers/budget.ts";
import { headTokens } from "../answer/context.ts";

/** Search costs on this machine. */
export interface SearchRates {
  /** Everything except searching and writing: opening, deciding, weighing and cutting, ms per question. */
  readonly prepareMs: number;
  /** Embedding, searching and fusing, ms per formulation. */
  readonly searchMs: number;
}

/** Costs of the steps of an answer on this machine. */
export interface AnswerRates extends SearchRates {
  /** Null if no answering model is installed. */
  readonly model: ModelRates | null;
}

/** Costs of an answering model on this machine. */
export interface ModelRates {
  /** 0 if it is already loaded. */
  readonly loadMs: number;
  readonly prefillMsPerToken: number;
  readonly decodeMsPerToken: number;
  /** Judging the answer, ms per token of it. */
  readonly judgeMsPerToken: number;
  /** Prompt tokens in addition to the passages: rules, question, fences, chat template. */
  readonly overheadTokens: number;
}

/** The plan of an answer without a time limit. */
export interface AnswerWishes {
  readonly formulations: number;
  readonly passages: number;
  /** Tokens that a passage is counted as. */
  readonly passageTokens: number;
  /** Budget for all passages, in tokens. */
  readonly contextTokens: number;
  readonly answerTokens: number;
}

/** The minimum for calling a model: one cited sentence from two passages. */
const leastWritten = { passages: 2, passageTokens: 48, answerTokens: 48 } as const;

/** Answer tokens from one step of the ladder to the next. */
const answerStep = 16;
/** Enough for two sentences; longer answers are planned only after every passage is read. */
const twoSentences = 96;

type Rung = Pick<AnswerPlan, "kind" | "formulations" | "passages" | "passageTokens" | "answerTokens">;

/**
 * All useful plans, from the smallest to the full wish. No value ever decreases from one to the next, so
 * costs and evidence only grow.
 */
function* ladder(wishes: AnswerWishes, canWrite: boolean): Generator<Rung> {
  let rung: Rung = {
    kind: "quote",
    formulations: 1,
    passages: 0,
    passageTokens: wishes.passageTokens,
    answerTokens: 0,
  };
  yield rung;
  const raise = function* (name: "formulations" | "passages" | "answerTokens", to: number, by = 1) {
    while (rung[name] < to) {
      rung = { ...rung, [name]: Math.min(to, rung[name] + by) };
      yield rung;
    }
  };
  yield* raise("formulations", wishes.formulations);
  if (canWrite) {
    rung = {
      ...rung,
      kind: "write",
      passages: Math.min(leastWritten.passages, wishes.passages),
      passageTokens: Math.min(leastWritten.passageTokens, wishes.passageTokens),
      answerTokens: Math.min(leastWritten.answerTokens, wishes.answerTokens),
    };
    yield rung;
    yield* raise("passages", Math.min(leastWritten.passages + 1, wishes.passages));
    yield* raise("answerTokens", Math.min(twoSentences, wishes.answerTokens), answerStep);
    rung = { ...rung, passageTokens: wishes.passageTokens };
    yield rung;
    yield* raise("passages", wishes.passages);
    yield* raise("answerTokens", wishes.answerTokens, answerStep);
  }
}

/** Tokens of all passages in a plan. */
export const contextTokensOf = ({
  passages,
  passageTokens,
}: Pick<AnswerPlan, "passages" | "passageTokens">): number => passages * (passageTokens + headTokens);

/**
 * A step of the ladder with its cost:
 * prepare + formulations × search + prompt tokens × prefill + answer tokens × (decode + judge) + load.
 */
function costed(rung: Rung, { prepareMs, searchMs, model }: AnswerRates, wishes: AnswerWishes): AnswerPlan {
  const searching: PlannedPhase[] = [
    { phase: "prepare", durationMs: prepareMs },
    { phase: "search", durationMs: rung.formulations * searchMs },
  ];
  if (rung.kind === "quote" || model === null) return { ...rung, promptTokens: 0, phases: searching };
  const promptTokens = model.overheadTokens + Math.min(wishes.contextTokens, contextTokensOf(rung));
  return {
    ...rung,
    promptTokens,
    phases: [
      ...searching,
      { phase: "load", durationMs: model.loadMs },
      { phase: "prefill", durationMs: promptTokens * model.prefillMsPerToken },
      { phase: "decode", durationMs: rung.answerTokens * model.decodeMsPerToken },
      { phase: "judge", durationMs: rung.answerTokens * model.judgeMsPerToken },
    ],
  };
}

/** Expected duration of a plan, ms. */
export const durationOf = ({ phases }: Pick<AnswerPlan, "phases">): number =>
  phases.reduce((sum, { durationMs }) => sum + durationMs, 0);

/** The plan with most evidence that fits into `budgetMs`; null if none does. More time never gives less. */
export function planAnswer(rates: AnswerRates, wishes: AnswerWishes, budgetMs: number): AnswerPlan | null {
  let best: AnswerPlan | null = null;
  for (const rung of ladder(wishes, rates.model !== null)) {
    const plan = costed(rung, rates, wishes);
    if (durationOf(plan) > budgetMs) break;
    best = plan;
  }
  return best;
}

/** The least time in which anything can be answered, ms. */
export function minimumBudgetMs({ prepareMs, searchMs }: SearchRates): number {
  return prepareMs + searchMs;
}

/** The plan that `minimumBudgetMs` allows. */
export function minimumPlan(search: SearchRates, wishes: AnswerWishes): AnswerPlan {
  const rates = { ...search, model: null };
  const [rung] = ladder({ ...wishes, formulations: 1 }, false);
  if (rung === undefined) throw new TypeError("the ladder has no rung");
  return costed(rung, rates, wishes);
}

/** What a plan lacks compared with an answer without a limit, in words. */
export function describeOmissions(
  plan: AnswerPlan,
  wishes: AnswerWishes,
  hasModel: boolean,
): readonly string[] {
  const fewer = (what: string, has: number, wished: number): string[] =>
    has < wished ? [`${what}: ${has} of ${wished}`] : [];
  const { formulations } = plan;
  const searching = fewer("query formulations", formulations, wishes.formulations);
  if (!hasModel) return searching;
  const decisions = "the model's help with unclear questions";
  if (plan.kind === "quote") return ["the model (sentences are quoted)", ...searching, decisions];
  return [
    ...searching,
    ...fewer("passages", plan.passages, wishes.passages),
    ...fewer("tokens of a passage", plan.passageTokens, wishes.passageTokens),
    ...fewer("answer tokens", plan.answerTokens, wishes.answerTokens),
    decisions,
  ];
}
