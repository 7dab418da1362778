import type { Generated, GenerateOptions, LanguageModel, Message } from "../../src/core/answers/answer.ts";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import type { Hit } from "../../src/core/retrieval.ts";
import type { Run } from "../../src/core/run.ts";

/** A chunk with plausible fields around its text. */
export function chunkOf(text: string, fields: Partial<Chunk> = {}): Chunk {
  return {
    id: `v1-${text.length}`,
    documentId: "d1",
    versionId: "v1",
    ordinal: 0,
    text,
    title: "",
    headings: [],
    pages: [3],
    contentType: "paragraph",
    tokenCount: text.length,
    sourcePath: "/library/report.pdf",
    sourceName: "report.pdf",
    format: "pdf",
    collection: "library",
    department: "",
    method: "fake",
    contentHash: "",
    ...fields,
  };
}

export const hitOf = (text: string, fields: Partial<Chunk> = {}, score = 1): Hit => ({
  chunk: chunkOf(text, fields),
  score,
  via: "fused",
});

/** One token per word. */
export const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length;

export const runOf = (
  signal: AbortSignal = new AbortController().signal,
): Run & { readonly events: string[] } => {
  const events: string[] = [];
  return {
    id: "test",
    principal: "owner",
    signal,
    log: { event: (name) => void events.push(name), warn: () => {} },
    events,
  };
};

/** A language model that says what it is told, word by word, and records what it was asked. */
export function fakeModel(
  says: string,
): LanguageModel & { readonly asked: { messages: readonly Message[]; options: GenerateOptions }[] } {
  const asked: { messages: readonly Message[]; options: GenerateOptions }[] = [];
  return {
    id: "fake",
    contextTokens: 2048,
    provider: "cpu",
    asked,
    count: countWords,
    async *generate(messages, options): AsyncGenerator<Generated> {
      asked.push({ messages, options });
      for (const text of says.split(/(?<=\s)/)) yield { type: "text-delta", text };
      yield {
        type: "generation-end",
        reason: "stop",
        promptTokens: 9,
        reusedTokens: 0,
        outputTokens: 5,
        prefillMs: 1,
        decodeMs: 1,
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}
