import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  Generated,
  GenerateOptions,
  LanguageModel,
  Message,
} from "../../../../src/core/answers/answer.ts";
import { RagctlError } from "../../../../src/core/errors.ts";
import { z } from "../../../../src/core/schema.ts";
import { evidenceDefaults } from "../../../../src/pipeline/answer/evidence.ts";
import { type ReaderTool, readerTool } from "../../../../src/pipeline/answer/tools/tool.ts";
import { answerInSteps, type StepsOptions } from "../../../../src/pipeline/answer/tools/tools.ts";
import { countWords, hitOf, runOf } from "../../fixtures.ts";

type Reply = string | { readonly calls: readonly (readonly [string, unknown])[] };

/** A reader that gives one reply after another, the last one again and again. */
function scripted(...replies: readonly Reply[]) {
  const asked: { messages: readonly Message[]; options: GenerateOptions }[] = [];
  const model: LanguageModel = {
    id: "scripted",
    contextTokens: 8000,
    provider: "test",
    count: countWords,
    async *generate(messages, options): AsyncGenerator<Generated> {
      const reply = replies[Math.min(asked.length, replies.length - 1)] ?? "";
      asked.push({ messages: [...messages], options });
      if (typeof reply === "string") yield { type: "text-delta", text: reply };
      const calls = typeof reply === "string" || options.toolChoice === "none" ? [] : reply.calls;
      yield {
        ...{ type: "generation-end", reason: "stop", promptTokens: 9, reusedTokens: 0 },
        ...{ outputTokens: 5, prefillMs: 1, decodeMs: 1 },
        toolCalls: calls.map(([name, given], at) => ({
          ...{ id: `call-${asked.length}-${at}`, name },
          arguments: typeof given === "string" ? given : JSON.stringify(given),
        })),
      };
    },
    async [Symbol.asyncDispose]() {},
  };
  return { model, asked };
}

const hits = [
  hitOf("The library opens at nine every day."),
  hitOf("The garden has 40 roses.", { id: "v2-1" }),
];

const searched: string[] = [];
const search: ReaderTool = readerTool(
  "search",
  "Search.",
  z.strictObject({ query: z.string() }),
  async ({ query }) => {
    searched.push(query);
    if (query === "closed")
      throw new RagctlError("NOT_FOUND", "there is no document “closed”", { hint: "try open" });
    return {
      decided: `searching for “${query}”`,
      hits: [hits[0] ?? hitOf(""), hitOf("It closes at five.", { id: "v3-1" })],
    };
  },
);

const options: StepsOptions = {
  ...{ evidence: evidenceDefaults, contextTokens: 2000, maxPassages: 20, calls: 5, maxTokens: 200 },
  ...{ temperature: 0, grounded: "prefer", findings: [], history: [], today: "2026-11-28" },
};

async function answered(
  reader: ReturnType<typeof scripted>,
  changed: Partial<StepsOptions> = {},
  run = runOf(),
) {
  const drivers = {
    model: reader.model,
    tools: [search],
    tables: async () => "",
    fence: "f00d",
    calculate: () => null,
  };
  const steps = answerInSteps("When does the library open?", hits, { ...options, ...changed }, drivers, run);
  const trace: string[] = [];
  let next = await steps.next();
  for (; next.done !== true; next = await steps.next())
    if (next.value.type === "node-end") trace.push(`${next.value.event.node}: ${next.value.event.decided}`);
  return { draft: next.value, trace };
}

const lastMessage = ({ asked }: ReturnType<typeof scripted>): string =>
  asked.at(-1)?.messages.at(-1)?.text ?? "";

describe("an able reader", () => {
  it("answers an easy question in one call, whole and with its citations", async () => {
    const reader = scripted("The library opens at nine [1].");
    const { draft, trace } = await answered(reader);
    assert.equal(draft.text, "The library opens at nine [1].");
    assert.deepEqual([draft.verdict.status, reader.asked.length, trace], ["answered", 1, []]);
    assert.deepEqual(
      draft.citations.map(({ marker, quote }) => [marker, quote]),
      [[1, "The library opens at nine every day."]],
    );
  });

  it("is shown what a search finds under new numbers, and told which passages were found again", async () => {
    const reader = scripted({ calls: [["search", { query: "closing time" }]] }, "It closes at five [3].");
    const { draft, trace } = await answered(reader);
    assert.deepEqual(trace, ["search: searching for “closing time”"]);
    assert.match(
      reader.asked[1]?.messages.at(-1)?.text ?? "",
      /\[3\] report\.pdf, page 3\n> It closes at five\./,
    );
    assert.match(reader.asked[1]?.messages.at(-1)?.text ?? "", /Shown before: \[1\]\./);
    assert.deepEqual(
      draft.citations.map(({ chunkId }) => chunkId),
      ["v3-1"],
    );
  });

  it("appends every step to what was said before, so that nothing is read twice", async () => {
    const reader = scripted(
      { calls: [["search", { query: "a" }]] },
      { calls: [["search", { query: "b" }]] },
      "So [1].",
    );
    await answered(reader);
    const [first, second, third] = reader.asked.map(({ messages }) => messages);
    assert.deepEqual(second?.slice(0, first?.length), first);
    assert.deepEqual(third?.slice(0, second?.length), second);
  });

  const told: readonly (readonly [string, string, unknown, RegExp])[] = [
    ["a tool that does not exist", "serach", { query: "a" }, /there is no tool “serach”.*search/],
    ["arguments that are no JSON", "search", "{query: open", /the arguments are no JSON/],
    ["arguments of another form", "search", { words: "a" }, /search: /],
    [
      "a document that it may not read",
      "search",
      { query: "closed" },
      /there is no document “closed”; try open/,
    ],
  ];
  for (const [what, name, given, expected] of told)
    it(`is told of ${what}, and may mend it`, async () => {
      const reader = scripted({ calls: [[name, given]] }, "The library opens at nine [1].");
      const { draft } = await answered(reader);
      assert.match(reader.asked[1]?.messages.at(-1)?.text ?? "", expected);
      assert.equal(draft.verdict.status, "answered");
    });

  it("is refused the same call twice", async () => {
    const call = { calls: [["search", { query: "again" }]] } as const;
    searched.length = 0;
    const reader = scripted(call, call, "The library opens at nine [1].");
    await answered(reader);
    assert.deepEqual(searched, ["again"]);
    assert.match(lastMessage(reader), /this call was made before/);
  });

  it("that calls tools for ever is told to answer at its last reply, where it may call none", async () => {
    let round = 0;
    const endless = scripted("");
    const { generate } = endless.model;
    const model: LanguageModel = {
      ...endless.model,
      async *generate(messages, given, signal) {
        for await (const event of generate(messages, given, signal)) {
          if (event.type !== "generation-end" || given.toolChoice === "none") yield event;
          else
            yield {
              ...event,
              toolCalls: [
                { id: String(round), name: "search", arguments: JSON.stringify({ query: `q${round++}` }) },
              ],
            };
        }
      },
    };
    const { draft } = await answered({ model, asked: endless.asked });
    assert.equal(endless.asked.length, options.calls);
    const last = endless.asked.at(-1);
    // They stay in the prompt, so that nothing of it is read twice.
    assert.deepEqual([last?.options.tools?.length, last?.options.toolChoice], [1, "none"]);
    assert.match(last?.messages.at(-1)?.text ?? "", /Answer now/);
    assert.equal(draft.verdict.status, "refused");
  });

  it("refuses in its own words where the documents hold no answer", async () => {
    const reader = scripted("NOT FOUND. The passages name the opening hours only [1].");
    const { draft } = await answered(reader);
    assert.deepEqual(
      [draft.verdict.status, draft.text],
      ["refused", "The passages name the opening hours only [1]."],
    );
  });

  it("may cite several passages in one pair of brackets, and none that it was not shown", async () => {
    const reader = scripted("It opens at nine [1, 2]. It has a garden [2][9].");
    const { draft } = await answered(reader);
    assert.equal(draft.text, "It opens at nine [1][2]. It has a garden [2].");
  });

  it("makes no call after a stop", async () => {
    const stop = new AbortController();
    const reader = scripted({
      calls: [
        ["search", { query: "a" }],
        ["search", { query: "stopped" }],
      ],
    });
    searched.length = 0;
    const drivers = {
      model: reader.model,
      tools: [search],
      tables: async () => "",
      fence: "f00d",
      calculate: () => null,
    };
    const steps = answerInSteps("When does it open?", hits, options, drivers, runOf(stop.signal));
    await assert.rejects(async () => {
      for await (const event of steps) if (event.type === "node-end") stop.abort(new Error("stopped"));
    }, /stopped/);
    assert.deepEqual([searched, reader.asked.length], [["a"], 1]);
  });
});
