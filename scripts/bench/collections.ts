/**
 * Memory of a local Milvus by its number of collections, each with one document of 12 chunks: resident memory
 * after they were made, and milliseconds of a first and of a second search in one that was not held.
 *
 *   node scripts/bench/collections.ts LIB [--counts 1,10,100] [--all]
 *
 * LIB is the folder of the Milvus Lite runtime. `--all` holds every collection, as a server by address does.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { matchAllFilter } from "../../src/core/retrieval.ts";
import { startLiteServer } from "../../src/drivers/stores/lite-server.ts";
import { createStore } from "../../src/drivers/stores/milvus.ts";
import { connect } from "../../src/drivers/stores/milvus-connection.ts";
import { residentBytes } from "../../src/resident/servers.ts";
import { chunkOf } from "../../test/helpers/chunk.ts";
import { quantile, report, seeded } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { counts: { type: "string", default: "1,10,100" }, all: { type: "boolean", default: false } },
});
const [runtime = ""] = positionals;
if (runtime === "")
  throw new Error("usage: node scripts/bench/collections.ts LIB [--counts 1,10,100] [--all]");

const dimensions = 384;
const random = seeded(7);

function unitVector(): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const folder = await mkdtemp(join(tmpdir(), "ragctl-bench-"));
const names = { id: "bench", name: "bench", runtime, dataFolder: folder, socketFolder: folder };
const server = await startLiteServer({ ...names, logPath: join(folder, "log") });
try {
  const address = { id: "bench", uri: server.uri, isLite: !values.all };
  await using store = createStore("bench", () => connect(address), { indexKind: "flat" });
  const search = async (name: string): Promise<number> => {
    const since = performance.now();
    const query = { text: "text", dense: unitVector(), limit: 10, filter: matchAllFilter };
    await store.search(name, query, AbortSignal.timeout(60_000));
    return performance.now() - since;
  };
  const results = [];
  let made = 0;
  for (const count of values.counts.split(",").map(Number)) {
    for (; made < count; made++) {
      const name = `c${made}`;
      await store.ensure({ name, dimensions, lexical: "bm25", fingerprint: "bench" });
      const chunks = Array.from({ length: 12 }, (_, ordinal) =>
        chunkOf({ id: `${name}-${ordinal}`, ordinal }),
      );
      await store.write(
        name,
        chunks.map((chunk) => ({ chunk, embedding: { dense: unitVector() } })),
      );
    }
    const megabytes = Math.round((await residentBytes(server.pid)) / 2 ** 20);
    const [first, second]: [number[], number[]] = [[], []];
    for (let at = 0; at < Math.min(count, 20); at++) {
      first.push(await search(`c${at}`));
      second.push(await search(`c${at}`));
    }
    results.push({
      count,
      megabytes,
      firstMs: quantile(first, 0.5),
      slowestMs: Math.max(...first),
      secondMs: quantile(second, 0.5),
    });
  }
  const heads = ["collections", "server MB", "first ms", "slowest first ms", "second ms"];
  report(
    heads,
    results.map((each) => Object.values(each)),
    { ...values, results },
  );
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
