import type { Token } from "node-llama-cpp";
import type {
  Generated,
  GenerateOptions,
  LanguageModel,
  Message,
  ModelTool,
} from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import { createSemaphore } from "../mutex.ts";
import type { LlamaSession, LlamaSettings } from "../runtime/llama.ts";
import { openLlama } from "../runtime/llama.ts";
import { deadlineSignal } from "./deadline.ts";
import { callable, stepEnds, writeReply } from "./functions.ts";
import { createPrefill, type Prefill } from "./prefill.ts";
import { createPromptStates, noPromptStates } from "./prompt-states.ts";
import { createThinkingFilter } from "./thoughts.ts";

export interface LlamaModelSettings extends LlamaSettings {
  /** Model id of the manifest. */
  readonly id: string;
  /** Where states of fixed parts of prompts are kept between processes; absent: nowhere. */
  readonly statesFolder?: string;
}

/** Fewest tokens whose state is worth a file. */
const leastKeptTokens = 32;

/** Turns tokens into text as they come, holding back characters whose bytes are not complete yet. */
function decoder(session: LlamaSession, prompt: readonly Token[]): (token: Token) => string {
  const seen = prompt.slice(-8);
  let pending: Token[] = [];
  return (token) => {
    pending.push(token);
    const text = session.model.detokenize(pending, false, seen);
    if (text.endsWith("\uFFFD") && pending.length < 8) return "";
    seen.push(...pending);
    pending = [];
    return text;
  };
}

/**
 * The beginning of a prompt that its system message alone decides, so that other questions begin so too.
 */
function fixedPart(
  session: LlamaSession,
  [system]: readonly Message[],
  tools: readonly ModelTool[],
  prompt: readonly Token[],
): Token[] {
  if (system?.role !== "system") return [];
  const other = session.render([system, { role: "user", text: "?" }], tools);
  const end = prompt.findIndex((token, at) => token !== other[at]);
  return end < leastKeptTokens ? [] : prompt.slice(0, end);
}

type End = Extract<Generated, { type: "generation-end" }>;

/** Why an answer ended after this many tokens; `stop` where it reached neither limit. */
function endAfter(outputTokens: number, limit: number, until: number): End["reason"] {
  if (outputTokens >= limit) return "length";
  return performance.now() >= until ? "deadline" : "stop";
}

/** The end of a generation whose deadline fell before its first token. */
const unwritten = {
  type: "generation-end",
  reason: "deadline",
  promptTokens: 0,
  reusedTokens: 0,
  outputTokens: 0,
  prefillMs: 0,
  decodeMs: 0,
} as const;

/** Tokens that stay free beside a reply which may call tools, as its engine wants them. */
const freeTokens = 16;

/** The prompt, its last token and the tokens left for the answer. @throws USAGE_INVALID */
function fitted(
  session: LlamaSession,
  id: string,
  messages: readonly Message[],
  tools: readonly ModelTool[],
) {
  const prompt = session.render(messages, tools);
  const room = session.contextTokens - prompt.length - (tools.length === 0 ? 1 : freeTokens);
  const last = prompt.at(-1);
  if (room >= 1 && last !== undefined) return { prompt, last, room };
  throw new RagctlError(
    "USAGE_INVALID",
    `the prompt has ${prompt.length} tokens, but ${id} holds only ${session.contextTokens}`,
    { hint: "lower --top-k or answer.contextTokens, or choose a model with a larger context" },
  );
}

type Written = Pick<End, "reason" | "outputTokens" | "toolCalls">;

/** Writes text after a prompt whose last token is to be read; "" says that anything was written. */
async function* writeText(
  session: LlamaSession,
  prompt: readonly Token[],
  options: GenerateOptions,
  signal: AbortSignal,
): AsyncGenerator<string, Written> {
  const { until = Number.POSITIVE_INFINITY, temperature, seed, maxTokens } = options;
  const grammar = options.grammar === undefined ? undefined : await session.grammarState(options.grammar);
  const decode = decoder(session, prompt);
  const thoughts = createThinkingFilter();
  let outputTokens = 0;
  let reason: End["reason"] = "stop";
  const stream = session.sequence.evaluate(prompt.slice(-1), {
    temperature,
    ...(seed === undefined ? {} : { seed }),
    ...(grammar === undefined ? {} : { grammarEvaluationState: grammar }),
  });
  for await (const token of stream) {
    outputTokens += 1;
    yield thoughts.take(decode(token));
    signal.throwIfAborted();
    reason = endAfter(outputTokens, maxTokens, until);
    if (reason !== "stop") break;
  }
  yield thoughts.rest();
  return { reason, outputTokens };
}

/** The same where the reply may call tools. */
async function* writeCalls(
  session: LlamaSession,
  messages: readonly Message[],
  options: GenerateOptions,
  signal: AbortSignal,
): AsyncGenerator<string, Written> {
  const late = deadlineSignal(options.until);
  const offered = { ...options, tools: callable(options) };
  const { isLate, isCut, outputTokens, toolCalls } = yield* writeReply(
    session,
    messages,
    offered,
    signal,
    late,
  );
  const reason = isCut ? "length" : "stop";
  return {
    reason: isLate ? "deadline" : reason,
    outputTokens,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

async function* complete(
  { session, prefill }: { readonly session: LlamaSession; readonly prefill: Prefill },
  id: string,
  messages: readonly Message[],
  asked: GenerateOptions,
  signal: AbortSignal,
): AsyncGenerator<Generated> {
  signal.throwIfAborted();
  const { until = Number.POSITIVE_INFINITY } = asked;
  const tools = asked.grammar === undefined && asked.schema === undefined ? (asked.tools ?? []) : [];
  const { prompt, room } = fitted(session, id, messages, tools);
  const options = { ...asked, maxTokens: Math.min(asked.maxTokens, room) };
  const started = performance.now();
  const fixed = options.keepSystem === true ? fixedPart(session, messages, tools, prompt) : [];
  const parts = { head: prompt.slice(0, -1), fixed, steps: stepEnds(session, messages, tools) };
  const { reused: reusedTokens, evaluated } = await prefill(parts, until, signal);
  if (evaluated < prompt.length - 1) {
    const prefillMs = performance.now() - started;
    yield { ...unwritten, promptTokens: evaluated, reusedTokens, prefillMs };
    return;
  }
  const writing =
    callable(options).length > 0
      ? writeCalls(session, messages, options, signal)
      : writeText(session, prompt, options, signal);
  let firstAt: number | undefined;
  let step = await writing.next();
  try {
    for (; step.done !== true; step = await writing.next()) {
      firstAt ??= performance.now();
      if (step.value !== "") yield { type: "text-delta", text: step.value };
    }
  } finally {
    if (step.done !== true) await writing.return({ reason: "stop", outputTokens: 0 });
  }
  const ended = performance.now();
  firstAt ??= ended;
  yield {
    type: "generation-end",
    promptTokens: prompt.length,
    reusedTokens,
    ...step.value,
    prefillMs: firstAt - started,
    decodeMs: ended - firstAt,
  };
}

/**
 * A GGUF model run by llama.cpp inside this process. Calls take turns on one sequence, whose state is kept:
 * the part of a prompt that equals the start of the one before is not evaluated again, and its fixed part not
 * by the next process either.
 * @throws MODEL_MISSING, MODEL_UNREADABLE, RUNTIME_MISSING
 */
export default async function open(settings: LlamaModelSettings): Promise<LanguageModel> {
  const session = await openLlama(settings);
  const { statesFolder, modelPath } = settings;
  const { provider, release } = session;
  const states =
    statesFolder === undefined
      ? noPromptStates
      : await createPromptStates(statesFolder, { modelPath, provider, release });
  const prefill = createPrefill(session, states);
  const turns = createSemaphore();
  const closing = new AbortController();
  return {
    id: settings.id,
    contextTokens: session.contextTokens,
    provider,
    count: (text) => session.model.tokenize(text).length,
    async *generate(messages, options, signal) {
      const stopped = AbortSignal.any([signal, closing.signal]);
      const late = deadlineSignal(options.until);
      const endTurn = await turns
        .take(AbortSignal.any([stopped, late]), options.onWait)
        .catch((error: unknown) => {
          if (!late.aborted || stopped.aborted) throw error;
          return null;
        });
      if (endTurn === null) {
        yield unwritten;
        return;
      }
      try {
        yield* complete({ session, prefill }, settings.id, messages, options, stopped);
      } finally {
        endTurn();
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new RagctlError("INTERNAL", `model ${settings.id} was closed while it was answering`));
      await turns.take(new AbortController().signal);
      await session[Symbol.asyncDispose]();
    },
  };
}
