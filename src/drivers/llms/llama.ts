import type { Token } from "node-llama-cpp";
import type { Generated, GenerateOptions, LanguageModel, Message } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import type { LlamaSession, LlamaSettings } from "../runtime/llama.ts";
import { openLlama } from "../runtime/llama.ts";
import { openTurns } from "./turns.ts";

export interface LlamaModelSettings extends LlamaSettings {
  /** Model id of the manifest. */
  readonly id: string;
}

/** Prompt tokens evaluated between two looks at the abort signal. */
const prefillSliceTokens = 64;

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
 * Evaluates the prompt but its last token, keeping what the sequence already holds; the number of tokens
 * kept.
 */
async function prefill(session: LlamaSession, prompt: Token[], signal: AbortSignal): Promise<number> {
  const { sequence } = session;
  const head = prompt.slice(0, -1);
  await sequence.adaptStateToTokens(head, false);
  const reused = sequence.nextTokenIndex;
  for (let at = reused; at < head.length; at += prefillSliceTokens) {
    signal.throwIfAborted();
    await sequence.evaluateWithoutGeneratingNewTokens(head.slice(at, at + prefillSliceTokens));
  }
  signal.throwIfAborted();
  return reused;
}

async function* complete(
  session: LlamaSession,
  id: string,
  messages: readonly Message[],
  options: GenerateOptions,
  signal: AbortSignal,
): AsyncGenerator<Generated> {
  signal.throwIfAborted();
  const prompt = session.render(messages);
  const room = session.contextTokens - prompt.length - 1;
  const last = prompt.at(-1);
  if (room < 1 || last === undefined) {
    throw new RagctlError(
      "USAGE_INVALID",
      `the prompt has ${prompt.length} tokens and ${id} holds ${session.contextTokens}`,
      {
        hint: "lower the number of passages or their token budget, or raise the model's context length",
      },
    );
  }
  const grammar = options.grammar === undefined ? undefined : await session.grammarState(options.grammar);
  const limit = Math.min(options.maxTokens, room);
  const started = performance.now();
  const reusedTokens = await prefill(session, prompt, signal);
  const decode = decoder(session, prompt);
  let firstAt = 0;
  let outputTokens = 0;
  let reason: "stop" | "length" = "stop";
  const stream = session.sequence.evaluate([last], {
    temperature: options.temperature,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(grammar === undefined ? {} : { grammarEvaluationState: grammar }),
  });
  for await (const token of stream) {
    if (outputTokens === 0) firstAt = performance.now();
    outputTokens += 1;
    const text = decode(token);
    if (text !== "") yield { type: "text-delta", text };
    signal.throwIfAborted();
    if (outputTokens >= limit) {
      reason = "length";
      break;
    }
  }
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
 * the part of a prompt that equals the start of the one before is not evaluated again.
 * @throws MODEL_MISSING, MODEL_UNREADABLE, RUNTIME_MISSING
 */
export default async function open(settings: LlamaModelSettings): Promise<LanguageModel> {
  const session = await openLlama(settings);
  const turns = openTurns();
  const closing = new AbortController();
  return {
    id: settings.id,
    contextTokens: session.contextTokens,
    provider: session.provider,
    count: (text) => session.model.tokenize(text).length,
    async *generate(messages, options, signal) {
      const stopped = AbortSignal.any([signal, closing.signal]);
      const endTurn = await turns.take(stopped, options.onWait);
      try {
        yield* complete(session, settings.id, messages, options, stopped);
      } finally {
        endTurn();
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(
        new RagctlError("INTERNAL", `the model ${settings.id} was closed while it was answering`),
      );
      await turns.take(new AbortController().signal);
      await session[Symbol.asyncDispose]();
    },
  };
}
