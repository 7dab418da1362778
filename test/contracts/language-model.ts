import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Generated, GenerateOptions, LanguageModel, Message } from "../../src/core/answers/answer.ts";

const never = new AbortController().signal;
const short: GenerateOptions = { temperature: 0, maxTokens: 12 };
const ask = (text: string): Message[] => [
  {
    role: "system",
    text: "You answer in a few words, from what you are told and nothing else, in plain language.",
  },
  { role: "user", text },
];

async function collect(
  events: AsyncIterable<Generated>,
): Promise<{ text: string; deltas: number; end: Extract<Generated, { type: "generation-end" }> }> {
  let text = "";
  let deltas = 0;
  let end: Extract<Generated, { type: "generation-end" }> | undefined;
  for await (const event of events) {
    assert.equal(end, undefined, "nothing may follow generation-end");
    if (event.type === "text-delta") {
      text += event.text;
      deltas += 1;
    } else end = event;
  }
  assert.ok(end, "the stream must end with generation-end");
  return { text, deltas, end };
}

/**
 * What every language model driver must do; `open` gives a fresh one, `skip` the reason it cannot run here.
 */
export function languageModelContract(
  name: string,
  open: () => Promise<LanguageModel>,
  skip: string | false,
): void {
  describe(`${name} is a language model`, { skip }, () => {
    let model: LanguageModel;
    before(async () => {
      model = await open();
    });
    after(async () => {
      await model?.[Symbol.asyncDispose]();
    });

    it("counts tokens, none for no text and more for more text", () => {
      assert.equal(model.count(""), 0);
      assert.ok(model.count("one two three four five six") > model.count("one"));
    });

    it("streams text and ends with its measurements", async () => {
      const { text, deltas, end } = await collect(
        model.generate(ask("The sky is blue. What colour is the sky?"), short, never),
      );
      assert.ok(text.length > 0 && deltas > 1);
      assert.ok(end.promptTokens > 10 && end.outputTokens >= deltas && end.outputTokens <= 12);
      assert.ok(end.prefillMs > 0 && end.decodeMs >= 0);
    });

    it("gives the same greedy text for the same question, evaluating the prompt only once", async () => {
      const question = ask("The door is green. What colour is the door?");
      const first = await collect(model.generate(question, short, never));
      const second = await collect(model.generate(question, short, never));
      assert.equal(second.text, first.text);
      assert.equal(second.end.reusedTokens, second.end.promptTokens - 1);
    });

    it("reuses the common start of two different prompts", async () => {
      const animals = "The cat is black. The dog is brown. The horse is white. ".repeat(8);
      await collect(model.generate(ask(`${animals}What colour is the cat?`), short, never));
      const { end } = await collect(
        model.generate(ask(`${animals}What colour is the dog, and which is white?`), short, never),
      );
      assert.ok(
        end.reusedTokens >= 64 && end.reusedTokens < end.promptTokens - 1,
        `reused ${end.reusedTokens} of ${end.promptTokens}`,
      );
    });

    it("ends at its deadline with its measurements, and answers the next question", async () => {
      const question = ask("Count from one to one hundred in words.");
      const until = performance.now();
      const { end } = await collect(model.generate(question, { ...short, until }, never));
      assert.equal(end.reason, "deadline");
      assert.ok(end.outputTokens <= 1);
      assert.notEqual((await collect(model.generate(question, short, never))).text, "");
    });

    it("says that it stopped at the length limit", async () => {
      const { end } = await collect(
        model.generate(
          ask("Count from one to one hundred in words."),
          { temperature: 0, maxTokens: 3 },
          never,
        ),
      );
      assert.equal(end.reason, "length");
      assert.equal(end.outputTokens, 3);
    });

    it("writes only what the grammar allows", async () => {
      const grammar = 'root ::= "yes [" [12] "]"';
      const { text, end } = await collect(
        model.generate(ask("Is water wet?"), { temperature: 0, maxTokens: 40, grammar }, never),
      );
      assert.match(text, /^yes \[[12]\]$/);
      assert.equal(end.reason, "stop");
    });

    it("goes on after the result of a tool, and reads only what was appended", async () => {
      const tools = [{ name: "search", description: "Searches.", parameters: { type: "object" } }];
      const question = ask("Where is the pump?");
      const first = await collect(model.generate(question, { ...short, tools }, never));
      const call = { id: "call00001", name: "search", arguments: '{"query": "pump"}' };
      const next: Message[] = [
        ...question,
        { role: "assistant", text: "I look.", toolCalls: [call] },
        { role: "tool", text: "The pump is in the cellar.", toolCallId: call.id },
      ];
      const second = await collect(model.generate(next, { ...short, tools }, never));
      assert.ok(second.end.promptTokens > first.end.promptTokens);
      assert.ok(second.end.reusedTokens >= first.end.promptTokens - 1);
      assert.ok((second.end.toolCalls ?? []).every(({ name }) => name === "search"));
    });

    it("answers calls made at the same time one after the other, each as if alone", async () => {
      const questions = [
        "The hat is red. What colour is the hat?",
        "The cup is white. What colour is the cup?",
      ];
      const alone = [];
      for (const question of questions)
        alone.push((await collect(model.generate(ask(question), short, never))).text);
      const together = await Promise.all(
        questions.map(async (question) => (await collect(model.generate(ask(question), short, never))).text),
      );
      assert.deepEqual(together, alone);
    });

    it("stops when the signal is aborted, and answers the next call", async () => {
      const controller = new AbortController();
      await assert.rejects(async () => {
        for await (const event of model.generate(
          ask("Tell a long story."),
          { temperature: 0, maxTokens: 400 },
          controller.signal,
        )) {
          if (event.type === "text-delta") controller.abort(new Error("enough"));
        }
      }, /enough/);
      assert.ok((await collect(model.generate(ask("Hello?"), short, never))).text.length > 0);
    });

    it("answers the next call when a reader leaves early", async () => {
      for await (const event of model.generate(
        ask("Tell a long story."),
        { temperature: 0, maxTokens: 400 },
        never,
      )) {
        if (event.type === "text-delta") break;
      }
      assert.ok((await collect(model.generate(ask("Hello?"), short, never))).text.length > 0);
    });

    it("refuses a prompt longer than its context with the numbers", async () => {
      const long = ask("word ".repeat(model.contextTokens + 10));
      await assert.rejects(collect(model.generate(long, short, never)), {
        code: "USAGE_INVALID",
        message: new RegExp(`${model.contextTokens}`),
      });
    });
  });
}
