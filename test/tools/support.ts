import type { Generated, GenerateOptions, LanguageModel, Message } from "../../src/core/answers/answer.ts";
import type { ToolCall, ToolType } from "../../src/core/answers/tool.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Run } from "../../src/core/run.ts";
import type { SheetTable } from "../../src/tables/schema.ts";
import type { ToolDrivers } from "../../src/tools/drivers.ts";

export const run = (signal: AbortSignal = new AbortController().signal): Run => ({
  id: "test",
  principal: "owner",
  signal,
  log: { event: () => undefined, warn: () => undefined },
});

export const callOf = (tool: string, type: ToolType, given: JsonObject = {}): ToolCall => ({
  tool,
  type,
  arguments: given,
  reason: "test",
});

export const drivers = ({
  model = null,
  ...parts
}: Partial<Omit<ToolDrivers, "model">> & { readonly model?: LanguageModel | null } = {}): ToolDrivers => ({
  model: async () => model,
  sheets: async function* () {},
  secret: () => undefined,
  environment: {},
  ...parts,
});

export async function* tables(...all: SheetTable[]): AsyncIterable<SheetTable> {
  yield* all;
}

/** A model that writes what it is told to, answer after answer, and records what it was asked. */
export function scriptedModel(
  ...answers: string[]
): LanguageModel & { readonly asked: { messages: readonly Message[]; options: GenerateOptions }[] } {
  const asked: { messages: readonly Message[]; options: GenerateOptions }[] = [];
  return {
    id: "scripted",
    contextTokens: 8192,
    provider: "test",
    asked,
    count: (text) => Math.ceil(text.length / 4),
    async *generate(messages, options): AsyncGenerator<Generated> {
      const text = answers[Math.min(asked.length, answers.length - 1)] ?? "";
      asked.push({ messages, options });
      yield { type: "text-delta", text };
      yield {
        type: "generation-end",
        reason: "stop",
        promptTokens: 1,
        reusedTokens: 0,
        outputTokens: 1,
        prefillMs: 1,
        decodeMs: 1,
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}
