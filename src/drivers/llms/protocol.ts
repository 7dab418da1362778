import type { Generated, GenerateOptions, LanguageModel, Message } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import { deadlineSignal } from "./deadline.ts";
import {
  endpointOf,
  estimateTokens,
  postLines,
  providerFailed,
  type RemoteSettings,
  roomAfter,
} from "./remote.ts";
import { openThoughtFilter } from "./thoughts.ts";
import { usualWindow } from "./window.ts";

/** What one line of a provider's stream says; members are absent where the line says nothing of them. */
export interface StreamPart {
  readonly text?: string;
  /** The model thinks, which is not part of its answer. */
  readonly isThought?: boolean;
  readonly reason?: "stop" | "length" | "deadline";
  readonly promptTokens?: number;
  readonly reusedTokens?: number;
  readonly outputTokens?: number;
  /** Nothing of the answer follows. */
  readonly isLast?: boolean;
}

/** The requests and responses of a provider. */
export interface Protocol {
  /** Path of the method below the base address. */
  readonly path: string;
  /** The request's body as JSON. */
  body(messages: readonly Message[], options: GenerateOptions, contextTokens: number): object;
  /** One line of the answer; undefined for one that carries nothing. @throws PROVIDER_FAILED */
  read(line: string, url: URL): StreamPart | undefined;
}

/**
 * Factor over the requested tokens after which a server that continues is cut off: it may count tokens
 * differently.
 */
const overrun = 2;

const onlyThought = (url: URL, maxTokens: number): RagctlError =>
  new RagctlError(
    "PROVIDER_FAILED",
    `the model at ${url.href} used all ${maxTokens} tokens for thinking and wrote no answer`,
    { hint: "turn off thinking on the server, or raise answer.maxTokens" },
  );

/** Sums up the parts of a stream; the numbers that a provider leaves out are estimated. */
function openTally(messages: readonly Message[], { maxTokens }: GenerateOptions, url: URL) {
  const startedAt = performance.now();
  const thoughts = openThoughtFilter();
  let firstAt: number | undefined;
  let pieces = 0;
  let isThinking = false;
  let isWritten = false;
  let last: StreamPart = {};
  const counted = (text: string): string => {
    isWritten ||= text.trim() !== "";
    return text;
  };
  return {
    /** What of a part is answer. */
    add(part: StreamPart): string {
      const text = counted(thoughts.take(part.text ?? ""));
      if (part.text !== undefined || part.isThought === true) {
        firstAt ??= performance.now();
        pieces += 1;
        isThinking ||= part.isThought === true || text === "";
      }
      last = { ...last, ...part };
      return text;
    },
    /** Whether the stream exceeded the request by far. Every piece has at least one token. */
    isOverrun: () => pieces > maxTokens * overrun,
    rest: () => counted(thoughts.rest()),
    /** @throws PROVIDER_FAILED where the stream ended early, or contained only thoughts up to the limit */
    end(): Extract<Generated, { type: "generation-end" }> {
      const otherwise = pieces > maxTokens * overrun ? "length" : last.isLast === true ? "stop" : undefined;
      // Some servers end without a reason, but not without the mark of the end.
      const { reason = otherwise } = last;
      if (reason === undefined) throw providerFailed(url, "ended its answer early");
      if (reason === "length" && isThinking && !isWritten) throw onlyThought(url, maxTokens);
      const endedAt = performance.now();
      const estimate = messages.reduce((sum, message) => sum + estimateTokens(message.text), 0);
      return {
        type: "generation-end",
        reason,
        promptTokens: last.promptTokens ?? estimate,
        reusedTokens: last.reusedTokens ?? 0,
        outputTokens: last.outputTokens ?? pieces,
        prefillMs: (firstAt ?? endedAt) - startedAt,
        decodeMs: endedAt - (firstAt ?? endedAt),
      };
    },
  };
}

/** The parts until the deadline, followed by the reason if that cut the stream off. */
async function* untilDeadline(
  open: (stopped: AbortSignal) => AsyncIterable<StreamPart | undefined>,
  until: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamPart | undefined> {
  const late = deadlineSignal(until);
  try {
    yield* open(AbortSignal.any([signal, late]));
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    yield { reason: "deadline" };
  }
}

/**
 * A model at the other end of a protocol. Tokens are estimated before and counted by the provider after.
 * @throws CONFIG_INVALID
 */
export function openRemoteModel(protocol: Protocol, settings: RemoteSettings): LanguageModel {
  const url = endpointOf(settings.baseUrl, protocol.path);
  const contextTokens = settings.contextTokens ?? usualWindow;
  const closing = new AbortController();
  return {
    id: settings.model,
    contextTokens,
    provider: url.host,
    count: estimateTokens,
    async *generate(messages, asked, signal) {
      // Servers refuse a question that asks for more than their window holds.
      const maxTokens = Math.min(asked.maxTokens, roomAfter(messages, contextTokens, settings.model));
      const options = { ...asked, maxTokens };
      const body = protocol.body(messages, options, contextTokens);
      const tally = openTally(messages, options, url);
      const stopped = AbortSignal.any([signal, closing.signal]);
      const parts = async function* (ended: AbortSignal) {
        for await (const line of postLines(url, body, settings, ended)) yield protocol.read(line, url);
      };
      for await (const part of untilDeadline(parts, options.until, stopped)) {
        if (part === undefined) continue;
        const text = tally.add(part);
        if (text !== "") yield { type: "text-delta", text };
        if (part.isLast === true || tally.isOverrun()) break;
      }
      const rest = tally.rest();
      if (rest !== "") yield { type: "text-delta", text: rest };
      yield tally.end();
    },
    async [Symbol.asyncDispose]() {
      closing.abort(providerFailed(url, "was closed while it was answering"));
    },
  };
}
