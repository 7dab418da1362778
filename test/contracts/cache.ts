import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it, type TestContext } from "node:test";
import type { Cache } from "../../src/cache/cache.ts";
import type { Embedding } from "../../src/core/documents/embedding.ts";

export interface CacheSetting {
  readonly ttlSeconds?: number;
  /** Milliseconds since 1970; only caches that keep the time themselves follow it. */
  readonly now?: () => number;
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const vector = (seed: number, dimensions: number): Float32Array =>
  Float32Array.from({ length: dimensions }, (_, index) => Math.sin(seed * 31 + index));
const content = {
  title: "T",
  blocks: [{ kind: "paragraph", text: "é › ü", pages: [1] }],
  pageCount: 1,
  pagesWithoutText: [],
  warnings: [],
} as const;

/** What every cache must do; `open` gives an empty one, `skip` the reason it cannot run here. */
export function cacheContract(
  name: string,
  skip: string | false,
  open: (context: TestContext, setting: CacheSetting) => Promise<Cache>,
): void {
  describe(`${name} is a cache`, { skip }, () => {
    // `it` gives its functions the same context as `test`, under another type.
    const opened = (context: unknown, setting: CacheSetting = {}) => open(context as TestContext, setting);

    it("gives an embedding back bit by bit, dense and sparse, under its own fingerprint only", async (context) => {
      using cache = await opened(context);
      const embeddings: readonly Embedding[] = [
        {
          dense: vector(1, 7),
          sparse: { indices: Uint32Array.of(1, 70_000), values: Float32Array.of(0.5, 0.25) },
        },
        { dense: vector(2, 5) },
        { dense: vector(3, 5), sparse: { indices: new Uint32Array(0), values: new Float32Array(0) } },
      ];
      const entries = embeddings.map((embedding, at) => ({ hash: hash(`${at}`), embedding }));
      await cache.embeddings.put(entries.slice(0, 1), "f");
      await cache.embeddings.put(entries.slice(1), "f");
      const found = await cache.embeddings.get([...entries.map((entry) => entry.hash), hash("none")], "f");
      assert.deepEqual(
        [...found],
        entries.map((entry) => [entry.hash, entry.embedding]),
      );
      assert.equal((await cache.embeddings.get([hash("0")], "g")).size, 0);
      assert.equal((await cache.embeddings.get([], "f")).size, 0);
    });

    it("gives a parsed document for the same content and parser only", async (context) => {
      using cache = await opened(context);
      await cache.documents.put(hash("a"), "pdfjs-1", content);
      assert.deepEqual(await cache.documents.get(hash("a"), "pdfjs-1"), content);
      assert.equal(await cache.documents.get(hash("a"), "pdfjs-2"), undefined);
      assert.equal(await cache.documents.get(hash("b"), "pdfjs-1"), undefined);
    });

    it("gives a result under its key until its time is over, and the newest one put", async (context) => {
      let now = 1_000_000;
      using cache = await opened(context, { ttlSeconds: 1, now: () => now });
      assert.equal(await cache.results.get("k"), undefined);
      await cache.results.put("k", { hits: [1] });
      await cache.results.put("k", { hits: [1, 2] });
      assert.deepEqual(await cache.results.get("k"), { hits: [1, 2] });
      assert.equal(await cache.results.get("other"), undefined);
      const deadline = Date.now() + 20_000;
      while ((await cache.results.get("k")) !== undefined && Date.now() < deadline) {
        now += 1000;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.equal(await cache.results.get("k"), undefined);
    });
  });
}
