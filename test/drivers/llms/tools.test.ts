import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { GenerateOptions, LanguageModel, Message, ModelTool } from "../../../src/core/answers/answer.ts";
import { z } from "../../../src/core/schema.ts";
import openOllama from "../../../src/drivers/llms/ollama.ts";
import openOpenai from "../../../src/drivers/llms/openai.ts";
import { openReplyReader } from "../../../src/drivers/llms/reply.ts";
import { type Loopback, openLoopback } from "../../helpers/loopback.ts";

const body = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullable() })),
});
let server: Loopback;
let base = "";
let bodies: z.infer<typeof body>[] = [];

const delta = (members: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: members, finish_reason: finish }] })}\n\n`;
const call = (name: string | undefined, given: unknown, more: object = {}): string =>
  delta({ tool_calls: [{ ...more, type: "function", function: { name, arguments: given } }] });
const done = (finish: string): string => `${delta({}, finish)}data: [DONE]\n\n`;
const chat = (message: object, more: object = {}): string =>
  `${JSON.stringify({ message: { role: "assistant", ...message }, done: false, ...more })}\n`;
const chatEnd = chat({ content: "" }, { done: true, done_reason: "stop" });
const piped = (parts: readonly string[]): readonly string[] => parts.map((content) => delta({ content }));
const query = '{"query": "relief valve"}';
const found = { name: "search", arguments: query };
const marked = ["Let me see. <tool", '_call>\n{"name": "search", "argu', `ments": ${query}}\n</tool_call>`];

/** Replies to a question with tools, as each server writes them. */
const replies: Record<string, readonly string[]> = {
  pieces: [
    delta({ role: "assistant", content: null }),
    call("search", "", { index: 0, id: "call_a" }),
    ...['{"que', 'ry": "relief', ' valve"}'].map((text) => call(undefined, text, { index: 0 })),
    call("read", "", { index: 1, id: "call_b" }),
    ...['{"page"', ": 14}"].map((text) => call(undefined, text, { index: 1 })),
    done("tool_calls"),
  ],
  whole: [call("search", query, { index: 0, id: "call_a" }), done("stop")],
  // Each with the same index, as Gemini gave them.
  sameIndex: [
    call("search", query, { index: 0, id: "call_a" }),
    call("read", '{"page": 14}', { index: 0, id: "call_b" }),
    done("tool_calls"),
  ],
  bare: [call("search", query), call("read", { page: 14 }), done("tool_calls")],
  sameId: [call("search", query, { id: "0" }), done("tool_calls")],
  broken: [call("search", '{"query": "relief', { index: 0, id: "call_a" }), done("length")],
  unstreamed: [
    `${JSON.stringify({ choices: [{ message: { content: null, tool_calls: [{ id: "call_a", function: found }] }, finish_reason: "tool_calls" }] })}\n`,
  ],
  signed: [
    call("search", query, { index: 0, id: "call_a", extra_content: { google: { thought_signature: "s" } } }),
    done("tool_calls"),
  ],
  marked: [...piped(marked), done("stop")],
  markedBroken: [
    ...piped(['<tool_call>{"name": "search", "arguments": {"query": "a "b""}}</tool_call>']),
    done("stop"),
  ],
  fenced: [...piped(["```json\n", '{"name": "search", "parameters": ', query, "}\n```"]), done("stop")],
  object: [...piped(['{"name": "sea', `rch", "arguments": ${query}}`]), done("stop")],
  otherObject: [...piped(['{"name": "delete", "argu', 'ments": {}}']), done("stop")],
  otherMark: [...piped(['<tool_call>{"name": "delete"}</tool_call>']), done("stop")],
  text: [...piped(["25 bar", " < 30", " bar."]), done("stop")],
  hanging: [...piped(["Let me see."]), call("search", '{"que', { index: 0, id: "call_a" })],
  // Ollama's.
  ollama: [
    chat({
      content: "",
      tool_calls: [{ function: { name: "search", arguments: { query: "relief valve" } } }],
    }),
    chat({ content: "", tool_calls: [{ function: { name: "read", arguments: { page: 14 } } }] }),
    chatEnd,
  ],
  ollamaText: [...marked.map((content) => chat({ content })), chatEnd],
};

/** Servers that refuse tools, and what they say. */
const refusals: Record<string, readonly [number, string]> = {
  vllm: [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  jinja: [500, "tools param requires --jinja flag"],
  router: [404, "No endpoints found that support tool use."],
  strict: [422, "extra inputs are not permitted: tools"],
  none: [501, "function calling is not implemented"],
  other: [400, "temperature is out of range"],
  refusingOllama: [400, '{"error":"registry.ollama.ai/library/gemma does not support tools"}'],
};

async function write(response: ServerResponse, parts: readonly string[], isOpen: boolean): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of parts) {
    // Cut anywhere, as a network does.
    response.write(part.slice(0, 9));
    await sleep(0);
    response.write(part.slice(9));
  }
  if (!isOpen) response.end();
}

const asObject = ['{"ans', 'wer": "25 b', "ar at 20 \\u00", 'b0C, \\"cold\\"."', "}"];
const objectReplies: Record<string, readonly string[]> = {
  call: ['{"call": {"name": "search", ', `"arguments": ${query}}}`],
  answer: asObject,
  ignored: ["25 bar, as the ", "data sheet says."],
};

before(async () => {
  server = await openLoopback(({ url = "" }, text, response) => {
    const asked = body.parse(JSON.parse(text));
    bodies.push(asked);
    const [, kind = "", what = ""] = url.split("/");
    const refusal = refusals[kind];
    if (refusal === undefined) return write(response, replies[kind] ?? [], kind === "hanging");
    const isBound = asked["response_format"] !== undefined || asked["format"] !== undefined;
    if (asked["tools"] !== undefined || (what === "unbound" && isBound)) {
      const said = what === "unbound" && isBound ? "response_format is not supported" : refusal[1];
      return response.writeHead(refusal[0]).end(said);
    }
    const parts = objectReplies[what] ?? asObject;
    if (url.endsWith("/api/chat"))
      return write(response, [...parts.map((content) => chat({ content })), chatEnd], false);
    return write(response, [...piped(parts), done("stop")], false);
  });
  ({ base } = server);
});
beforeEach(() => {
  bodies = [];
});
after(() => server[Symbol.asyncDispose]());

const tools: readonly ModelTool[] = [
  {
    name: "search",
    description: "Searches the documents.",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  },
  {
    name: "read",
    description: "Reads a page.",
    parameters: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] },
  },
];
const { signal: never } = new AbortController();
const question: readonly Message[] = [
  { role: "system", text: "Answer from the documents." },
  { role: "user", text: "At which pressure does the relief valve open?" },
];
const steps: readonly Message[] = [
  ...question,
  {
    role: "assistant",
    text: "",
    toolCalls: [
      { id: "call_a", name: "search", arguments: query },
      { id: "call_b", name: "read", arguments: '{"page": 14' },
    ],
  },
  { role: "tool", text: "[1] It opens at 25 bar.", toolCallId: "call_a" },
  { role: "tool", text: "the arguments are no JSON", toolCallId: "call_b" },
];

async function ask(
  model: LanguageModel,
  messages: readonly Message[] = question,
  options: Partial<GenerateOptions> = {},
) {
  const texts: string[] = [];
  for await (const event of model.generate(
    messages,
    { temperature: 0, maxTokens: 60, tools, ...options },
    never,
  )) {
    if (event.type === "text-delta") texts.push(event.text);
    else return { texts, text: texts.join(""), calls: event.toolCalls, reason: event.reason };
  }
  throw new Error("the stream has no end");
}
const openai = (path: string, more: object = {}) =>
  openOpenai({ model: "m", baseUrl: `${base}/${path}`, ...more });
const ollama = (path: string) => openOllama({ model: "m", baseUrl: `${base}/${path}` });
const page = { name: "read", arguments: '{"page":14}' };

describe("a model behind a server calls tools", () => {
  it("streamed in pieces, whole, with one index for all, without ids, as objects, or not streamed at all", async () => {
    const first = { id: "call_a", ...found };
    const made = { id: "call00001", ...found };
    for (const [path, calls] of Object.entries({
      pieces: [first, { id: "call_b", name: "read", arguments: '{"page": 14}' }],
      whole: [first],
      sameIndex: [first, { id: "call_b", name: "read", arguments: '{"page": 14}' }],
      bare: [made, { id: "call00002", ...page }],
      sameId: [{ id: "0", ...found }],
      unstreamed: [first],
    })) {
      await using model = await openai(path);
      const reply = await ask(model);
      assert.deepEqual([reply.calls, reply.text, reply.reason], [calls, "", "stop"], path);
    }
    await using model = await ollama("ollama");
    const { calls } = await ask(model);
    assert.deepEqual(calls, [
      { id: "call00001", name: "search", arguments: '{"query":"relief valve"}' },
      { id: "call00002", ...page },
    ]);
  });

  it("by an id that the conversation does not have yet", async () => {
    for (const path of ["whole", "bare"]) {
      await using model = await openai(path);
      const ids = (await ask(model, steps)).calls?.map(({ id }) => id) ?? [];
      assert.ok(ids.length > 0 && ids.every((id) => !["call_a", "call_b"].includes(id)), path);
    }
  });

  it("whose broken arguments are passed on as they were written", async () => {
    await using cut = await openai("broken");
    assert.deepEqual(await ask(cut), {
      ...{ texts: [], text: "", reason: "length" },
      calls: [{ id: "call_a", name: "search", arguments: '{"query": "relief' }],
    });
    await using model = await openai("markedBroken");
    const [call] = (await ask(model)).calls ?? [];
    assert.deepEqual([call?.name, call?.arguments], ["search", '{"query": "a "b""}}']);
  });

  it("and is told calls and results in its server's own words", async () => {
    await using model = await openai("whole");
    await ask(model, steps);
    const [sent] = bodies;
    assert.deepEqual(sent?.messages.slice(2), [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_a", type: "function", function: found },
          { id: "call_b", type: "function", function: { name: "read", arguments: '{"page": 14' } },
        ],
      },
      { role: "tool", tool_call_id: "call_a", content: "[1] It opens at 25 bar." },
      { role: "tool", tool_call_id: "call_b", content: "the arguments are no JSON" },
    ]);
    assert.equal(sent?.["tool_choice"], "auto");
    assert.deepEqual(
      sent?.["tools"],
      tools.map((tool) => ({ type: "function", function: tool })),
    );
    await ask(model, steps, { toolChoice: "none" });
    assert.deepEqual([bodies[1]?.["tools"], bodies[1]?.["tool_choice"]], [sent?.["tools"], "none"]);
    await using other = await ollama("ollama");
    await ask(other, steps);
    assert.deepEqual(bodies[2]?.messages.slice(2), [
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { function: { name: "search", arguments: { query: "relief valve" } } },
          { function: { name: "read", arguments: {} } },
        ],
      },
      { role: "tool", tool_name: "search", content: "[1] It opens at 25 bar." },
      { role: "tool", tool_name: "read", content: "the arguments are no JSON" },
    ]);
  });

  it("and gets its signed thoughts back with the call that they led to", async () => {
    await using model = await openai("signed");
    const { calls: toolCalls = [] } = await ask(model);
    const result: Message = { role: "tool", text: "25 bar", toolCallId: "call_a" };
    await ask(model, [...question, { role: "assistant", text: "", toolCalls }, result]);
    assert.match(JSON.stringify(bodies[1]?.messages), /"extra_content":{"google":{"thought_signature":"s"}}/);
  });

  it("in its text, only by the name of a tool that is offered", async () => {
    for (const path of ["marked", "fenced", "object"]) {
      await using model = await openai(path);
      const { calls, text } = await ask(model);
      assert.equal(calls?.length, 1, path);
      assert.deepEqual(calls?.[0]?.name, "search");
      assert.deepEqual(JSON.parse(calls?.[0]?.arguments ?? ""), { query: "relief valve" });
      assert.equal(text, path === "marked" ? "Let me see. " : "");
    }
    await using local = await ollama("ollamaText");
    assert.equal((await ask(local)).calls?.[0]?.name, "search");
    for (const path of ["otherObject", "otherMark"]) {
      await using model = await openai(path);
      const { calls, text } = await ask(model);
      assert.deepEqual([calls, text.includes('"delete"')], [undefined, true], path);
    }
    await using model = await openai("object");
    const { text, calls } = await ask(model, question, { tools: [] });
    assert.deepEqual([JSON.parse(text).name, calls], ["search", undefined]);
  });

  it("or answers, piece by piece as it writes", async () => {
    await using model = await openai("text");
    assert.deepEqual(await ask(model), {
      ...{ texts: ["25 bar", " < 30", " bar."], text: "25 bar < 30 bar.", calls: undefined, reason: "stop" },
    });
  });

  it("not where it must follow a grammar or a schema", async () => {
    for (const bound of [{ grammar: 'root ::= "x"' }, { schema: { type: "object" } }]) {
      await using model = await openai("text");
      await ask(model, question, bound);
      assert.equal(bodies.at(-1)?.["tools"], undefined);
    }
  });

  it("until it is stopped in the middle of a call", async () => {
    await using model = await openai("hanging", { timeoutMs: 60_000 });
    const controller = new AbortController();
    const since = performance.now();
    await assert.rejects(async () => {
      for await (const _ of model.generate(
        question,
        { temperature: 0, maxTokens: 60, tools },
        controller.signal,
      ))
        setTimeout(() => controller.abort(new Error("enough")), 20);
    }, /enough/);
    assert.ok(performance.now() - since < 5000);
    const late = await ask(model, question, { until: performance.now() + 100 });
    assert.deepEqual([late.reason, late.calls], ["deadline", undefined]);
  });

  it("with less room for its answer the more its tools, calls and results take", async () => {
    await using model = await openai("whole", { contextTokens: 400 });
    const rooms = [];
    for (const [messages, offered] of [
      [question, []],
      [question, tools],
      [steps, tools],
    ] as const) {
      await ask(model, messages, { tools: offered, maxTokens: 4000 });
      rooms.push(Number(bodies.at(-1)?.["max_tokens"]));
    }
    const [none = 0, offered = 0, after = 0] = rooms;
    assert.ok(none - offered > 80 && offered - after > 20, rooms.join());
    await assert.rejects(ask(model, question, { tools: Array(9).fill(tools).flat() }), {
      code: "USAGE_INVALID",
    });
  });
});

describe("a server without tools", () => {
  const servers = ["vllm", "jinja", "router", "strict", "none"];

  it("is offered them as a schema of its reply, at the cost of one failed request", async () => {
    for (const kind of servers) {
      bodies = [];
      await using model = await openai(`${kind}/call`);
      const { calls } = await ask(model);
      assert.deepEqual(calls, [{ id: "call00001", name: "search", arguments: '{"query":"relief valve"}' }]);
      await ask(model, steps);
      const forms = bodies.map((sent) => [
        sent["tools"] !== undefined,
        sent["response_format"] !== undefined,
      ]);
      assert.deepEqual(
        forms,
        [
          [true, false],
          [false, true],
          [false, true],
        ],
        kind,
      );
    }
    assert.deepEqual(bodies[2]?.messages.slice(1), [
      { role: "user", content: "At which pressure does the relief valve open?" },
      {
        role: "assistant",
        content: [
          '{"call":{"name":"search","arguments":{"query":"relief valve"}}}',
          '{"call":{"name":"read","arguments":"{\\"page\\": 14"}}',
        ].join("\n"),
      },
      {
        role: "user",
        content: "Result of search:\n[1] It opens at 25 bar.\n\nResult of read:\nthe arguments are no JSON",
      },
    ]);
    const [system] = bodies[2]?.messages ?? [];
    assert.match(system?.content ?? "", /^Answer from the documents\.\n\n.*"name":"search"/s);
  });

  it("of Ollama gets the schema as its format", async () => {
    await using model = await ollama("refusingOllama/call");
    assert.equal((await ask(model)).calls?.[0]?.name, "search");
    await ask(model);
    assert.deepEqual(
      bodies.map((sent) => [sent["tools"] !== undefined, sent["format"] !== undefined]),
      [
        [true, false],
        [false, true],
        [false, true],
      ],
    );
  });

  it("streams the answer out of its object", async () => {
    await using model = await openai("vllm/answer");
    const { text, texts, calls } = await ask(model);
    assert.equal(text, '25 bar at 20 °C, "cold".');
    assert.ok(texts.length >= 3 && calls === undefined);
  });

  it("that ignores the schema is taken at its word", async () => {
    await using model = await openai("vllm/ignored");
    const { text, texts } = await ask(model);
    assert.deepEqual([text, texts.length], ["25 bar, as the data sheet says.", 2]);
  });

  it("nor schemas is told them in its system message alone", async () => {
    await using model = await openai("strict/unbound");
    await ask(model);
    await ask(model);
    assert.equal(bodies.length, 4);
    assert.match(bodies[3]?.messages[0]?.content ?? "", /"name":"search"/);
  });

  it("is not asked for calls where its row says so, nor where none may be made", async () => {
    for (const form of ["schema", "text"]) {
      await using model = await openai("vllm/call", { tools: form });
      await ask(model);
      await ask(model, steps, { toolChoice: "none" });
    }
    assert.ok(bodies.every((sent) => sent["tools"] === undefined));
    const schemas = bodies.map((sent) => JSON.stringify(sent["response_format"] ?? "").includes("search"));
    assert.deepEqual(schemas, [true, false, false, false]);
  });

  it("whose refusal is of something else is not asked again", async () => {
    await using model = await openai("other/call");
    await assert.rejects(ask(model), { code: "PROVIDER_FAILED" });
    assert.equal(bodies.length, 1);
  });
});

describe("the reader of a reply", () => {
  it("gives the same text and calls however it is cut", () => {
    const texts = [
      marked.join(""),
      "a < b and <tool_cal> is no mark",
      asObject.join(""),
      '{"answer": "say \\ud83d\\ude00 twice\nand stop',
      "``` \nno call\n```",
      '```json\n{"call": {"name": "read", "arguments": {"page": 1}}}\n```',
      `<tool_call>{"name":"search","arguments":{}}</tool_call>\n<tool_call>{"name":"read"}</tool_call>`,
    ];
    for (const text of texts) {
      for (const form of ["text", "object"] as const) {
        const read = (size: number) => {
          const reader = openReplyReader(["search", "read"], form);
          let all = "";
          for (let at = 0; at < text.length; at += size) {
            const piece = reader.take(text.slice(at, at + size));
            assert.ok(piece.isWellFormed());
            all += piece;
          }
          const end = reader.end();
          return [all + end.text, end.calls];
        };
        const whole = read(text.length);
        for (const size of [1, 2, 3, 7]) assert.deepEqual(read(size), whole, `${form} ${size} ${text}`);
      }
    }
  });
});
