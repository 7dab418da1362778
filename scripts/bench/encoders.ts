/**
 * Tokens that each of several embedding models encodes in a second of processor time, with their tokenizing,
 * by ragctl's own embedder, and its ratio to the first of them.
 *
 *   node scripts/bench/encoders.ts HOME TEXTS MODEL… [--texts 64] [--rounds 3] [--threads 2]
 *
 * TEXTS is a folder of text files; MODEL an id of HOME's models or a folder. The models take turns with the same
 * texts, so that a busy machine slows all; the ratio is the median of the rounds. Prints a table, then one JSON line.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openEmbedder } from "../../src/app/engines/models.ts";
import type { Embedder } from "../../src/core/documents/embedding.ts";
import { openHome } from "../eval/library.ts";
import { median, quietRun, report } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    texts: { type: "string", default: "64" },
    rounds: { type: "string", default: "3" },
    threads: { type: "string", default: "2" },
  },
});
const [home, folder, ...names] = positionals;
if (home === undefined || folder === undefined || names.length === 0)
  throw new Error("usage: node scripts/bench/encoders.ts HOME TEXTS MODEL… [--texts N] [--rounds N]");
const files = (await readdir(folder)).sort().slice(0, Number(values.texts));
const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));

await using resources = new AsyncDisposableStack();
const encoders: {
  readonly name: string;
  readonly embedder: Embedder;
  readonly tokens: number;
  readonly speeds: number[];
  readonly seconds: number[];
}[] = [];
for (const name of names) {
  const { settings, models } = openHome(home, { "embed.model": name, "embed.threads": values.threads });
  const embedder = resources.use(await openEmbedder(settings, await models()));
  const tokens = texts
    .map((text) => embedder.tokenizer.encodeForModel(text, embedder.maxTokens).ids.length)
    .reduce((sum, count) => sum + count, 0);
  encoders.push({ name, embedder, tokens, speeds: [], seconds: [] });
}

for (let round = 0; round <= Number(values.rounds); round++)
  for (const { embedder, tokens, speeds, seconds } of encoders) {
    const [used, began] = [process.cpuUsage(), performance.now()];
    await embedder.embed(texts, { purpose: "passage" }, quietRun.signal);
    const { user, system } = process.cpuUsage(used);
    // The first round warms up.
    if (round === 0) continue;
    speeds.push((tokens / (user + system)) * 1e6);
    seconds.push((performance.now() - began) / 1000);
  }

const results = encoders.map(({ name, tokens, speeds, seconds }) => ({
  name,
  tokens,
  perProcessorSecond: Math.round(median(speeds)),
  perSecond: Math.round(tokens / median(seconds)),
  ratio: median(speeds.map((speed, round) => speed / (encoders[0]?.speeds[round] ?? Number.NaN))),
}));
report(
  ["model", "tokens", "tokens/CPU s", "tokens/s", "ratio"],
  results.map((one) => Object.values(one)),
  { bench: "encoders", ...values, results },
);
