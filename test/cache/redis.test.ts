import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Redis } from "ioredis";
import { startRedis } from "../../scripts/servers/redis.ts";
import { openRedisCache } from "../../src/cache/redis.ts";
import { cacheContract } from "../contracts/cache.ts";
import { makeAuthority } from "../helpers/certificates.ts";
import { noRedis, redisOf } from "../helpers/redis.ts";
import { temporaryFolder } from "../registry/support.ts";

const skip = { skip: noRedis };
const hash = "ab".repeat(32);
const embedding = { dense: Float32Array.of(0.6, 0.8) };
const content = { title: "T", blocks: [], pageCount: 0, pagesWithoutText: [], warnings: [] };

/** A cache on this address, what it warned of, and its clock. */
async function opened(context: TestContext, url: string, authorityFile = "") {
  const warnings: string[] = [];
  const clock = { ms: 1_000_000 };
  const cache = await openRedisCache({
    url,
    authorityFile,
    ttlSeconds: 3600,
    warn: (message) => warnings.push(message),
    now: () => clock.ms,
  });
  context.after(() => cache[Symbol.dispose]());
  return { cache, warnings, clock };
}

/** Everything a cache is asked for, none of which may throw; whether it kept something. */
async function used({ cache }: Awaited<ReturnType<typeof opened>>): Promise<boolean> {
  await cache.embeddings.put([{ hash, embedding }], "f");
  await cache.documents.put(hash, "p", content);
  await cache.results.put("k", { hits: [] });
  const kept = [
    (await cache.embeddings.get([hash], "f")).size === 1,
    (await cache.documents.get(hash, "p")) !== undefined,
    (await cache.results.get("k")) !== undefined,
  ];
  assert.equal(new Set(kept).size, 1, "it keeps all of it or none");
  return kept[0] === true;
}

cacheContract("Redis", noRedis, async (context, { ttlSeconds = 3600 }) => {
  const { url } = await redisOf(context);
  return openRedisCache({ url, authorityFile: "", ttlSeconds, warn: (message) => assert.fail(message) });
});

test("everything a Redis is given expires, and carries the mark of its form", skip, async (context) => {
  const { url } = await redisOf(context);
  assert.ok(await used(await opened(context, url)));
  const redis = new Redis(url);
  context.after(() => redis.disconnect());
  const keys = await redis.keys("*");
  assert.equal(keys.length, 3);
  for (const key of keys) {
    assert.match(key, /^ragctl:1:(?:embedding|parsed|result):/);
    assert.ok((await redis.ttl(key)) > 3500);
  }
  await redis.flushall();
  assert.ok(await used(await opened(context, url)), "a flushed one is filled again");
});

test("bytes that ragctl did not write are as if they were not there", skip, async (context) => {
  const { url } = await redisOf(context);
  const seen = await opened(context, url);
  assert.ok(await used(seen));
  const redis = new Redis(url);
  context.after(() => redis.disconnect());
  for (const key of await redis.keys("*")) await redis.set(key, "no such form");
  assert.equal((await seen.cache.embeddings.get([hash], "f")).size, 0);
  assert.equal(await seen.cache.documents.get(hash, "p"), undefined);
  assert.equal(await seen.cache.results.get("k"), undefined);
  assert.deepEqual(seen.warnings, []);
});

test(
  "a Redis that goes down is warned of once, left alone, and used again when it is back",
  skip,
  async (context) => {
    const folder = temporaryFolder(context);
    const first = await startRedis(folder);
    const url = first.variables["REDIS_URL"] ?? "";
    const port = Number(new URL(url).port);
    const seen = await opened(context, url);
    assert.ok(await used(seen));
    await first.stop("SIGKILL");
    assert.equal(await used(seen), false);
    seen.clock.ms += 60_000;
    assert.equal(await used(seen), false);
    assert.equal(seen.warnings.length, 1, seen.warnings.join("\n"));
    assert.match(seen.warnings[0] ?? "", /^not using Redis redis:\/\/127\.0\.0\.1:\d+ as a cache for now: ./);
    const second = await startRedis(folder, { port });
    context.after(() => second.stop("SIGKILL"));
    assert.equal(await used(seen), false, "it rests");
    seen.clock.ms += 60_000;
    assert.equal(await used(seen), true);
    assert.equal(seen.warnings.length, 1);
  },
);

test(
  "a wrong password is warned of once and neither password is told; the right one works",
  skip,
  async (context) => {
    const { url } = await redisOf(context, { password: "hunter2/:@" });
    const wrong = await opened(context, url.replace(/:[^:@]*@/, ":swordfish@"));
    const none = await opened(context, url.replace(/:[^:@]*@/, ""));
    for (const seen of [wrong, none]) {
      assert.equal(await used(seen), false);
      assert.equal(seen.warnings.length, 1);
      assert.match(seen.warnings[0] ?? "", /WRONGPASS|NOAUTH/);
      assert.doesNotMatch(seen.warnings[0] ?? "", /hunter2|swordfish/);
    }
    assert.ok(await used(await opened(context, url)));
  },
);

test("a Redis without memory left is warned of once", skip, async (context) => {
  const { url } = await redisOf(context, { maxMemory: 1 });
  const seen = await opened(context, url);
  assert.equal(await used(seen), false);
  assert.equal(seen.warnings.length, 1);
  assert.match(seen.warnings[0] ?? "", /OOM|memory/);
});

test("a certificate is checked against the authority that is named", skip, async (context) => {
  const folder = temporaryFolder(context);
  const authority = makeAuthority(folder, "authority");
  const tls = authority.issue("localhost", { loopback: true });
  const { url } = await redisOf(context, { tls });
  assert.ok(await used(await opened(context, url, authority.certificatePath)));
  const stranger = await opened(context, url);
  assert.equal(await used(stranger), false);
  assert.match(stranger.warnings[0] ?? "", /certificate/);
  await assert.rejects(opened(context, url, join(folder, "none.pem")), { code: "CONFIG_INVALID" });
});

test(
  "a Redis that nothing answers for is warned of and costs no more than one wait",
  skip,
  async (context) => {
    const seen = await opened(context, "redis://user:hunter2@127.0.0.1:1");
    assert.equal(await used(seen), false);
    assert.equal(seen.warnings.length, 1);
    assert.doesNotMatch(seen.warnings[0] ?? "", /hunter2/);
  },
);
