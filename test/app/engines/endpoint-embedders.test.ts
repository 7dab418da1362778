import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { after, before, describe, it, type TestContext } from "node:test";
import { createEmbedders } from "../../../src/app/engines/embedders.ts";
import { createEndpointEmbedders } from "../../../src/app/engines/endpoint-embedders.ts";
import { loadSettings } from "../../../src/config/load.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import { z } from "../../../src/core/schema.ts";
import { type Loopback, openLoopback } from "../../helpers/loopback.ts";
import { openWorld } from "../world.ts";

let server: Loopback;
let base = "";
const seen: { path: string; key: string; model: string; input: readonly string[] }[] = [];
const request = z.object({ model: z.string(), input: z.array(z.string()) });

/** Eight letters counted: texts alike are near. */
const vectorOf = (text: string): number[] =>
  [..."etaoinsr"].map((letter) => 1 + [...text.toLowerCase()].filter((each) => each === letter).length);

/** The forms in which servers answer, and those that none should. */
const forms: Readonly<Record<string, (vectors: readonly number[][], response: ServerResponse) => unknown>> = {
  // Of OpenAI's interface, in any order.
  v1: (vectors, response) => {
    const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).toReversed();
    response.end(
      JSON.stringify({ object: "list", data, model: "m", usage: { prompt_tokens: 8, total_tokens: 8 } }),
    );
  },
  api: (embeddings, response) =>
    response.end(JSON.stringify({ model: "m", embeddings, total_duration: 1, prompt_eval_count: 8 })),
  few: (embeddings, response) => response.end(JSON.stringify({ embeddings: embeddings.slice(1) })),
  short: (vectors, response) =>
    response.end(JSON.stringify({ embeddings: vectors.map((vector) => vector.slice(1)) })),
  zero: (vectors, response) =>
    response.end(JSON.stringify({ embeddings: vectors.map((vector) => vector.map(() => 0)) })),
  html: (_, response) => response.end("<html>"),
  refused: (_, response) => response.writeHead(401).end("bad key s3cret"),
  busy: (_, response) => response.writeHead(503).end("loading"),
  hang: () => undefined,
};

before(async () => {
  server = await openLoopback(({ url: path = "", headers }, body, response) => {
    const { model, input } = request.parse(JSON.parse(body));
    seen.push({ path, key: headers.authorization ?? "", model, input });
    forms[path.split("/")[1] ?? ""]?.(input.map(vectorOf), response);
  });
  ({ base } = server);
});
after(() => server[Symbol.asyncDispose]());

type Config = Readonly<Record<string, string | number>>;

/** Embedding models over a registry with a row of this provider. */
async function scene(
  context: Pick<TestContext, "after">,
  provider: "openai-compatible" | "ollama",
  config: Config,
) {
  const { core } = await openWorld(context);
  await core.providers.add({
    component: "embedding",
    provider,
    config: { model: "m", dimensions: 8, ...config },
  });
  const { settings } = loadSettings({ trust: false });
  const endpoints = createEndpointEmbedders(settings, core.providers, (name) => `value of ${name}`);
  const models = async () => assert.fail("no model of the manifest is asked for");
  const embedders = createEmbedders(settings, models, new AsyncDisposableStack(), undefined, endpoints);
  return { embedders, providers: core.providers, id: `embedding:${provider}` };
}

const { signal } = new AbortController();

describe("an embedding model at an endpoint", () => {
  it("gives one unit vector for each text, in their order, by either interface", async (test) => {
    for (const [provider, config, path] of [
      ["openai-compatible", { base_url: `http://HOST/v1`, api_key_env: "KEY" }, "/v1/embeddings"],
      ["ollama", { base_url: "http://HOST" }, "/api/embed"],
    ] as const) {
      const placed = { ...config, base_url: config.base_url.replace("http://HOST", base) };
      const { embedders, id } = await scene(test, provider, { ...placed, query_prefix: "search_query: " });
      const embedder = await embedders.of(id)();
      const texts = Array.from({ length: 70 }, (_, at) => `text ${"e".repeat(at)}`);
      const vectors = await embedder.embed(texts, { purpose: "passage" }, signal);
      assert.equal(vectors.length, 70);
      for (const [at, { dense }] of vectors.entries()) {
        const wanted = vectorOf(texts[at] ?? "");
        assert.ok(Math.abs((dense[0] ?? 0) / (dense[1] ?? 1) - (wanted[0] ?? 0) / (wanted[1] ?? 1)) < 1e-4);
        assert.ok(Math.abs(Math.hypot(...dense) - 1) < 1e-5);
      }
      await embedder.embed(["torque?"], { purpose: "query" }, signal);
      const last = seen.at(-1);
      assert.deepEqual(last?.input, ["search_query: torque?"]);
      assert.deepEqual([last?.path, last?.model], [path, "m"]);
      assert.equal(last?.key, provider === "ollama" ? "" : "Bearer value of KEY");
    }
  });

  it("is told apart by its model, dimensions and prefixes, without being asked, and not by where it is", async (test) => {
    const { embedders, providers, id } = await scene(test, "ollama", { base_url: base });
    const asked = seen.length;
    const { fingerprint: first, ...facts } = await embedders.facts(id);
    assert.deepEqual(facts, { id, dimensions: 8, maxTokens: 512, lexical: "bm25", analyzer: "standard" });
    const after = async (config: Config) => {
      await providers.set("embedding/ollama", {
        config: { model: "m", dimensions: 8, base_url: base, ...config },
      });
      return (await embedders.facts(id)).fingerprint;
    };
    assert.equal(await after({ base_url: "http://elsewhere:1" }), first);
    for (const config of [{ model: "other" }, { dimensions: 16 }, { passage_prefix: "passage: " }])
      assert.notEqual(await after(config), first);
    assert.equal(seen.length, asked);
    assert.equal((await embedders.of(id)()).fingerprint, (await embedders.facts(id)).fingerprint);
  });

  it("that is down, slow, or gives something else says so, without its address or what it said", async (test) => {
    const config = { timeout_ms: 300 };
    for (const [path, code, message] of [
      ["few", "PROVIDER_FAILED", /one vector per text/],
      ["short", "PROVIDER_FAILED", /vectors of 7 dimensions, but is configured for 8/],
      ["zero", "PROVIDER_FAILED", /an empty vector/],
      ["html", "PROVIDER_FAILED", /one vector per text/],
      ["refused", "PROVIDER_FAILED", /status 401$/],
      ["busy", "PROVIDER_UNAVAILABLE", /status 503/],
      ["hang", "PROVIDER_UNAVAILABLE", /within 300 ms/],
      ["down", "PROVIDER_UNAVAILABLE", /cannot be reached/],
    ] as const) {
      const at = path === "down" ? "http://127.0.0.1:1" : `${base}/${path}`;
      const { embedders, id } = await scene(test, "ollama", { ...config, base_url: at });
      const embedder = await embedders.of(id)();
      const failed = await embedder
        .embed(["one", "two"], { purpose: "query" }, signal)
        .catch((error) => error);
      assert.ok(failed instanceof RagctlError, path);
      assert.equal(failed.code, code, path);
      assert.match(failed.message, message);
      assert.doesNotMatch(failed.message + failed.hint, /127\.0\.0\.1|s3cret/);
    }
  });

  it("needs an enabled row that states its dimensions", async (test) => {
    const { embedders, providers } = await scene(test, "ollama", { base_url: base });
    await assert.rejects(embedders.facts("embedding:openai-compatible"), {
      code: "MODEL_MISSING",
      hint: /providers add embedding\/openai-compatible/,
    });
    const add = (provider: "openai-compatible" | "openai", config: Config) => () =>
      providers.add({ component: "embedding", provider, config });
    const faults = { code: "USAGE_INVALID" };
    await assert.rejects(add("openai-compatible", { model: "m", base_url: base }), {
      ...faults,
      message: /dimensions/,
    });
    await assert.rejects(add("openai", { model: "m", dimensions: 8 }), {
      ...faults,
      message: /openai-compatible or ollama/,
    });
  });
});
