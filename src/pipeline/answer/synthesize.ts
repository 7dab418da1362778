import type { Draft, Turn } from "../../core/answers/agent.ts";
import type {
  AnswerEvent,
  GroundedMode,
  LanguageModel,
  Message,
  SentenceVerdict,
  Verdict,
} from "../../core/answers/answer.ts";
import type { Entailment } from "../../core/answers/entailment.ts";
import { isFinding } from "../../core/answers/tool.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import type { Context, Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { type ContextOptions, context, focusTokensOf } from "./context.ts";
import { type EvidenceContext, evidenceDefaults, weigh } from "./evidence.ts";
import {
  describeGrounded,
  extractiveAnswer,
  type Grounded,
  type Grounding,
  generateAnswer,
  ground,
  openGrounding,
} from "./ground.ts";
import { type Asks, openReaderJudge, type Took } from "./judge/reader.ts";
import { openSecondJudge } from "./judge/second.ts";
import { balanceSides } from "./kinds/comparison.ts";
import { completeByKind } from "./kinds/complete.ts";
import { type Part, partsAsked, quoteParts, withParts } from "./kinds/parts.ts";
import { declines, type Persona, prompt, recentTurns } from "./prompt.ts";
import { type Question, readQuestion } from "./question.ts";
import { groundlessRefusal, lackOf, nearestPassages, refusal, whyQuoted } from "./refuse.ts";
import { roomFor } from "./room.ts";
import { afterThought, ended, finished, quotedSentence, settled } from "./statements.ts";
import { type StepClock, stepClock } from "./step-clock.ts";
import { withFindings } from "./tool-values.ts";

export interface SynthesizeOptions
  extends EvidenceContext,
    Pick<ContextOptions, "maxPassages" | "focusTokens" | "wording" | "readBefore"> {
  /** Budget for all passages, in the model's tokens. */
  readonly contextTokens: number;
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly grounded: GroundedMode;
  /** Ids of the judge's ties and rules to ignore. Default: none. */
  readonly rulesOff?: readonly string[];
  /**
   * The model may calculate with figures of the passages, and reply that they do not say; only for capable
   * models.
   */
  readonly mayDecline?: boolean;
  /**
   * Tool results, as chunks of `findingChunk`: shown first, cited like passages, and never refused for lack
   * of retrieval evidence.
   */
  readonly findings?: readonly Chunk[];
  /** What was excluded from the search, for a refusal; absent for nothing. */
  readonly withheld?: string;
  /** The answering agent, as its operator describes it. */
  readonly persona?: Persona;
  /** Earlier turns, oldest first; the newest that fit are included. */
  readonly history?: readonly Turn[];
  /** No further attempt follows, so a refusal is shown immediately. Default true. */
  readonly last?: boolean;
  /**
   * Fences and quotes retrieved text, and withholds sentences that address an assistant. `off` only to
   * measure the effect. Default `on`.
   */
  readonly guard?: "on" | "off";
  /**
   * `performance.now()` at which the model stops. The answer is what was judged by then; if nothing was,
   * sentences are quoted. Default: never.
   */
  readonly until?: number;
  /** Usual writing time on this machine, in ms, reported with the passages. Default: unknown. */
  readonly usualMs?: number | undefined;
}

export const synthesizeDefaults: SynthesizeOptions = {
  contextTokens: 1600,
  maxPassages: 5,
  maxTokens: 320,
  temperature: 0.1,
  evidence: evidenceDefaults,
  grounded: "strict",
};

export interface SynthesizeDrivers {
  /** The answering model, loaded on first use; null if none is installed. */
  model(): Promise<LanguageModel | null>;
  /** The second judge of supported sentences, opened with the answering model; null or absent for none. */
  entailment?(): Promise<Entailment | null>;
  /** Name of the fence around retrieved text, in lower-case letters and digits; new for each answer. */
  fence(): string;
  /**
   * Asks the answering model about its own sentences, within a share of the time it took. Absent: no such
   * check.
   */
  ownCheck?(took: Took): Asks;
}

export type SynthesisEvent = Extract<AnswerEvent, { readonly type: "context-ready" | "text-delta" }>;

/** Estimate of 4 characters per token, when no model is there to count. */
const roughCount = (text: string): number => Math.ceil(text.length / 4);

/** Most tokens for earlier turns. */
const historyTokens = 160;

/** The newly completed statements, as they will be shown, with their verdicts; null if there are none. */
function newlyGrounded(boundary: string, { text: shown, sentences: judged }: Shown, grounding: Grounding) {
  const { text, sentences } = grounding.judge(boundary);
  if (!sentences.some(({ markers }) => markers.length > 0) || !text.startsWith(shown)) return null;
  if (text.length === shown.length) return null;
  return { text: text.slice(shown.length), sentences: settled(sentences).slice(judged) };
}

/** What was shown while the model writes: the text, and the number of sentences judged by then. */
interface Shown {
  readonly text: string;
  readonly sentences: number;
}

/** State shared by the steps of one synthesis. */
interface Synthesis {
  readonly question: Question;
  readonly options: SynthesizeOptions;
  readonly drivers: SynthesizeDrivers;
  readonly run: Run;
  readonly clock: StepClock;
  /** Common part of every verdict on this answer. */
  readonly base: Pick<Verdict, "evidence" | "threshold" | "grounded">;
}

type Steps = Generator<SynthesisEvent, Draft>;

/** Refuses before loading a model if the evidence is too weak or of the wrong kind. */
function* refuseEarly(
  { question, options, clock, base }: Synthesis,
  reason: string,
  hits: readonly Hit[],
): Steps {
  const text = refusal(question, nearestPassages(question, hits));
  const context: Context = {
    question: question.text,
    passages: [],
    tokenCount: 0,
    dropped: { overBudget: hits.length, duplicate: 0 },
  };
  yield { type: "context-ready", context };
  if (options.last ?? true) yield { type: "text-delta", text };
  const verdict: Verdict = {
    ...base,
    status: "refused",
    reason,
    sentences: [],
    removed: 0,
  };
  return { text, citations: [], verdict, model: null, context, phases: clock.phases };
}

/** A synthesis with its passages selected. */
interface Built extends Synthesis {
  readonly context: Context;
  readonly model: LanguageModel | null;
  /** The parts of a compound question; empty for a single one. */
  readonly parts: readonly Part[];
  /** Name of the fence around retrieved text. */
  readonly fence: string;
}

/** Refuses because nothing that was written is left. */
function* refuse(
  built: Built,
  { sentences, removed }: Pick<Grounded, "sentences" | "removed">,
  reason: string,
): Steps {
  const { options, clock, base, model, context } = built;
  const { text, citations } = groundlessRefusal(built.question, context);
  if (options.last ?? true) yield { type: "text-delta", text };
  const verdict: Verdict = { ...base, status: "refused", reason, sentences, removed };
  return { text, citations, verdict, model: model?.id ?? null, context, phases: clock.phases };
}

/** Emits what was not `shown` yet, then the draft. */
function* finish(
  { clock, base, model, context }: Built,
  { text, citations, sentences, removed }: Grounded,
  shown: string,
  status: Verdict["status"],
  reason: string,
): Steps {
  const rest = text.startsWith(shown) ? text.slice(shown.length) : `\n${text}`;
  if (rest !== "") yield { type: "text-delta", text: rest };
  const verdict: Verdict = { ...base, status, reason, sentences, removed };
  return { text, citations, verdict, model: model?.id ?? null, context, phases: clock.phases };
}

/** Without a model: quotes sentences of the passages, which support themselves. */
function* quote(built: Built, reason: string, shown = ""): Steps {
  const { question, context: passages } = built;
  const quoted =
    built.parts.length > 0
      ? quoteParts(built.parts, passages)
      : ground(extractiveAnswer(question, passages), passages.passages, question.text, "off");
  const whole: Grounded = { ...quoted, sentences: quoted.sentences.map(quotedSentence) };
  const found = withFindings(whole, question, passages, "off");
  const { grounded: answer, reason: completed } =
    built.parts.length > 0 ? { grounded: found, reason: "" } : completeByKind(found, question, passages);
  built.clock.close("ground", { statements: quoted.sentences.length, removed: quoted.removed });
  if (answer.text === "") return yield* refuse(built, quoted, question.notes.reasons.noSentence);
  const sentences = answer.sentences.map((each) => quoted.sentences[whole.sentences.indexOf(each)] ?? each);
  return yield* finish(
    built,
    { ...answer, sentences },
    shown,
    "extractive",
    [reason, completed].filter((part) => part !== "").join("; "),
  );
}

/** What a model wrote, and how much of it was already shown. */
interface Written {
  readonly text: string;
  readonly shown: string;
  /** The deadline passed before the model finished. */
  readonly isLate: boolean;
  /** Absent if the model was cut off. */
  readonly took: Took | undefined;
}

const messagesOf = ({ options, fence, context }: Built, history: readonly Turn[]): Message[] =>
  prompt(context, {
    fence,
    history,
    mayDecline: options.mayDecline ?? false,
    ...(options.guard === undefined ? {} : { guard: options.guard }),
    ...(options.persona === undefined ? {} : { persona: options.persona }),
  });

/** Runs the model, showing each statement as soon as it is judged. */
async function* write(
  built: Built,
  model: LanguageModel,
  history: readonly Turn[],
  grounding: Grounding,
): AsyncGenerator<SynthesisEvent, Written> {
  const { options, run, clock, context } = built;
  const messages = messagesOf(built, history);
  const markers = context.passages.map((passage) => passage.marker);
  let text = "";
  let shown: Shown = { text: "", sentences: 0 };
  let seen = "";
  let judgingMs = 0;
  let counts: Record<string, number> = {};
  let took: Took | undefined;
  // An answer that looped has no end event and is cut back like one that reached the limit.
  let end: "stop" | "length" | "deadline" = "length";
  for await (const event of generateAnswer(messages, markers, model, options, run.signal)) {
    if (event.type === "text-delta") {
      text = afterThought(text + event.text);
      const boundary = text.match(/^[\s\S]*\](?=\s+[^\s[])/)?.[0] ?? "";
      if (boundary === seen) continue;
      seen = boundary;
      const judgingSince = performance.now();
      await grounding.consult(boundary, run.signal);
      const more = newlyGrounded(boundary, shown, grounding);
      judgingMs += performance.now() - judgingSince;
      if (more === null) continue;
      yield { type: "text-delta", ...more };
      shown = { text: shown.text + more.text, sentences: shown.sentences + more.sentences.length };
    } else {
      const { type: _, reason, toolCalls: __, ...measured } = event;
      counts = { ...measured, late: Number(reason === "deadline") };
      took = measured;
      end = reason;
    }
  }
  clock.close("generate", counts, judgingMs);
  const kept = end === "stop" ? text : end === "deadline" ? ended(text) : finished(text);
  return { text: kept, shown: shown.text, isLate: end === "deadline", took };
}

/** Judges what the model wrote, and keeps what the mode allows. */
function* conclude(built: Built, { text, shown, isLate }: Written, grounding: Grounding): Steps {
  const mode = built.options.grounded;
  const { reasons, sheets } = built.question.notes;
  const judged = grounding.ground(text);
  const found = withFindings(judged, built.question, built.context, mode);
  const { grounded: whole, reason: completed } = completeByKind(found, built.question, built.context);
  const { grounded, unanswered } = withParts(whole, built.parts, built.context);
  const isUnsupported = ({ support }: SentenceVerdict): boolean => support === "unsupported";
  const unsupported = judged.sentences.filter(isUnsupported).length;
  built.clock.close("ground", { statements: judged.sentences.length, unsupported, removed: judged.removed });
  const reason = [describeGrounded(judged, built.context, built.question.notes), completed, ...unanswered]
    .filter((part) => part !== "")
    .join("; ");
  const quoted = { ...built, model: null };
  if (grounded.text === "") {
    if (isLate) return yield* quote(quoted, reasons.timeUp);
    const lack = judged.sentences.length === 0 ? reasons.wroteNothing : reasons.groundless(reason);
    return yield* built.question.kind === "summary" ? quote(quoted, lack) : refuse(built, judged, lack);
  }
  // The few sentences left do not summarise anything.
  if (built.question.kind === "summary" && judged.removed * 2 > judged.sentences.length)
    return yield* quote(quoted, reasons.mostRemoved(reason), shown);
  if (judged.text === "") {
    const isFound = built.context.passages.some(({ chunk }) => isFinding(chunk));
    const from = completed === "" && isFound ? reasons.asFound : reasons.asSaid;
    return yield* finish(built, grounded, shown, "extractive", `${from}${sheets.colon} ${reason}`);
  }
  const status = mode === "prefer" && grounded.sentences.some(isUnsupported) ? "unverified" : "answered";
  return yield* finish(built, grounded, shown, status, reason);
}

/**
 * From a question and its hits to a judged, cited draft:
 * 1. check the evidence, and whether the answer must be seen on a page; refuse before loading a model unless
 *    a tool found something;
 * 2. build the context, findings first;
 * 3. generate, or quote if there is no model;
 * 4. tie every statement to its passage and judge it;
 * 5. keep what the mode allows, and refuse if nothing is left.
 * Deltas are whole, judged statements; concatenated they are the text of the draft.
 */
export async function* synthesize(
  text: string,
  hits: readonly Hit[],
  options: SynthesizeOptions,
  drivers: SynthesizeDrivers,
  run: Run,
): AsyncGenerator<SynthesisEvent, Draft> {
  const clock = stepClock();
  run.signal.throwIfAborted();
  const question = readQuestion(text);
  const findings = (options.findings ?? []).map((chunk): Hit => ({ chunk, score: 1, via: "fused" }));
  const found = weigh(text, hits, options);
  clock.close("evidence", { hits: hits.length, score: found.score, threshold: found.threshold });
  const base = { evidence: found.score, threshold: found.threshold, grounded: options.grounded };
  const synthesis: Synthesis = { question, options, drivers, run, clock, base };
  const lack = findings.length === 0 ? lackOf(text, found, hits, options) : "";
  if (lack !== "") return yield* refuseEarly(synthesis, lack, hits);

  const model = await drivers.model();
  const entailment = model === null ? null : ((await drivers.entailment?.()) ?? null);
  if (model !== null) clock.close("load", {});
  const count = model === null ? roughCount : (part: string) => model.count(part);
  const history = recentTurns(options.history ?? [], historyTokens, count);
  const passages = context(question, found.enough ? [...findings, ...balanceSides(text, hits)] : findings, {
    maxTokens: roomFor(model, history, options),
    maxPassages: options.maxPassages,
    focusTokens: options.focusTokens ?? focusTokensOf(question.kind),
    ...(options.wording !== undefined && { wording: options.wording }),
    ...(options.readBefore !== undefined && { readBefore: options.readBefore }),
    withholdInstructions: options.guard !== "off",
    count,
  });
  const { tokenCount, dropped } = passages;
  clock.close("context", { passages: passages.passages.length, tokens: tokenCount, ...dropped });
  yield { type: "context-ready", context: passages, usualMs: options.usualMs };

  const parts = found.enough ? partsAsked(question, hits, options) : [];
  const built: Built = { ...synthesis, context: passages, model, parts, fence: drivers.fence() };
  if (model === null) {
    return yield* quote(
      built,
      whyQuoted(text, found.enough || findings.length === 0, options.until !== undefined),
    );
  }
  return yield* answerBy(built, model, history, entailment);
}

/** Runs the model and judges its answer; if it may decline and does, refuses. */
async function* answerBy(
  built: Built,
  model: LanguageModel,
  history: readonly Turn[],
  entailment: Entailment | null,
): AsyncGenerator<SynthesisEvent, Draft> {
  const { question, options, drivers, run, context: shown } = built;
  const second = entailment === null ? undefined : openSecondJudge(shown.passages, question, entailment);
  const trust = { off: new Set(options.rulesOff), isAble: options.mayDecline ?? false };
  const grounding = openGrounding(shown.passages, question, options.grounded, second, trust);
  const written = yield* write(built, model, history, grounding);
  if (options.mayDecline === true && declines(written.text))
    return yield* refuse(built, { sentences: [], removed: 0 }, question.notes.reasons.declined);
  await grounding.consult(written.text, run.signal);
  const asks = written.took && drivers.ownCheck?.(written.took);
  if (asks) {
    const own = openReaderJudge(shown.passages, question.text, built.fence, asks);
    await grounding.consult(written.text, run.signal, own);
    built.clock.close("check", {});
  }
  return yield* conclude(built, written, grounding);
}
