/**
 * Warm search in one process: embed the question, search both routes of a local Milvus Lite, fuse. p50 and
 * p95 by collection size.
 *
 *   node scripts/bench/search.ts HOME [--sizes 1000,10000,100000] [--questions 60]
 *
 * HOME has the embedding model and the Milvus Lite runtime; the chunks are generated text with random unit
 * vectors, in a home of their own. Prints a table, then one JSON line.
 */
import { parseArgs } from "node:util";
import { openEmbedder } from "../../src/app/engines/models.ts";
import { openStore } from "../../src/app/engines/stores.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { EmbeddedChunk } from "../../src/core/documents/embedding.ts";
import { openModelFolder } from "../../src/models/models.ts";
import { retrieve } from "../../src/pipeline/retrieve/retrieve.ts";
import { chunkOf } from "../../test/helpers/chunk.ts";
import { quantile, quietRun, report, seeded, temporaryHome } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: "string", default: "1000,10000,100000" },
    questions: { type: "string", default: "60" },
  },
});
const [from] = positionals;
if (from === undefined)
  throw new Error("usage: node scripts/bench/search.ts HOME [--sizes N,N] [--questions N]");
await using home = await temporaryHome(from);
await using resources = new AsyncDisposableStack();
const { settings } = loadSettings({ flags: { home: home.path } });
const manifestPath = new URL("../../models/manifest.yaml", import.meta.url).pathname;
const models = await openModelFolder({ home: home.path, manifestPath, hubUrl: settings.hub.url });
const embedder = resources.use(await openEmbedder(settings, models));
const store = await openStore("private", settings, async () => models, resources, quietRun);

const random = seeded(11);
const syllables = "ka lo mi ter ven sor pa dri no el qua bi ran tos".split(" ");
const lexicon = Array.from({ length: 4000 }, () =>
  Array.from(
    { length: 2 + Math.floor(random() * 3) },
    () => syllables[Math.floor(random() * syllables.length)],
  ).join(""),
);
/** Words by a power law, as in real text. */
const word = (): string => lexicon[Math.floor(lexicon.length * random() ** 3)] ?? "";
const words = (count: number): string => Array.from({ length: count }, word).join(" ");
function unitVector(): Float32Array {
  const vector = Float32Array.from({ length: embedder.dimensions }, () => random() - 0.5);
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
const chunks = (start: number, count: number): EmbeddedChunk[] =>
  Array.from({ length: count }, (_, at) => ({
    chunk: chunkOf({ id: `bench-${start + at}`, ordinal: start + at, text: words(90), collection: "bench" }),
    embedding: { dense: unitVector() },
  }));

const spec = {
  name: "bench",
  dimensions: embedder.dimensions,
  lexical: "bm25",
  fingerprint: "bench",
} as const;
await store.ensure(spec);
const drivers = {
  embedder: async () => embedder,
  targets: async () => [{ spec, store }],
  live: async (versions: readonly string[]) => new Set(versions),
  settings: settings.retrieve,
};
const rows: (string | number)[][] = [];
let written = 0;
for (const size of values.sizes.split(",").map(Number)) {
  const started = performance.now();
  while (written < size) {
    const count = Math.min(2000, size - written);
    await store.write("bench", chunks(written, count));
    written += count;
  }
  const writeSeconds = (performance.now() - started) / 1000;
  const times: number[] = [];
  for (let at = -5; at < Number(values.questions); at += 1) {
    const before = performance.now();
    await retrieve({ query: words(9), topK: 5, collections: [], mode: "hybrid" }, drivers, quietRun);
    if (at >= 0) times.push(performance.now() - before);
  }
  rows.push([
    size,
    writeSeconds,
    quantile(times, 0.5),
    quantile(times, 0.95),
    process.memoryUsage.rss() / 2 ** 20,
  ]);
}
report(["chunks", "write s", "p50 ms", "p95 ms", "rss MiB"], rows, {
  bench: "search",
  model: embedder.id,
  sizes: Object.fromEntries(rows.map(([size, , p50, p95]) => [size, { p50, p95 }])),
});
