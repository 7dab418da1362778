import type { DecisionDrivers } from "../../src/agents/decide/drivers.ts";
import type { AgentProfile, Turn } from "../../src/core/answers/agent.ts";
import type { LanguageModel } from "../../src/core/answers/answer.ts";
import type { Run } from "../../src/core/run.ts";
import { contentWords, foldWord } from "../../src/language/words.ts";

const dimensions = 512;

/** A unit vector of the words of a text, each hashed to a place (FNV-1a). */
export function bagOfWords(text: string): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 0x811c9dc5;
    for (const character of foldWord(word))
      hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
    const place = hash % dimensions;
    vector[place] = (vector[place] ?? 0) + (contentWords(word).length > 0 ? 1 : 0.3);
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export interface Recorded extends DecisionDrivers {
  /** Texts of each call of `embed`. */
  readonly calls: (readonly string[])[];
  /** What the model was asked, the user's message of each call. */
  readonly asked: string[];
}

/**
 * Drivers over bag-of-words vectors; the model, where one is given, answers with these lines in turn, or
 * fails.
 */
export function fakeDrivers(lines?: readonly (string | Error)[]): Recorded {
  const calls: (readonly string[])[] = [];
  const asked: string[] = [];
  const model: LanguageModel = {
    id: "fake",
    contextTokens: 2048,
    provider: "cpu",
    count: (text) => text.length,
    async *generate(messages) {
      const line = lines?.[asked.length] ?? "";
      asked.push(messages.at(-1)?.text ?? "");
      if (line instanceof Error) throw line;
      yield { type: "text-delta", text: line };
      yield {
        type: "generation-end",
        reason: "stop",
        promptTokens: 1,
        reusedTokens: 0,
        outputTokens: 1,
        prefillMs: 0,
        decodeMs: 0,
      };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  return {
    calls,
    asked,
    async embed(texts) {
      calls.push(texts);
      return texts.map(bagOfWords);
    },
    model: async () => (lines === undefined ? null : model),
  };
}

export interface RecordedRun extends Run {
  readonly warnings: string[];
}

export function recordedRun(signal = new AbortController().signal): RecordedRun {
  const warnings: string[] = [];
  return {
    id: "test",
    principal: "owner",
    signal,
    log: { event: () => undefined, warn: (message) => void warnings.push(message) },
    warnings,
  };
}

/** Turns by turns: the user's, the assistant's, the user's … */
export function talk(...texts: readonly string[]): readonly Turn[] {
  return texts.map((text, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    author: "owner",
    text,
  }));
}

export function agentOf(
  given: Partial<AgentProfile> & Pick<AgentProfile, "name" | "department">,
): AgentProfile {
  return {
    id: given.name,
    enabled: true,
    description: "",
    topics: [],
    examples: [],
    providerConfig: {},
    ...given,
  };
}
