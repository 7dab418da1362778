import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { GenerateOptions, LanguageModel } from "../../../src/core/answers/answer.ts";
import { z } from "../../../src/core/schema.ts";
import openOllama from "../../../src/drivers/llms/ollama.ts";
import openOpenai from "../../../src/drivers/llms/openai.ts";
import { createThinkingFilter } from "../../../src/drivers/llms/thoughts.ts";
import { probeServerModel } from "../../../src/drivers/llms/window.ts";
import { type Loopback, openLoopback } from "../../helpers/loopback.ts";

let server: Loopback;
let base = "";
const bodies: Record<string, unknown>[] = [];

const delta = (members: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: members, finish_reason: finish }] })}\n\n`;
const chat = (message: object, more: object = { done: false }): string =>
  `${JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", ...message }, ...more })}\n`;
const ended = { done: true, done_reason: "stop", eval_count: 9, prompt_eval_count: 20 };

/** Streams as each server writes them. */
const streams: Record<string, readonly string[]> = {
  // llama-server with a thinking model; the usage has no choices.
  llama: [
    delta({ role: "assistant", content: null }),
    delta({ reasoning_content: "The passage says" }),
    delta({ reasoning_content: " 25 bar." }),
    delta({ content: "25 bar" }),
    delta({ content: " [1]." }),
    delta({}, "stop"),
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 9 }, timings: {} })}\n\n`,
    "data: [DONE]\n\n",
  ],
  vllm: [
    delta({ role: "assistant", content: "" }),
    delta({ reasoning: "Let me see." }),
    delta({ content: "25 bar [1]." }),
    delta({}, "stop"),
    "data: [DONE]\n\n",
  ],
  // Without a parser of thoughts they are text, cut anywhere.
  raw: [
    ...["\n<th", "ink>The pass", "age says 16 bar. No: 25.</", "think>", "\n\n25 bar", " [1]."].map(
      (content) => delta({ content }),
    ),
    delta({}, "stop"),
    "data: [DONE]\n\n",
  ],
  // Some proxies leave the reason out.
  reasonless: [delta({ content: "25 bar [1]." }), "data: [DONE]\n\n"],
  spent: [
    ...Array.from({ length: 6 }, () => delta({ reasoning_content: "Hm. " })),
    delta({}, "length"),
    "data: [DONE]\n\n",
  ],
  spentRaw: [...["<think>", "Hm. ", "Hm. "].map((content) => delta({ content })), delta({}, "length")],
  "api/chat": [
    chat({ content: "", thinking: "The passage" }),
    chat({ content: "", thinking: " says 25." }),
    chat({ content: "25 bar [1]." }),
    chat({ content: "" }, ended),
  ],
};

/** What servers tell of their models. */
const told: Record<string, object> = {
  "/vllm/v1/models": { object: "list", data: [{ id: "m", object: "model", max_model_len: 4096 }] },
  "/llama/v1/models": { object: "list", data: [{ id: "m.gguf", meta: { n_ctx_train: 131_072 } }] },
  "/llama/props": { default_generation_settings: { id: 0, n_ctx: 16_384 }, total_slots: 1 },
  "/studio/v1/models": { object: "list", data: [{ id: "m", object: "model" }] },
  "/studio/props": { error: "Unexpected endpoint or method. (GET /props)" },
  "/studio/api/v0/models": {
    object: "list",
    data: [
      { id: "m", type: "llm", state: "loaded", max_context_length: 131_072, loaded_context_length: 5000 },
    ],
  },
  "/unloaded/api/v0/models": { data: [{ id: "m", state: "not-loaded", max_context_length: 131_072 }] },
  "/tiny/v1/models": { data: [{ id: "m", max_model_len: 512 }] },
  "/wrong/v1/models": { data: "none" },
  "/zero/v1/models": { data: [{ id: "m", max_model_len: -1 }] },
  "/ollama/api/show": {
    parameters: 'stop                           "<|im_end|>"',
    model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
    capabilities: ["completion", "thinking"],
  },
  "/short/api/show": { model_info: { "llama.context_length": 2048 }, capabilities: ["completion"] },
  "/set/api/show": {
    parameters: "num_ctx 16384\ntemperature 0.6",
    model_info: { "llama.context_length": 131_072 },
  },
};

async function write(response: ServerResponse, parts: readonly string[]): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of parts) {
    response.write(part);
    await sleep(0);
  }
  response.end();
}

/** Thinks for as long as somebody listens, whatever was asked for. */
async function thinkOn(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(delta({ reasoning_content: "Hm. " }));
    await sleep(1);
  }
}

before(async () => {
  server = await openLoopback(({ url: path = "", method }, body, response) => {
    const answer = told[path];
    if (body !== "") bodies.push(z.record(z.string(), z.unknown()).parse(JSON.parse(body)));
    const stream = Object.entries(streams).find(([name]) => path.includes(`/${name}`))?.[1];
    if (answer !== undefined) response.end(JSON.stringify(answer));
    else if (path.startsWith("/hang")) return;
    else if (path.startsWith("/forever")) void thinkOn(response);
    else if (stream !== undefined && method === "POST") void write(response, stream);
    else response.writeHead(404).end("not found");
  });
  ({ base } = server);
});
after(() => server[Symbol.asyncDispose]());

const { signal } = new AbortController();
async function answer(model: LanguageModel, options: Partial<GenerateOptions> = {}): Promise<string> {
  let all = "";
  const asked = { temperature: 0, maxTokens: 40, ...options };
  for await (const event of model.generate([{ role: "user", text: "pressure?" }], asked, signal))
    if (event.type === "text-delta") all += event.text;
  return all;
}
const openai = (path: string) => openOpenai({ model: "m", baseUrl: `${base}/${path}` });

describe("a server that serves models", () => {
  it("thinks beside its answer, or in marks before it, and only the answer counts", async () => {
    for (const path of ["llama", "vllm", "raw", "reasonless"]) {
      await using model = await openai(path);
      assert.equal((await answer(model)).trim(), "25 bar [1].", path);
    }
    await using ollama = await openOllama({ model: "m", baseUrl: base });
    assert.equal(await answer(ollama), "25 bar [1].");
  });

  it("is said to have spent its tokens on thinking, and left when it thinks for ever", async () => {
    for (const path of ["spent", "spentRaw", "forever"]) {
      await using model = await openai(path);
      await assert.rejects(answer(model, { maxTokens: 6 }), {
        code: "PROVIDER_FAILED",
        message: new RegExp(`${path}.*all 6 tokens for thinking`),
      });
    }
    await using model = await openai("forever");
    const until = performance.now() + 100;
    assert.equal(await answer(model, { maxTokens: 100_000, until }), "");
  });

  it("is asked not to think where it takes that wish", async () => {
    for (const mayThink of [true, false]) {
      await using ollama = await openOllama({ model: "m", baseUrl: base, mayThink });
      await answer(ollama);
      assert.equal(bodies.at(-1)?.["think"], mayThink ? false : undefined);
      await using vllm = await openOpenai({ model: "m", baseUrl: `${base}/vllm`, mayThink });
      await answer(vllm);
      const wish = mayThink ? { enable_thinking: false } : undefined;
      assert.deepEqual(bodies.at(-1)?.["chat_template_kwargs"], wish);
    }
  });

  it("is asked for no more than its window holds beside the prompt", async () => {
    await using model = await openOpenai({ model: "m", baseUrl: `${base}/vllm`, contextTokens: 40 });
    await answer(model, { maxTokens: 320 });
    assert.equal(bodies.at(-1)?.["max_tokens"], 33);
  });

  it("tells its window, and is believed no further than it is sensible", async () => {
    for (const [path, window] of [
      ["vllm/v1", 4096],
      ["llama/v1", 16_384],
      ["llama/v1/", 16_384],
      ["studio/v1", 5000],
      ["unloaded/v1", 8192],
      ["tiny/v1", 512],
      ["zero/v1", 8192],
      ["wrong/v1", undefined],
      ["nothing/v1", undefined],
    ] as const) {
      const { contextTokens } = await probeServerModel("openai", { model: "m", baseUrl: `${base}/${path}` });
      assert.equal(contextTokens, window, path);
    }
    for (const [path, expected] of [
      ["ollama", { contextTokens: 8192, mayThink: true, tools: "schema" }],
      ["short", { contextTokens: 2048, mayThink: false, tools: "schema" }],
      ["set", { contextTokens: 16_384, mayThink: false }],
      ["nothing", {}],
    ] as const)
      assert.deepEqual(
        await probeServerModel("ollama", { model: "m", baseUrl: `${base}/${path}` }),
        expected,
        path,
      );
  });

  it("that is down or silent tells nothing, soon", async () => {
    const since = performance.now();
    assert.deepEqual(
      await probeServerModel("openai", { model: "m", baseUrl: `${base}/hang`, timeoutMs: 100 }),
      {},
    );
    assert.deepEqual(await probeServerModel("ollama", { model: "m", baseUrl: "http://127.0.0.1:1" }), {});
    assert.ok(performance.now() - since < 3000);
    await assert.rejects(probeServerModel("openai", { model: "m", baseUrl: "ftp://host" }), {
      code: "CONFIG_INVALID",
    });
  });
});

describe("the filter of thoughts", () => {
  const filtered = (text: string, size: number): string => {
    const filter = createThinkingFilter();
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    return pieces.map((piece) => filter.take(piece)).join("") + filter.rest();
  };

  it("takes out what stands in marks before the answer, however it is cut", () => {
    for (const size of [1, 2, 3, 7, 100])
      for (const [text, kept] of [
        ["<think>a</think>b", "b"],
        [" \n<think></think>\n\n<think>x < y</think> b [1]", " b [1]"],
        ["<thinking>a </think> b</thinking>c", "c"],
        ["[THINK]a[/THINK]b", "b"],
        ["<think>never ends", ""],
        ["<thin", "<thin"],
        ["[1] says <think>a</think>", "[1] says <think>a</think>"],
        ["<b>bold</b>", "<b>bold</b>"],
        ["", ""],
      ] as const)
        assert.equal(filtered(text, size), kept, `${text} by ${size}`);
  });
});
