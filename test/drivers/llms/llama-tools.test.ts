import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type {
  Generated,
  GenerateOptions,
  LanguageModel,
  Message,
  ModelTool,
} from "../../../src/core/answers/answer.ts";
import open from "../../../src/drivers/llms/llama.ts";
import { functionsOf, historyOf } from "../../../src/drivers/runtime/llama-chat.ts";

const home =
  process.env["RAGCTL_TEST_HOME"] ??
  join(import.meta.dirname, "../../../node_modules/.cache/ragctl-test-home");
const id = "smollm2-135m-instruct-q4_1";
const modelPath = join(home, "models", id, "model.gguf");
const skip = existsSync(modelPath) ? false : `${modelPath} is absent`;

const tools: readonly ModelTool[] = [
  {
    name: "search",
    description: "Searches the documents.",
    parameters: {
      type: "object",
      properties: { query: { type: "string" }, limit: { type: "integer" } },
      required: ["query"],
      additionalProperties: false,
    },
  },
];
/** A small model does as was done before. */
const asked = (thing: string, at: number): readonly Message[] => [
  { role: "user", text: `Where is the ${thing}?` },
  {
    role: "assistant",
    text: "",
    toolCalls: [{ id: `call${at}`, name: "search", arguments: `{"query":"${thing}"}` }],
  },
  { role: "tool", text: `The ${thing} is in room ${at}.`, toolCallId: `call${at}` },
];
const answered = (thing: string, at: number): readonly Message[] => [
  ...asked(thing, at),
  { role: "assistant", text: `In room ${at}.` },
];
const system: Message = { role: "system", text: "Search for each question, then answer in a few words." };
const question: readonly Message[] = [
  system,
  ...answered("pump", 1),
  ...answered("fan", 2),
  { role: "user", text: "Where is the boiler?" },
];
const options: GenerateOptions = { temperature: 0, maxTokens: 40, tools };
const { signal: never } = new AbortController();

async function collect(events: AsyncIterable<Generated>) {
  const texts: string[] = [];
  for await (const event of events) {
    if (event.type === "text-delta") texts.push(event.text);
    else return { text: texts.join(""), end: event };
  }
  throw new Error("the stream has no end");
}

describe("a model of this machine calls tools", { skip }, () => {
  let model: LanguageModel;
  before(async () => {
    model = await open({ id, modelPath, contextTokens: 1024, gpu: false, threads: 1 });
  });
  after(() => model?.[Symbol.asyncDispose]());

  it("with arguments of their schema, and reads only what each step appends", async () => {
    const first = await collect(model.generate(question, options, never));
    const [call] = first.end.toolCalls ?? [];
    assert.equal(call?.name, "search");
    assert.equal(typeof JSON.parse(call?.arguments ?? "").query, "string");
    assert.deepEqual([first.text, first.end.reason], ["", "stop"]);
    const next: readonly Message[] = [
      ...question,
      { role: "assistant", text: "", toolCalls: first.end.toolCalls ?? [] },
      { role: "tool", text: "The boiler is in room 7.", toolCallId: call?.id ?? "" },
    ];
    const second = await collect(model.generate(next, options, never));
    assert.ok(second.end.reusedTokens >= first.end.promptTokens - 1, "the first prompt is not read again");
    assert.match(second.text, /room 7/);
    const last = await collect(model.generate(next, { ...options, toolChoice: "none" }, never));
    assert.ok(last.end.reusedTokens >= second.end.promptTokens - 1, "nor when no more calls may be made");
    assert.deepEqual([last.end.toolCalls, /room 7/.test(last.text)], [undefined, true]);
  });

  it("not where a grammar is given", async () => {
    const grammar = 'root ::= "no call"';
    const { text, end } = await collect(model.generate(question, { ...options, grammar }, never));
    assert.deepEqual([text, end.toolCalls], ["no call", undefined]);
  });

  it("until its limit, its deadline, or a stop, and answers the next call", async () => {
    const cut = await collect(model.generate(question, { ...options, maxTokens: 3 }, never));
    assert.deepEqual([cut.end.reason, cut.end.toolCalls], ["length", undefined]);
    const late = await collect(model.generate(question, { ...options, until: performance.now() + 1 }, never));
    assert.deepEqual([late.end.reason, late.end.toolCalls], ["deadline", undefined]);
    const story: readonly Message[] = [{ role: "user", text: "Tell a long story." }];
    const controller = new AbortController();
    await assert.rejects(async () => {
      const events = model.generate(story, { ...options, maxTokens: 400 }, controller.signal);
      for await (const event of events)
        if (event.type === "text-delta") controller.abort(new Error("enough"));
    }, /enough/);
    for await (const event of model.generate(story, { ...options, maxTokens: 400 }, never))
      if (event.type === "text-delta") break;
    assert.notEqual((await collect(model.generate(question, options, never))).end.toolCalls, undefined);
  });

  it("within its window, which the tools take part of", async () => {
    const long = { ...system, text: "word ".repeat(900) };
    const events = model.generate([long, { role: "user", text: "?" }], { ...options, maxTokens: 4 }, never);
    await assert.rejects(collect(events), { code: "USAGE_INVALID", message: /1024/ });
  });
});

describe("a conversation for a chat wrapper", () => {
  it("holds results in their calls, and what follows them in the same response", () => {
    const [, , model, user, response] = historyOf([system, ...answered("pump", 1), ...asked("fan", 2)]);
    assert.deepEqual(model, {
      type: "model",
      response: [
        {
          ...{ type: "functionCall", name: "search", params: { query: "pump" } },
          ...{ result: "The pump is in room 1.", startsNewChunk: true },
        },
        "In room 1.",
      ],
    });
    assert.equal(user?.type, "user");
    assert.ok(response?.type === "model" && response.response.length === 1);
  });

  it("keeps broken arguments as they were written", () => {
    const toolCalls = [{ id: "c", name: "search", arguments: '{"query' }];
    const [model] = historyOf([{ role: "assistant", text: "", toolCalls }]);
    assert.match(JSON.stringify(model), /"params":"\{\\"query"/);
  });

  it("offers what may be left out as what may be null", () => {
    const { search } = functionsOf(tools);
    assert.deepEqual(search?.params, {
      type: "object",
      additionalProperties: false,
      properties: {
        query: { type: "string" },
        limit: { oneOf: [{ type: "integer" }, { type: "null" }] },
      },
    });
  });
});
