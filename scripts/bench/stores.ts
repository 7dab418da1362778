/**
 * Dense search of one store by size: seconds to write and to index, p50 and p95 of a search for 10 hits and for
 * the 200 that ragctl asks for, recall@10 against exact search, and memory and processor time of the server.
 *
 *   node scripts/bench/stores.ts embedded LIB [--sizes 10000,100000] [--index flat] [--real CACHE]
 *   node scripts/bench/stores.ts standalone|lite SERVERS [--sizes 10000] [--index hnsw|ivf_flat|flat] [--ef 64]
 *     [--consistency strong|bounded] [--real CACHE]
 *
 * LIB is the folder of the Milvus Lite runtime, SERVERS one that `scripts/servers/milvus.ts get` filled. Vectors
 * have 384 dimensions and length 1 and lie near a space of 32, as those of real texts lie near few directions:
 * of fully random vectors none is near another. CACHE is a `cache/cache.sqlite` with embeddings of real texts:
 * they are half of the vectors, as far as there are enough, and half of the questions. The server is asked to
 * flush before it is searched, or it would search what it has not indexed yet. Processor time does not depend
 * on what else the machine does; seconds and milliseconds do.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Sqlite from "better-sqlite3";
import type { EmbeddedChunk } from "../../src/core/documents/embedding.ts";
import {
  type LexicalIndex,
  matchAllFilter,
  type VectorStore,
  type WriteTimes,
} from "../../src/core/retrieval.ts";
import { startLiteServer } from "../../src/drivers/stores/lite-server.ts";
import openStore, { type MilvusOptions } from "../../src/drivers/stores/milvus.ts";
import { connect } from "../../src/drivers/stores/milvus-connection.ts";
import type { IndexKind } from "../../src/drivers/stores/milvus-schema.ts";
import { residentBytes } from "../../src/resident/servers.ts";
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
    real: { type: "string", default: "" },
  },
});
const [kind = "", folder = ""] = positionals;
if (!["embedded", "standalone", "lite"].includes(kind) || folder === "")
  throw new Error("usage: node scripts/bench/stores.ts embedded LIB | standalone SERVERS | lite SERVERS");

const [dimensions, directions, batch, top] = [384, 32, 500, 10];
/** Hits that a search asks for: as many as are compared, and `retrieve.candidates`. */
const limits = [10, 200];
/** Clock ticks a second of Linux, in which it counts processor time. */
const ticks = 100;
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

/** Ids of the nearest, by comparing the question with every vector. */
function exact(query: Float32Array, all: readonly Float32Array[]): ReadonlySet<string> {
  const best: { readonly id: string; readonly score: number }[] = [];
  for (const [at, vector] of all.entries()) {
    const score = dot(query, vector);
    if (best.length === top && score <= (best.at(-1)?.score ?? 0)) continue;
    best.push({ id: `bench-${at}`, score });
    best.sort((left, right) => right.score - left.score).splice(top);
  }
  return new Set(best.map(({ id }) => id));
}

/** Embeddings of real texts in an order that is the same every time; none without a file. */
function realVectors(path: string): readonly Float32Array[] {
  if (path === "") return [];
  const cache = new Sqlite(path, { readonly: true });
  const rows = cache
    .prepare<[number], { dense: Buffer }>(
      "SELECT dense FROM embeddings WHERE length(dense) = ? ORDER BY hash",
    )
    .all(dimensions * Float32Array.BYTES_PER_ELEMENT);
  cache.close();
  return rows.map(({ dense }) => new Float32Array(new Uint8Array(dense).buffer));
}

/** Processor time of a process until now, seconds. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // After the name in brackets: the state is field 3, the ticks of user and system are 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) / ticks;
}

const questionCount = Number(values.questions);
const real = realVectors(values.real);
const realQuestions = real.slice(0, questionCount / 2);
const realTexts = real.slice(realQuestions.length);

/** Words are not measured: none are kept. */
const noWords: LexicalIndex = {
  put: () => undefined,
  delete: () => undefined,
  drop: () => undefined,
  ids: () => [],
  count: () => 0,
  search: () => [],
};

/** As the registry keeps them for all processes. */
const writtenMs = new Map<string, number>();
const writes: WriteTimes = {
  of: async (collection) => writtenMs.get(collection),
  note: async (collection, ms) => {
    writtenMs.set(collection, ms);
  },
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

interface Measured {
  readonly size: number;
  readonly hits: number;
  readonly writeSeconds: number;
  readonly indexSeconds: number;
  /** Processor time of the server until everything is written and indexed. */
  readonly buildProcessorSeconds: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Processor time of the server for one search. */
  readonly processorMs: number;
  readonly recall: number;
  readonly megabytes: number;
}

async function fill(store: VectorStore, name: string, vectors: readonly Float32Array[]): Promise<void> {
  for (let start = 0; start < vectors.length; start += batch) {
    const chunks = vectors.slice(start, start + batch).map((dense, at): EmbeddedChunk => {
      const ordinal = start + at;
      return { chunk: chunkOf({ id: `bench-${ordinal}`, ordinal, text: "x" }), embedding: { dense } };
    });
    await store.write(name, chunks);
  }
}

async function measure(store: VectorStore, uri: string, pid: number, size: number) {
  const name = `bench_${size}`;
  await store.ensure({ name, dimensions, lexical: "bm25", fingerprint: "bench" });
  const texts = realTexts.slice(0, size / 2);
  const vectors = [...texts, ...Array.from({ length: size - texts.length }, unitVector)];
  const generated = Array.from({ length: questionCount - realQuestions.length }, unitVector);
  const questions = [...realQuestions, ...generated];
  const nearest = questions.map((question) => exact(question, vectors));
  const processorBefore = await processorSeconds(pid);
  const began = performance.now();
  await fill(store, name, vectors);
  const written = performance.now();
  await settle(uri, name);
  const indexed = performance.now();
  const buildProcessorSeconds = (await processorSeconds(pid)) - processorBefore;
  const { signal } = new AbortController();
  const results: Measured[] = [];
  for (const limit of limits) {
    await store.search(name, { dense: unitVector(), limit, filter: matchAllFilter }, signal);
    const times: number[] = [];
    let hit = 0;
    const before = await processorSeconds(pid);
    for (const [at, dense] of questions.entries()) {
      const since = performance.now();
      const result = await store.search(name, { dense, limit, filter: matchAllFilter }, signal);
      times.push(performance.now() - since);
      hit += result.dense.slice(0, top).filter(({ chunk }) => nearest[at]?.has(chunk.id)).length;
    }
    const processorMs = (((await processorSeconds(pid)) - before) / questions.length) * 1000;
    results.push({
      size,
      hits: limit,
      writeSeconds: (written - began) / 1000,
      indexSeconds: (indexed - written) / 1000,
      buildProcessorSeconds,
      p50Ms: quantile(times, 0.5),
      p95Ms: quantile(times, 0.95),
      processorMs,
      recall: hit / (top * questions.length),
      megabytes: Math.round((await residentBytes(pid)) / 2 ** 20),
    });
  }
  await store.drop(name);
  return results;
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
    writes,
  });
  const results: Measured[] = [];
  for (const size of values.sizes.split(",").map(Number))
    results.push(...(await measure(store, server.uri, server.pid, size)));
  report(
    [
      "vectors",
      "hits",
      "write s",
      "index s",
      "build CPU s",
      "p50 ms",
      "p95 ms",
      "CPU ms",
      "recall@10",
      "server MB",
    ],
    results.map((each) => Object.values(each)),
    { kind, ...values, realTexts: realTexts.length, results },
  );
} finally {
  await server.stop();
  await rm(work, { recursive: true, force: true });
}
