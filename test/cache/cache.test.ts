import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { openCache } from "../../src/cache/cache.ts";
import type { Embedding } from "../../src/core/documents/embedding.ts";
import { temporaryFolder } from "../registry/support.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

function vector(seed: number, dimensions = 384): Float32Array {
  return Float32Array.from({ length: dimensions }, (_, index) => Math.sin(seed * 31 + index));
}

const quiet = { maxBytes: 1e9, warn: (message: string) => assert.fail(message) };

test("an embedding comes back bit by bit, dense and sparse, under its own fingerprint only", async (context) => {
  using cache = await openCache(join(temporaryFolder(context), "cache.sqlite"), quiet);
  const embedding: Embedding = {
    dense: vector(1, 7),
    sparse: { indices: Uint32Array.of(1, 70_000), values: Float32Array.of(0.5, 0.25) },
  };
  cache.embeddings.put([{ hash: hash("a"), embedding }], "f");
  cache.embeddings.put([{ hash: hash("b"), embedding: { dense: vector(2, 5) } }], "f");
  const found = cache.embeddings.get([hash("a"), hash("b"), hash("c")], "f");
  assert.deepEqual(
    [...found],
    [
      [hash("a"), embedding],
      [hash("b"), { dense: vector(2, 5) }],
    ],
  );
  assert.equal(cache.embeddings.get([hash("a")], "g").size, 0);
});

test("ten thousand embeddings are read in well under a second", async (context) => {
  using cache = await openCache(join(temporaryFolder(context), "cache.sqlite"), quiet);
  const entries = Array.from({ length: 10_000 }, (_, index) => ({
    hash: hash(String(index)),
    embedding: { dense: vector(index) },
  }));
  cache.embeddings.put(entries, "f");
  const start = performance.now();
  const found = cache.embeddings.get(
    entries.map((entry) => entry.hash),
    "f",
  );
  const tookMs = performance.now() - start;
  context.diagnostic(`10 000 embeddings of 384 dimensions read in ${tookMs.toFixed(0)} ms`);
  assert.equal(found.size, 10_000);
  assert.deepEqual(found.get(hash("9999")), { dense: vector(9999) });
  assert.ok(tookMs < 1000, `${tookMs} ms`);
});

test("a parsed document comes back for the same content and parser only", async (context) => {
  using cache = await openCache(join(temporaryFolder(context), "cache.sqlite"), quiet);
  const content = {
    title: "T",
    blocks: [{ kind: "paragraph", text: "é › ü", pages: [1] }],
    pageCount: 1,
    pagesWithoutText: [],
    warnings: [],
  } as const;
  await cache.documents.put(hash("a"), "pdfjs-1", content);
  assert.deepEqual(await cache.documents.get(hash("a"), "pdfjs-1"), content);
  assert.equal(await cache.documents.get(hash("a"), "pdfjs-2"), undefined);
});

test("a damaged cache is made anew with a warning", async (context) => {
  const path = join(temporaryFolder(context), "cache.sqlite");
  writeFileSync(path, "garbage that is no database at all ".repeat(100));
  const warnings: string[] = [];
  using cache = await openCache(path, { maxBytes: 1e9, warn: (message) => warnings.push(message) });
  cache.embeddings.put([{ hash: hash("a"), embedding: { dense: vector(1) } }], "f");
  assert.equal(cache.embeddings.get([hash("a")], "f").size, 1);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /made again/);
});

/** Bytes the entries take in the file. */
function sizeBytes(path: string): number {
  const database = new Sqlite(path, { readonly: true });
  const pragma = (name: string): number => Number(database.pragma(name, { simple: true }));
  const bytes = (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  database.close();
  return bytes;
}

test("past its size the cache loses what was not used for longest and stays within it", async (context) => {
  let now = 0;
  const maxBytes = 1_000_000;
  const path = join(temporaryFolder(context), "cache.sqlite");
  using cache = await openCache(path, {
    ...quiet,
    maxBytes,
    now: () => new Date(now),
  });
  const favourite = hash("favourite");
  cache.embeddings.put([{ hash: favourite, embedding: { dense: vector(0) } }], "f");
  for (let batch = 0; batch < 30; batch += 1) {
    now += 7_200_000;
    assert.equal(cache.embeddings.get([favourite], "f").size, 1, `batch ${batch}`);
    const entries = Array.from({ length: 50 }, (_, index) => ({
      hash: hash(`${batch}/${index}`),
      embedding: { dense: vector(index) },
    }));
    cache.embeddings.put(entries, "f");
    assert.ok(sizeBytes(path) <= maxBytes * 1.2, `${sizeBytes(path)} bytes`);
  }
  assert.equal(cache.embeddings.get([hash("0/0")], "f").size, 0);
  assert.equal(cache.embeddings.get([hash("29/49")], "f").size, 1);
});
