import { randomBytes } from "node:crypto";
import type { Draft, Turn } from "../../core/answers/agent.ts";
import type { AnswerEvent, GroundedMode, LanguageModel, Verdict } from "../../core/answers/answer.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import type { Context, Hit } from "../../core/retrieval.ts";
import type { PhaseMetrics, Run } from "../../core/run.ts";
import { context } from "./context.ts";
import { type Evidence, type EvidenceOptions, evidence, evidenceDefaults } from "./evidence.ts";
import {
  describeGrounded,
  extractiveAnswer,
  finished,
  type Grounded,
  type Grounding,
  generateAnswer,
  ground,
  openGrounding,
} from "./ground.ts";
import { prompt, unmarked } from "./prompt.ts";
import { describeLack, groundlessRefusal, refusal } from "./refuse.ts";
import { withFindings } from "./tool-values.ts";

export interface SynthesizeOptions {
  /** Budget of the passages together, in the model's tokens. */
  readonly contextTokens: number;
  readonly maxPassages: number;
  /** Longer passages are cut to what bears on the question; 0 never. */
  readonly focusTokens: number;
  /** Longest answer, in tokens. */
  readonly maxTokens: number;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly evidence: EvidenceOptions;
  readonly grounded: GroundedMode;
  /** Best cosine of any passage, where the hits themselves are fused or reranked. */
  readonly cosine?: number;
  /** What tools found, as chunks of `findingChunk`: shown first, cited like passages, and never refused for want of retrieval evidence. */
  readonly findings?: readonly Chunk[];
  /** The agent that answers, as its operator describes it. */
  readonly persona?: { readonly name: string; readonly description: string };
  /** Earlier turns, oldest first; the newest that fit are shown. */
  readonly history?: readonly Turn[];
  /** Budget of the earlier turns, in the model's tokens. Default 160. */
  readonly historyTokens?: number;
  /** The questions that make up a question of several; evidence is looked for by each. */
  readonly parts?: readonly string[];
  /** Refuse when any part lacks evidence, not only when all do. Default false. */
  readonly requireAll?: boolean;
  /** No attempt follows, so that a refusal is shown at once. Default true. */
  readonly last?: boolean;
  /** Retrieved text is fenced and quoted, and what speaks to an assistant withheld. Off only to measure what that is worth. Default true. */
  readonly spotlight?: boolean;
  /** Also marks every word of retrieved text as such; costs about a token a word. Default false. */
  readonly datamark?: boolean;
}

export const synthesizeDefaults: SynthesizeOptions = {
  contextTokens: 1200,
  maxPassages: 5,
  focusTokens: 180,
  maxTokens: 320,
  temperature: 0.1,
  evidence: evidenceDefaults,
  grounded: "strict",
};

export interface SynthesizeDrivers {
  /** The answering model, loaded on first use; null where none is installed. */
  model(): Promise<LanguageModel | null>;
  /** Name of the fence around retrieved text, lower-case letters and digits; anew for each answer. Default: 32 random bits. */
  fence?(): string;
}

export type SynthesisEvent = Extract<AnswerEvent, { readonly type: "context-ready" | "text-delta" }>;

/** Characters per token when no model is there to count. */
const roughCount = (text: string): number => Math.ceil(text.length / 4);

/** Tokens the rules, the question and the fences take. */
const promptTokens = 256;

/** The evidence for a question of several parts: the weakest part decides where all are required, else the strongest. */
function weigh(question: string, hits: readonly Hit[], options: SynthesizeOptions): Evidence {
  const parts = options.parts === undefined || options.parts.length < 2 ? [question] : options.parts;
  const found = parts
    .map((part) => evidence(part, hits, options.evidence, options.cosine))
    .sort((left, right) => left.score - right.score);
  const decisive = options.requireAll === true ? found[0] : found.at(-1);
  return decisive ?? evidence(question, hits, options.evidence, options.cosine);
}

/** The newest turns that fit, oldest first. */
function recent(history: readonly Turn[], maxTokens: number, count: (text: string) => number): Turn[] {
  const kept: Turn[] = [];
  let used = 0;
  for (const turn of history.slice(-6).reverse()) {
    const tokens = count(turn.text) + 4;
    if (used + tokens > maxTokens) break;
    used += tokens;
    kept.unshift(turn);
  }
  return kept;
}

/** The statements that are complete by now, as they will be shown, without what was shown already; "" while none is new. */
function newlyGrounded(boundary: string, shown: string, grounding: Grounding): string {
  const { text, sentences } = grounding.judge(boundary);
  return sentences.some(({ markers }) => markers.length > 0) && text.startsWith(shown)
    ? text.slice(shown.length)
    : "";
}

/**
 * From a question and its hits to a judged, cited draft:
 * 1. hold the evidence against its threshold and refuse before any model is loaded, unless a tool found something;
 * 2. build the context, findings first; 3. generate, or quote where there is no model;
 * 4. tie every statement to its passage and judge it; 5. keep what the mode allows, and refuse when nothing is left.
 * Deltas are whole statements, judged: together they are the text of the draft.
 */
export async function* synthesize(
  question: string,
  hits: readonly Hit[],
  options: SynthesizeOptions,
  drivers: SynthesizeDrivers,
  run: Run,
): AsyncGenerator<SynthesisEvent, Draft> {
  const phases: PhaseMetrics[] = [];
  let since = performance.now();
  /** Ends a phase; `elsewhereMs` of its time belong to another one. */
  const close = (phase: string, counts: Readonly<Record<string, number>>, elsewhereMs = 0): void => {
    const now = performance.now();
    const durationMs = Math.max(0, now - since - elsewhereMs);
    phases.push({ phase, durationMs, counts });
    run.log.event("phase", { phase, duration_ms: durationMs, ...counts });
    since = now;
  };
  run.signal.throwIfAborted();
  const { grounded: mode, spotlight = true, last = true } = options;
  const findings = (options.findings ?? []).map((chunk): Hit => ({ chunk, score: 1, via: "fused" }));
  const found = weigh(question, hits, options);
  close("evidence", { hits: hits.length, score: found.score, threshold: found.threshold });
  const base = { evidence: found.score, threshold: found.threshold, grounded: mode };
  if (!found.enough && findings.length === 0) {
    const text = refusal(question, hits);
    const none: Context = {
      question,
      passages: [],
      tokenCount: 0,
      dropped: { overBudget: hits.length, duplicate: 0 },
    };
    yield { type: "context-ready", context: none };
    if (last) yield { type: "text-delta", text };
    const verdict: Verdict = {
      ...base,
      status: "refused",
      reason: describeLack(found),
      sentences: [],
      removed: 0,
    };
    return { text, citations: [], verdict, model: null, context: none, phases };
  }

  const model = await drivers.model();
  if (model !== null) close("load", {});
  const count = model === null ? roughCount : (text: string) => model.count(text);
  const history = recent(options.history ?? [], options.historyTokens ?? 160, count);
  const said = history.reduce((sum, turn) => sum + count(turn.text) + 8, 0);
  const room =
    model === null
      ? options.contextTokens
      : Math.min(options.contextTokens, model.contextTokens - options.maxTokens - promptTokens - said);
  const built = context(question, found.enough ? [...findings, ...hits] : findings, {
    maxTokens: room,
    maxPassages: options.maxPassages,
    focusTokens: options.focusTokens,
    withholdInstructions: spotlight,
    count,
  });
  close("context", { passages: built.passages.length, tokens: built.tokenCount, ...built.dropped });
  yield { type: "context-ready", context: built };

  const refuse = function* (grounded: Grounded, reason: string): Generator<SynthesisEvent, Draft> {
    const { text, citations } = groundlessRefusal(built);
    if (last) yield { type: "text-delta", text };
    const verdict: Verdict = {
      ...base,
      status: "refused",
      reason,
      sentences: grounded.sentences,
      removed: grounded.removed,
    };
    return { text, citations, verdict, model: model?.id ?? null, context: built, phases };
  };
  const end = function* (
    grounded: Grounded,
    shown: string,
    status: Verdict["status"],
    reason: string,
  ): Generator<SynthesisEvent, Draft> {
    const rest = grounded.text.startsWith(shown) ? grounded.text.slice(shown.length) : `\n${grounded.text}`;
    if (rest !== "") yield { type: "text-delta", text: rest };
    const verdict: Verdict = {
      ...base,
      status,
      reason,
      sentences: grounded.sentences,
      removed: grounded.removed,
    };
    return {
      text: grounded.text,
      citations: grounded.citations,
      verdict,
      model: model?.id ?? null,
      context: built,
      phases,
    };
  };

  if (model === null) {
    // What is quoted word for word needs no support but itself.
    const quoted = ground(extractiveAnswer(built), built.passages, question, "off");
    const whole = {
      ...quoted,
      sentences: quoted.sentences.map((sentence) => ({ ...sentence, support: "supported" as const })),
    };
    const told = withFindings(whole, built, "off");
    close("ground", { statements: quoted.sentences.length, removed: quoted.removed });
    if (told.text === "") return yield* refuse(quoted, "no sentence of the passages answers this");
    return yield* end(
      { ...told, sentences: quoted.sentences },
      "",
      "extractive",
      found.enough || findings.length === 0
        ? "no answering model is installed: sentences quoted from the passages"
        : "what the tools found, as it is",
    );
  }

  const messages = prompt(built, {
    fence: drivers.fence?.() ?? randomBytes(4).toString("hex"),
    history,
    spotlight,
    ...(options.datamark === undefined ? {} : { datamark: options.datamark }),
    ...(options.persona === undefined ? {} : { persona: options.persona }),
  });
  const markers = built.passages.map((passage) => passage.marker);
  const grounding = openGrounding(built.passages, question, mode);
  let text = "";
  let shown = "";
  let seen = "";
  let judgingMs = 0;
  let counts: Record<string, number> = {};
  // An answer that circled has no end event: it is cut back too.
  let cut = true;
  for await (const event of generateAnswer(messages, markers, model, options, run.signal)) {
    if (event.type === "text-delta") {
      text += options.datamark === true ? unmarked(event.text) : event.text;
      const boundary = text.match(/^[\s\S]*\](?=\s+\S)/)?.[0] ?? "";
      if (boundary === seen) continue;
      seen = boundary;
      const judgingSince = performance.now();
      const more = newlyGrounded(boundary, shown, grounding);
      judgingMs += performance.now() - judgingSince;
      if (more !== "") yield { type: "text-delta", text: more };
      shown += more;
    } else {
      const { type: _, reason, ...measured } = event;
      counts = measured;
      cut = reason !== "stop";
    }
  }
  if (cut) text = finished(text);
  close("generate", counts, judgingMs);
  since -= judgingMs;
  const judged = grounding.ground(text);
  const grounded = withFindings(judged, built, mode);
  const unsupported = judged.sentences.filter((sentence) => sentence.support === "unsupported").length;
  close("ground", { statements: judged.sentences.length, unsupported, removed: judged.removed });
  const reason = describeGrounded(judged, built);
  if (grounded.text === "") {
    return yield* refuse(
      judged,
      judged.sentences.length === 0
        ? "the model wrote nothing"
        : `nothing the model wrote stands in the passages: ${reason}`,
    );
  }
  if (judged.text === "")
    return yield* end(grounded, shown, "extractive", `what the tools found, as it is: ${reason}`);
  return yield* end(
    grounded,
    shown,
    mode === "prefer" && unsupported > 0 ? "unverified" : "answered",
    reason,
  );
}
