import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModel, Message } from "../../../src/core/answers/answer.ts";
import { z } from "../../../src/core/schema.ts";
import openOllama from "../../../src/drivers/llms/ollama.ts";
import openOpenai from "../../../src/drivers/llms/openai.ts";
import { languageModelContract } from "../../contracts/language-model.ts";
import { type Loopback, openLoopback } from "../../helpers/loopback.ts";

let server: Loopback;
let base = "";
const seen: { path: string; headers: IncomingMessage["headers"]; body: Record<string, unknown> }[] = [];

const request = z.looseObject({
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  max_tokens: z.number().optional(),
  grammar: z.string().optional(),
  options: z.looseObject({ num_predict: z.number() }).optional(),
});

/**
 * A provider whose tokens are words: it repeats the question until its limit, and knows what of a prompt it
 * has seen last.
 */
const state: { prompt: readonly string[] } = { prompt: [] };
function written(body: unknown) {
  const { messages, max_tokens: maxTokens, options, grammar } = request.parse(body);
  const prompt = messages.flatMap(({ role, content }) => [`<${role}>`, ...content.split(/\s+/)]);
  const differs = prompt.findIndex((word, index) => word !== state.prompt[index]);
  const reused = Math.min(differs === -1 ? prompt.length : differs, prompt.length - 1);
  state.prompt = prompt;
  const limit = maxTokens ?? options?.num_predict ?? 10;
  const question = messages.at(-1)?.content.split(" ") ?? [];
  const words =
    grammar === undefined
      ? Array.from({ length: limit }, (_, index) => `${question[index % question.length]} `)
      : ["yes ", "[1", "]"];
  return { prompt: prompt.length, reused, words, reason: grammar === undefined ? "length" : "stop" };
}

const odd: Record<string, (response: ServerResponse) => unknown> = {
  slow: () => undefined,
  silent: (response) => response.writeHead(200).write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n'),
  html: (response) => response.end("<html>hello</html>"),
  malformed: (response) => response.end('data: {"choices": [}\n\n{"message": [}\n'),
  wrong: (response) => response.end('data: {"choices": "none"}\n\n'),
  cut: (response) => response.end('data: {"choices":[{"delta":{"content":"half"}}]}\n\n'),
  broken: (response) => {
    response.writeHead(200).write('{"message":{"content":"a"}}\n');
    setTimeout(() => response.destroy(), 50);
  },
  error: (response) => response.end('data: {"error":{"message":"no such model"}}\n\n'),
  status: (response) => response.writeHead(401).end("bad key"),
  leak: (response) =>
    response.writeHead(401).end("bad key sk-LIVE-abcdef123456: Bearer other, sk-proj-123456789"),
  busy: (response) => response.writeHead(503).end("loading"),
  redirect: (response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
  endless: (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  },
};

async function answer(path: string, body: unknown, response: ServerResponse): Promise<void> {
  const { prompt, reused, words, reason } = written(body);
  const openai = path.endsWith("/chat/completions");
  response.writeHead(200, { "content-type": openai ? "text/event-stream" : "application/x-ndjson" });
  if (openai) response.write(": a comment\n\n");
  for (const word of words) {
    if (response.destroyed) return;
    const part = openai
      ? `data: ${JSON.stringify({ choices: [{ delta: { content: word }, finish_reason: null }] })}\n\n`
      : `${JSON.stringify({ message: { content: word }, done: false })}\n`;
    // Cut anywhere, as a network does.
    response.write(part.slice(0, 7));
    await sleep(words.length > 50 ? 2 : 0);
    response.write(part.slice(7));
  }
  if (openai) {
    response.write(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: reason }] })}\n\n`);
    response.write(
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: words.length, prompt_tokens_details: { cached_tokens: reused } } })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  } else
    response.end(
      JSON.stringify({
        done: true,
        done_reason: reason,
        prompt_eval_count: prompt,
        eval_count: words.length,
      }),
    );
}

before(async () => {
  server = await openLoopback(({ url: path = "", headers }, text, response) => {
    const body = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    seen.push({ path, headers, body });
    const fault = odd[path.split("/")[1] ?? ""];
    if (fault === undefined) void answer(path, body, response);
    else fault(response);
  });
  ({ base } = server);
});
after(() => server[Symbol.asyncDispose]());

languageModelContract(
  "a server of OpenAI's interface",
  () => openOpenai({ model: "words", baseUrl: `${base}/v1`, grammar: "llama.cpp", contextTokens: 2048 }),
  false,
);

const { signal } = new AbortController();
const messages: readonly Message[] = [{ role: "user", text: "one two three" }];
async function text(model: LanguageModel, options: { readonly grammar?: string } = {}): Promise<string> {
  let all = "";
  for await (const event of model.generate(messages, { temperature: 0.2, maxTokens: 4, ...options }, signal))
    if (event.type === "text-delta") all += event.text;
  return all;
}
const kinds = {
  openai: (path: string, timeoutMs = 2000) =>
    openOpenai({ model: "m", baseUrl: `${base}/${path}`, timeoutMs }),
  ollama: (path: string, timeoutMs = 2000) =>
    openOllama({ model: "m", baseUrl: `${base}/${path}`, timeoutMs }),
};

describe("a provider over HTTP", () => {
  it("tells Ollama how long to keep the model, only where its row says so", async () => {
    for (const keepAlive of ["10m", undefined]) {
      await using ollama = await openOllama({
        model: "m",
        baseUrl: base,
        ...(keepAlive === undefined ? {} : { keepAlive }),
      });
      await Array.fromAsync(ollama.generate(messages, { temperature: 0, maxTokens: 3 }, signal));
      assert.equal(seen.at(-1)?.body["keep_alive"], keepAlive);
    }
  });

  it("is asked at its interface's address with its key, which goes nowhere else", async () => {
    await using openai = await openOpenai({ model: "m", baseUrl: `${base}/v1/`, apiKey: "s3cret" });
    assert.equal(await text(openai), "one two three one ");
    assert.equal(seen.at(-1)?.path, "/v1/chat/completions");
    assert.equal(seen.at(-1)?.headers.authorization, "Bearer s3cret");
    await using ollama = await openOllama({ model: "m", baseUrl: base });
    const events = await Array.fromAsync(ollama.generate(messages, { temperature: 0, maxTokens: 3 }, signal));
    assert.equal(seen.at(-1)?.path, "/api/chat");
    assert.equal(seen.at(-1)?.headers.authorization, undefined);
    const end = events.at(-1);
    assert.ok(
      end?.type === "generation-end" &&
        end.reason === "length" &&
        end.outputTokens === 3 &&
        end.promptTokens === 4,
    );
  });

  it("sends Ollama the JSON Schema of what is asked for, and others none", async () => {
    const schema = { type: "object", properties: { tool: { const: "none" } }, required: ["tool"] };
    const asked = { temperature: 0, maxTokens: 3, schema };
    for (const [open, format] of [
      [() => openOllama({ model: "m", baseUrl: base }), schema],
      [() => openOpenai({ model: "m", baseUrl: `${base}/v1` }), undefined],
    ] as const) {
      await using model = await open();
      await Array.fromAsync(model.generate(messages, asked, signal));
      assert.deepEqual(seen.at(-1)?.body["format"], format);
    }
  });

  it("sends a grammar only as its row says it is understood", async () => {
    for (const [grammar, member] of [
      ["llama.cpp", "grammar"],
      ["vllm", "guided_grammar"],
    ] as const) {
      await using model = await openOpenai({ model: "m", baseUrl: base, grammar });
      await text(model, { grammar: 'root ::= "x"' });
      assert.equal(seen.at(-1)?.body[member], 'root ::= "x"');
    }
    for (const open of [
      () => openOpenai({ model: "m", baseUrl: base }),
      () => openOllama({ model: "m", baseUrl: base }),
    ]) {
      await using model = await open();
      await text(model, { grammar: 'root ::= "x"' });
      assert.ok(!JSON.stringify(seen.at(-1)?.body).includes("root ::="));
    }
  });

  it("that is down, slow, silent or busy is unavailable, by its address", async () => {
    for (const [kind, open] of Object.entries(kinds)) {
      for (const path of ["slow", "silent", "busy"]) {
        await using model = await open(path, 250);
        await assert.rejects(
          text(model),
          {
            code: /silent/.test(path) && kind === "ollama" ? /PROVIDER_/ : "PROVIDER_UNAVAILABLE",
            message: new RegExp(`127\\.0\\.0\\.1:\\d+/${path}`),
          },
          `${kind} ${path}`,
        );
      }
    }
    const gone = await openLoopback(() => undefined);
    await gone[Symbol.asyncDispose]();
    await using down = await openOpenai({ model: "m", baseUrl: `${gone.base}/v1` });
    const message = new RegExp(`${gone.base.replaceAll(".", "\\.")}/v1.*ECONNREFUSED`);
    await assert.rejects(text(down), { code: "PROVIDER_UNAVAILABLE", message });
  });

  it("that answers malformed JSON, another form, half an answer, an error, a status or a redirect has failed, by its address", async () => {
    for (const [kind, open] of Object.entries(kinds)) {
      for (const path of [
        "html",
        "malformed",
        "wrong",
        "cut",
        "broken",
        "error",
        "status",
        "redirect",
        "endless",
      ]) {
        await using model = await open(path);
        await assert.rejects(
          text(model),
          { code: "PROVIDER_FAILED", message: new RegExp(`127\\.0\\.0\\.1:\\d+/${path}`) },
          `${kind} ${path}`,
        );
      }
    }
  });

  it("that repeats a key in its error is quoted without it", async () => {
    await using model = await openOpenai({
      model: "m",
      baseUrl: `${base}/leak`,
      apiKey: "sk-LIVE-abcdef123456",
    });
    await assert.rejects(text(model), {
      code: "PROVIDER_FAILED",
      message: /status 401: bad key \*\*\*: Bearer \*\*\*, \*\*\*$/,
    });
  });

  it("stops when its run is aborted or it is closed, and refuses what is no address", async () => {
    for (const open of Object.values(kinds)) {
      const controller = new AbortController();
      await using model = await open("slow", 30_000);
      setTimeout(() => controller.abort(new Error("enough")), 100);
      await assert.rejects(
        Array.fromAsync(model.generate(messages, { temperature: 0, maxTokens: 4 }, controller.signal)),
        /enough/,
      );
    }
    const model = await kinds.openai("slow", 30_000);
    setTimeout(() => void model[Symbol.asyncDispose](), 100);
    await assert.rejects(text(model), { code: "PROVIDER_FAILED", message: /closed/ });
    for (const baseUrl of ["", "ftp://host", "http://user:pw@host/", "host:1234x"])
      await assert.rejects(openOllama({ model: "m", baseUrl }), { code: "CONFIG_INVALID" });
  });
});
