/**
 * Dense search of one store by size: seconds to write and to index, p50 and p95 of a search for 10, recall@10
 * against exact search, and the memory of the server.
 *
 *   node scripts/bench/stores.ts embedded LIB [--sizes 10000,100000] [--index flat]
 *   node scripts/bench/stores.ts standalone|lite SERVERS [--sizes 10000] [--index hnsw|ivf_flat|flat] [--ef 64]
 *     [--consistency strong|bounded]
 *
 * LIB is the folder of the Milvus Lite runtime, SERVERS one that `scripts/servers/milvus.ts get` filled. Vectors
 * have 384 dimensions and length 1 and lie near a space of 32, as those of real texts lie near few directions:
 * of fully random vectors none is near another. The server is asked to flush before it is searched, or it would
 * search what it has not indexed yet.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { EmbeddedChunk } from "../../src/core/documents/embedding.ts";
import { everything, type LexicalIndex, type VectorStore } from "../../src/core/retrieval.ts";
import { startLiteServer } from "../../src/drivers/stores/lite-server.ts";
import openStore, { type MilvusOptions } from "../../src/drivers/stores/milvus.ts";
import { connect } from "../../src/drivers/stores/milvus-connection.ts";
import type { IndexKind } from "../../src/drivers/stores/milvus-schema.ts";
import { residentBytes } from "../../src/host/servers.ts";
import { chunkOf } from "../../test/helpers/chunk.ts";
import { startMilvus } from "../servers/milvus.ts";
import { quantile, report, seeded } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: "string", default: "10000" },
    index: { type: "string", default: "" },
    ef: { type: "string", default: "64" },
    consistency: { type: "string", default: "strong" },
    questions: { type: "string", default: "100" },
  },
});
const [kind = "", folder = ""] = positionals;
if (!["embedded", "standalone", "lite"].includes(kind) || folder === "")
  throw new Error("usage: node scripts/bench/stores.ts embedded LIB | standalone SERVERS | lite SERVERS");

const [dimensions, directions, batch, top] = [384, 32, 500, 10];
const random = seeded(7);
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const basis = Array.from({ length: directions }, () => Float32Array.from({ length: dimensions }, normal));

/** A unit vector near the space of `basis`: a tenth of its length is noise. */
function unitVector(): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => 0.1 * Math.sqrt(directions) * normal());
  for (const direction of basis) {
    const weight = normal();
    for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] ?? 0) + weight * (direction[at] ?? 0);
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const dot = (one: Float32Array, two: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < dimensions; at++) sum += (one[at] ?? 0) * (two[at] ?? 0);
  return sum;
};

const exact = (query: Float32Array, all: readonly Float32Array[]): ReadonlySet<string> =>
  new Set(
    all
      .map((vector, at) => ({ id: `bench-${at}`, score: dot(query, vector) }))
      .sort((left, right) => right.score - left.score)
      .slice(0, top)
      .map(({ id }) => id),
  );

/** Words are not measured: none are kept. */
const noWords: LexicalIndex = {
  put: () => undefined,
  delete: () => undefined,
  drop: () => undefined,
  ids: () => [],
  count: () => 0,
  search: () => [],
};

/** Seals what was written and waits until its index is made, on servers. */
async function settle(uri: string, name: string): Promise<void> {
  if (kind === "embedded") return;
  await using connection = await connect({ id: "bench", uri });
  await connection.call("flush", (client) => client.flushSync({ collection_names: [name] }));
  for (;;) {
    const { index_descriptions: found } = await connection.call("describe the index", (client) =>
      client.describeIndex({ collection_name: name }),
    );
    const pending = found
      .map((each) => Number(each.pending_index_rows ?? 0))
      .reduce((sum, rows) => sum + rows, 0);
    if (pending === 0 && found.every((each) => each.state === "Finished")) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function measure(store: VectorStore, uri: string, pid: number, size: number) {
  const name = `bench_${size}`;
  await store.ensure({ name, dimensions, lexical: "bm25", fingerprint: "bench" });
  const vectors = Array.from({ length: size }, unitVector);
  const began = performance.now();
  for (let start = 0; start < size; start += batch) {
    const chunks = vectors.slice(start, start + batch).map((dense, at): EmbeddedChunk => {
      const ordinal = start + at;
      return { chunk: chunkOf({ id: `bench-${ordinal}`, ordinal, text: "x" }), embedding: { dense } };
    });
    await store.write(name, chunks);
  }
  const written = performance.now();
  await settle(uri, name);
  const indexed = performance.now();
  const times: number[] = [];
  let hit = 0;
  const queries = Array.from({ length: Number(values.questions) }, unitVector);
  const { signal } = new AbortController();
  await store.search(name, { dense: unitVector(), limit: top, filter: everything }, signal);
  for (const dense of queries) {
    const since = performance.now();
    const result = await store.search(name, { dense, limit: top, filter: everything }, signal);
    times.push(performance.now() - since);
    const nearest = exact(dense, vectors);
    hit += result.dense.filter(({ chunk }) => nearest.has(chunk.id)).length;
  }
  const megabytes = Math.round((await residentBytes(pid)) / 2 ** 20);
  await store.drop(name);
  return {
    size,
    writeSeconds: (written - began) / 1000,
    indexSeconds: (indexed - written) / 1000,
    p50Ms: quantile(times, 0.5),
    p95Ms: quantile(times, 0.95),
    recall: hit / (top * queries.length),
    megabytes,
  };
}

const work = await mkdtemp(join(tmpdir(), "ragctl-bench-"));
const server =
  kind === "embedded"
    ? await startLiteServer({
        id: "bench",
        runtime: folder,
        dataFolder: work,
        name: "bench",
        socketFolder: work,
        logPath: join(work, "log"),
      })
    : await startMilvus(folder, kind === "standalone" ? "standalone" : "lite", join(work, "data"));
try {
  if ("healthy" in server) await server.healthy;
  await using store = openStore({
    id: "bench",
    uri: server.uri,
    // Milvus names what it does not know.
    ...(values.index === "" ? {} : { indexKind: values.index as IndexKind }),
    ef: Number(values.ef),
    consistency: values.consistency as NonNullable<MilvusOptions["consistency"]>,
    lexicalIndex: async () => noWords,
  });
  const results = [];
  for (const size of values.sizes.split(",").map(Number))
    results.push(await measure(store, server.uri, server.pid, size));
  const rows = results.map((each) => Object.values(each));
  report(["chunks", "write s", "index s", "p50 ms", "p95 ms", "recall@10", "server MB"], rows, {
    kind,
    ...values,
    results,
  });
} finally {
  await server.stop();
  await rm(work, { recursive: true, force: true });
}
