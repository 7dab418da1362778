import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Sqlite from "better-sqlite3";
import { openCache } from "../../src/cache/cache.ts";
import { cacheContract } from "../contracts/cache.ts";
import { temporaryFolder } from "../registry/support.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

function vector(seed: number, dimensions = 384): Float32Array {
  return Float32Array.from({ length: dimensions }, (_, index) => Math.sin(seed * 31 + index));
}

const quiet = { maxBytes: 1e9, warn: (message: string) => assert.fail(message) };

cacheContract("SQLite", false, async (context, { ttlSeconds = 3600, now = Date.now }) =>
  openCache(join(temporaryFolder(context), "cache.sqlite"), {
    ...quiet,
    ttlSeconds,
    now: () => new Date(now()),
  }),
);

test("ten thousand embeddings are read with one call, and the time it takes is told", async (context) => {
  using cache = await openCache(join(temporaryFolder(context), "cache.sqlite"), quiet);
  const entries = Array.from({ length: 10_000 }, (_, index) => ({
    hash: hash(String(index)),
    embedding: { dense: vector(index) },
  }));
  await cache.embeddings.put(entries, "f");
  const start = performance.now();
  const found = await cache.embeddings.get(
    entries.map((entry) => entry.hash),
    "f",
  );
  const tookMs = performance.now() - start;
  context.diagnostic(`10 000 embeddings of 384 dimensions read in ${tookMs.toFixed(0)} ms`);
  assert.equal(found.size, 10_000);
  assert.deepEqual(found.get(hash("9999")), { dense: vector(9999) });
});

test("a cache made before results were kept gets their table and loses nothing", async (context) => {
  const path = join(temporaryFolder(context), "cache.sqlite");
  const before = new Sqlite(path);
  before.exec(`CREATE TABLE fingerprints (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE embeddings (fingerprint_id INTEGER NOT NULL, hash BLOB NOT NULL, dense BLOB NOT NULL, indices BLOB,
      weights BLOB, used_at INTEGER NOT NULL, PRIMARY KEY (fingerprint_id, hash)) STRICT;
    CREATE TABLE parsed (sha256 TEXT NOT NULL, parser TEXT NOT NULL, content BLOB NOT NULL, used_at INTEGER NOT NULL,
      PRIMARY KEY (sha256, parser)) STRICT;
    INSERT INTO fingerprints VALUES (1, 'f');
    PRAGMA application_id = ${0x52414758}; PRAGMA user_version = 1;`);
  before
    .prepare("INSERT INTO embeddings VALUES (1, ?, ?, NULL, NULL, 0)")
    .run(Buffer.from(hash("a"), "hex"), Buffer.from(vector(1).buffer));
  before.close();
  using cache = await openCache(path, quiet);
  await cache.results.put("k", 1);
  assert.equal(await cache.results.get("k"), 1);
  assert.equal((await cache.embeddings.get([hash("a")], "f")).size, 1);
});

test("a damaged cache is made anew with a warning", async (context) => {
  const path = join(temporaryFolder(context), "cache.sqlite");
  writeFileSync(path, "garbage that is no database at all ".repeat(100));
  const warnings: string[] = [];
  using cache = await openCache(path, { maxBytes: 1e9, warn: (message) => warnings.push(message) });
  await cache.embeddings.put([{ hash: hash("a"), embedding: { dense: vector(1) } }], "f");
  assert.equal((await cache.embeddings.get([hash("a")], "f")).size, 1);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /is rebuilt/);
});

test("a cache of a newer program is made anew with a warning, one of another program is left alone", async (context) => {
  const path = join(temporaryFolder(context), "cache.sqlite");
  (await openCache(path, quiet))[Symbol.dispose]();
  const newer = new Sqlite(path);
  newer.pragma("user_version = 99");
  newer.close();
  const warnings: string[] = [];
  using cache = await openCache(path, { maxBytes: 1e9, warn: (message) => warnings.push(message) });
  await cache.results.put("k", 1);
  assert.equal(await cache.results.get("k"), 1);
  assert.match(warnings.join(), /written by a newer ragctl/);
  const foreign = new Sqlite(`${path}.foreign`);
  foreign.exec("CREATE TABLE theirs (id INTEGER)");
  foreign.close();
  await assert.rejects(openCache(`${path}.foreign`, quiet), { code: "CONFIG_INVALID" });
});

test("a row that is damaged is as if it was not there, until it is put anew", async (context) => {
  const path = join(temporaryFolder(context), "cache.sqlite");
  using cache = await openCache(path, quiet);
  await cache.results.put("key", { kept: 1 });
  const database = new Sqlite(path);
  database.prepare("UPDATE results SET content = ?").run(Buffer.from("no packed bytes"));
  database.close();
  assert.equal(await cache.results.get("key"), undefined);
  await cache.results.put("key", { kept: 2 });
  assert.deepEqual(await cache.results.get("key"), { kept: 2 });
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
  await cache.embeddings.put([{ hash: favourite, embedding: { dense: vector(0) } }], "f");
  for (let batch = 0; batch < 30; batch += 1) {
    now += 7_200_000;
    assert.equal((await cache.embeddings.get([favourite], "f")).size, 1, `batch ${batch}`);
    const entries = Array.from({ length: 50 }, (_, index) => ({
      hash: hash(`${batch}/${index}`),
      embedding: { dense: vector(index) },
    }));
    await cache.embeddings.put(entries, "f");
    assert.ok(sizeBytes(path) <= maxBytes * 1.2, `${sizeBytes(path)} bytes`);
  }
  assert.equal((await cache.embeddings.get([hash("0/0")], "f")).size, 0);
  assert.equal((await cache.embeddings.get([hash("29/49")], "f")).size, 1);
});
