import type { Generated, GenerateOptions, LanguageModel, Message } from "../../core/answers/answer.ts";
import { deadlineSignal } from "./deadline.ts";
import {
  checkLength,
  endpointOf,
  estimateTokens,
  postLines,
  providerFailed,
  type RemoteSettings,
} from "./remote.ts";

/** What one line of a provider's stream says; members are absent where the line says nothing of them. */
export interface StreamPart {
  readonly text?: string;
  readonly reason?: "stop" | "length" | "deadline";
  readonly promptTokens?: number;
  readonly reusedTokens?: number;
  readonly outputTokens?: number;
  /** Nothing of the answer follows. */
  readonly isLast?: boolean;
}

/** How a provider is asked and how it answers. */
export interface Protocol {
  /** Path of the method below the base address. */
  readonly path: string;
  /** The request's body as JSON. */
  body(messages: readonly Message[], options: GenerateOptions, contextTokens: number): object;
  /** One line of the answer; undefined for one that carries nothing. @throws PROVIDER_FAILED */
  read(line: string, url: URL): StreamPart | undefined;
}

/** Sums up the parts of a stream; the numbers that a provider leaves out are estimated. */
function openTally(messages: readonly Message[]) {
  const startedAt = performance.now();
  let firstAt: number | undefined;
  let deltas = 0;
  let last: StreamPart = {};
  return {
    add(part: StreamPart): void {
      if (part.text !== undefined) {
        firstAt ??= performance.now();
        deltas += 1;
      }
      last = { ...last, ...part };
    },
    /** Undefined where the stream broke off before the provider gave a reason. */
    end(): Extract<Generated, { type: "generation-end" }> | undefined {
      const { reason } = last;
      if (reason === undefined) return undefined;
      const endedAt = performance.now();
      const estimate = messages.reduce((sum, message) => sum + estimateTokens(message.text), 0);
      return {
        type: "generation-end",
        reason,
        promptTokens: last.promptTokens ?? estimate,
        reusedTokens: last.reusedTokens ?? 0,
        outputTokens: last.outputTokens ?? deltas,
        prefillMs: (firstAt ?? endedAt) - startedAt,
        decodeMs: endedAt - (firstAt ?? endedAt),
      };
    },
  };
}

/** What comes until the deadline, with its reason at the end where that cut it off. */
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
  const contextTokens = settings.contextTokens ?? 8192;
  const closing = new AbortController();
  return {
    id: settings.model,
    contextTokens,
    provider: url.host,
    count: estimateTokens,
    async *generate(messages, options, signal) {
      checkLength(messages, contextTokens, settings.model);
      const body = protocol.body(messages, options, contextTokens);
      const tally = openTally(messages);
      const stopped = AbortSignal.any([signal, closing.signal]);
      const parts = async function* (ended: AbortSignal) {
        for await (const line of postLines(url, body, settings, ended)) yield protocol.read(line, url);
      };
      for await (const part of untilDeadline(parts, options.until, stopped)) {
        if (part === undefined) continue;
        tally.add(part);
        if (part.text !== undefined) yield { type: "text-delta", text: part.text };
        if (part.isLast === true) break;
      }
      const end = tally.end();
      if (end === undefined) throw providerFailed(url, "ended its answer before it was whole");
      yield end;
    },
    async [Symbol.asyncDispose]() {
      closing.abort(providerFailed(url, "was closed while it was answering"));
    },
  };
}
