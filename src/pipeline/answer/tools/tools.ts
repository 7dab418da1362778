import type { Draft, Turn } from "../../../core/answers/agent.ts";
import type {
  AnswerEvent,
  GroundedMode,
  LanguageModel,
  Message,
  Verdict,
} from "../../../core/answers/answer.ts";
import type { TraceEvent } from "../../../core/answers/trace.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { datesIn } from "../../../language/time/dates.ts";
import { checkAnswer } from "../check/check.ts";
import type { Checked } from "../check/checked.ts";
import { buildRetryMessage, mayBeShown } from "../check/mend.ts";
import { type Calculate, requestDerivations } from "../check/work-out.ts";
import { assessEvidence, type EvidenceContext } from "../evidence.ts";
import type { Persona } from "../prompt.ts";
import { analyzeQuestion, type Question } from "../question.ts";
import { type StepClock, stepClock } from "../step-clock.ts";
import {
  accept,
  type Basis,
  type Concluded,
  isNotFound,
  refuseInWords,
  refuseUngrounded,
  shownText,
} from "./conclude.ts";
import { type Conversation, type End, isInTime, requestJson, runToolLoop } from "./converse.ts";
import { openingMessages } from "./messages.ts";
import { createPassageSet } from "./passages.ts";
import type { ReaderTool } from "./tool.ts";

/** Limits and facts of one answer by a reader with tools. */
export interface StepsOptions extends EvidenceContext {
  /** Budget of the first passages, and of what each tool call shows, in the reader's tokens. */
  readonly contextTokens: number;
  /** Passages of documents shown first, at most. */
  readonly maxPassages: number;
  /** Replies of the reader, at most. */
  readonly calls: number;
  /** Longest reply, in tokens. */
  readonly maxTokens: number;
  readonly temperature: number;
  readonly grounded: GroundedMode;
  /** Results of tools of the agent, as chunks of `findingChunk`: shown first. */
  readonly findings: readonly Chunk[];
  readonly history: readonly Turn[];
  readonly persona?: Persona;
  /** The day of the question, e.g. `2026-11-28`. */
  readonly today: string;
  /** `performance.now()` at which the reader stops. Default: never. */
  readonly until?: number;
  /** What was excluded from the search, for a refusal; absent for nothing. */
  readonly withheld?: string;
  /** Usual writing time on this machine, in ms, reported with the passages. Default: unknown. */
  readonly usualMs?: number | undefined;
}

/** What an answer in steps needs from outside. */
export interface StepsDrivers {
  readonly model: LanguageModel;
  readonly tools: readonly ReaderTool[];
  /** Describes the tables that can be queried; "" for none. */
  tables(): Promise<string>;
  /** Name of the fence around retrieved text, in lower-case letters and digits; new for each answer. */
  readonly fence: string;
  /** Computes what the reader says it worked out. */
  readonly calculate: Calculate;
}

export type StepsEvent = Exclude<AnswerEvent, { readonly type: "answer-end" }>;

/** Passages that one tool call shows, at most. */
const passagesOfCall = 8;

/** Sums up the generations of an answer as one phase. */
function openTally(clock: StepClock) {
  const counts: Record<string, number> = { calls: 0 };
  return {
    add({ type: _, reason: __, toolCalls: ___, ...measured }: End) {
      counts["calls"] = (counts["calls"] ?? 0) + 1;
      for (const [name, value] of Object.entries(measured)) counts[name] = (counts[name] ?? 0) + value;
    },
    close: (): void => clock.close("generate", counts),
  };
}

/**
 * From a question and the hits of a first search to a checked draft, by a reader that is trusted with tools:
 * 1. show the hits, and the tables that can be queried;
 * 2. let it answer, or search, read, query and calculate before it does;
 * 3. check what it wrote, and give it back once where a passage contradicts it;
 * 4. show it whole, with marks, or refuse.
 */
export async function* answerInSteps(
  text: string,
  hits: readonly Hit[],
  options: StepsOptions,
  drivers: StepsDrivers,
  run: Run,
): AsyncGenerator<StepsEvent, Draft> {
  const clock = stepClock();
  const question = askedOn(analyzeQuestion(text, hits), options.today);
  const { model, tools, fence } = drivers;
  const found = assessEvidence(text, hits, options);
  clock.close("evidence", { hits: hits.length, score: found.score, threshold: found.threshold });
  const base: Pick<Verdict, "evidence" | "threshold" | "grounded"> = {
    evidence: found.score,
    threshold: found.threshold,
    grounded: options.grounded,
  };
  const shelf = createPassageSet(question, (part) => model.count(part));
  const findings = options.findings.map((chunk): Hit => ({ chunk, score: 1, via: "fused" }));
  const shown = shelf.add([...findings, ...hits], options.contextTokens, options.maxPassages);
  const first = shelf.context();
  clock.close("context", { passages: first.passages.length, tokens: first.tokenCount });
  yield { type: "context-ready", context: first, usualMs: options.usualMs };
  const opening = { ...options, question: text, shown, tables: await drivers.tables(), fence };
  const conversation: Conversation = {
    ...{ messages: openingMessages(opening), shelf, tools, fence, model, made: new Set(), replies: 0 },
    limits: { ...options, passages: passagesOfCall, toolTokens: options.contextTokens },
  };
  const tally = openTally(clock);
  const basis = { ...base, model: model.id, withheld: options.withheld };
  const draft = yield* drafting(conversation, question, basis, drivers.calculate, run, tally.add);
  tally.close();
  yield { type: "context-ready", context: draft.context };
  yield { type: "text-delta", text: draft.text, sentences: draft.verdict.sentences };
  return { ...draft, phases: clock.phases };
}

/** A question with the date of its day, which the reader is told. */
const askedOn = (question: Question, today: string): Question => ({
  ...question,
  dates: [...question.dates, ...datesIn(today).dates],
});

/** Lets the reader answer, and checks what it wrote. */
async function* drafting(
  conversation: Conversation,
  question: Question,
  basis: Basis,
  calculate: Calculate,
  run: Run,
  measured: (end: End) => void,
): AsyncGenerator<StepsEvent, Concluded> {
  const { shelf, messages } = conversation;
  let text = shownText(yield* stepping(runToolLoop(conversation, run, measured)), shelf.context());
  const isRefusal = (): boolean => text === "" || isNotFound(text);
  const check = (): Checked => checkAnswer(text, shelf.context().passages, question);
  if (isRefusal()) return refuseInWords(text, question, shelf.context(), basis);
  let checked = check();
  if (basis.grounded !== "off" && checked.contradictions.length > 0) {
    messages.push(buildRetryMessage(checked));
    const before = text;
    text = shownText(yield* stepping(runToolLoop(conversation, run, measured)), shelf.context());
    if (isRefusal()) text = before;
    checked = check();
  }
  const { passages } = shelf.context();
  const asking = {
    ask: (added: readonly Message[], schema: JsonObject) =>
      requestJson(added, schema, conversation, run, measured),
    ...{ passages, question, calculate },
  };
  if (basis.grounded !== "off" && isInTime(conversation)) checked = await requestDerivations(checked, asking);
  return mayBeShown(checked, question, basis.grounded)
    ? accept(checked, question, shelf.context(), basis)
    : refuseUngrounded(checked, question, shelf.context(), basis);
}

/** Each event of the trace as one of the answer. */
async function* stepping<Result>(
  work: AsyncGenerator<TraceEvent, Result>,
): AsyncGenerator<StepsEvent, Result> {
  let next = await work.next();
  while (next.done !== true) {
    yield { type: "node-end", event: next.value };
    next = await work.next();
  }
  return next.value;
}
