import type { Token } from "node-llama-cpp";
import type { Generated, GenerateOptions, LanguageModel, Message } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import type { LlamaSession, LlamaSettings } from "../runtime/llama.ts";
import { openLlama } from "../runtime/llama.ts";
import { deadlineSignal } from "./deadline.ts";
import { openPrefill, type Prefill } from "./prefill.ts";
import { noPromptStates, openPromptStates } from "./prompt-states.ts";
import { openThoughtFilter } from "./thoughts.ts";
import { openTurns } from "./turns.ts";

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
function fixedPart(session: LlamaSession, messages: readonly Message[], prompt: readonly Token[]): Token[] {
  const [system] = messages;
  if (system?.role !== "system") return [];
  const other = session.render([system, { role: "user", text: "?" }]);
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

/** The prompt, its last token and the tokens left for the answer. @throws USAGE_INVALID */
function fitted(session: LlamaSession, id: string, messages: readonly Message[]) {
  const prompt = session.render(messages);
  const room = session.contextTokens - prompt.length - 1;
  const last = prompt.at(-1);
  if (room >= 1 && last !== undefined) return { prompt, last, room };
  throw new RagctlError(
    "USAGE_INVALID",
    `the prompt has ${prompt.length} tokens, but ${id} holds only ${session.contextTokens}`,
    { hint: "lower the number of passages or their token budget, or raise the model's context length" },
  );
}

async function* complete(
  { session, prefill }: { readonly session: LlamaSession; readonly prefill: Prefill },
  id: string,
  messages: readonly Message[],
  options: GenerateOptions,
  signal: AbortSignal,
): AsyncGenerator<Generated> {
  signal.throwIfAborted();
  const { prompt, last, room } = fitted(session, id, messages);
  const grammar = options.grammar === undefined ? undefined : await session.grammarState(options.grammar);
  const limit = Math.min(options.maxTokens, room);
  const { until = Number.POSITIVE_INFINITY } = options;
  const started = performance.now();
  const fixed = options.keepSystem === true ? fixedPart(session, messages, prompt) : [];
  const parts = { head: prompt.slice(0, -1), fixed };
  const { reused: reusedTokens, evaluated } = await prefill(parts, until, signal);
  if (evaluated < prompt.length - 1) {
    const prefillMs = performance.now() - started;
    yield { ...unwritten, promptTokens: evaluated, reusedTokens, prefillMs };
    return;
  }
  const decode = decoder(session, prompt);
  const thoughts = openThoughtFilter();
  let firstAt = 0;
  let outputTokens = 0;
  let reason: End["reason"] = "stop";
  const stream = session.sequence.evaluate([last], {
    temperature: options.temperature,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(grammar === undefined ? {} : { grammarEvaluationState: grammar }),
  });
  for await (const token of stream) {
    if (outputTokens === 0) firstAt = performance.now();
    outputTokens += 1;
    const text = thoughts.take(decode(token));
    if (text !== "") yield { type: "text-delta", text };
    signal.throwIfAborted();
    reason = endAfter(outputTokens, limit, until);
    if (reason !== "stop") break;
  }
  const rest = thoughts.rest();
  if (rest !== "") yield { type: "text-delta", text: rest };
  const ended = performance.now();
  if (outputTokens === 0) firstAt = ended;
  yield {
    type: "generation-end",
    reason,
    promptTokens: prompt.length,
    reusedTokens,
    outputTokens,
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
      : await openPromptStates(statesFolder, { modelPath, provider, release });
  const prefill = openPrefill(session, states);
  const turns = openTurns();
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
