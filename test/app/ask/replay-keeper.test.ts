import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createReplayKeeper } from "../../../src/app/replay/keeper.ts";
import type { GenerateOptions, LanguageModel, Message } from "../../../src/core/answers/answer.ts";

const model = { generate: () => (async function* () {})() } as unknown as LanguageModel;
const options: GenerateOptions = { temperature: 0, maxTokens: 8 };
const steps = (id: string, text = "25 bar"): readonly Message[] => [
  { role: "user", text: "pressure?" },
  { role: "assistant", text: "", toolCalls: [{ id, name: "search", arguments: "{}" }] },
  { role: "tool", text, toolCallId: id },
];

describe("the record of a model's prompts", () => {
  it("knows a step again whatever id the server gave its call", () => {
    const promptOf = (messages: readonly Message[]) => {
      const keeper = createReplayKeeper();
      keeper.watch(model)?.generate(messages, options, new AbortController().signal);
      return keeper.kept().prompts;
    };
    assert.deepEqual(promptOf(steps("call_a")), promptOf(steps("call_b")));
    assert.notDeepEqual(promptOf(steps("call_a")), promptOf(steps("call_a", "16 bar")));
  });
});
