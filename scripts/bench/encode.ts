/**
 * Encode speed of the embedder beside the raw loop: onnxruntime alone, one text per run on ready token ids,
 * no pooling.
 *
 *   node scripts/bench/encode.ts FOLDER [--texts 96] [--rounds 5] [--threads 2]
 *
 * FOLDER holds model.onnx and tokenizer.json of bge-small. Both run the same synthetic texts in this process,
 * in turns, so a busy machine slows both; the ratio is of each round's pair. Prints a table, then one JSON
 * line.
 */
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import open from "../../src/drivers/embedders/onnx.ts";
import { openOnnx } from "../../src/drivers/runtime/onnx.ts";
import { openTokenizer } from "../../src/drivers/runtime/tokenizer.ts";
import { median, seeded } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    texts: { type: "string", default: "96" },
    rounds: { type: "string", default: "5" },
    threads: { type: "string", default: String(availableParallelism()) },
  },
});
const [folder] = positionals;
if (folder === undefined)
  throw new Error("usage: node scripts/bench/encode.ts FOLDER [--texts N] [--rounds N] [--threads N]");
const [texts, rounds, threads] = [Number(values.texts), Number(values.rounds), Number(values.threads)];
const [modelPath, tokenizerPath] = [join(folder, "model.onnx"), join(folder, "tokenizer.json")];
const maxTokens = 512;

const lexicon =
  "the of and a in to is was for on as with by at from pump valve report quarter interest harbour warranty kettle isotope ledger".split(
    " ",
  );
const random = seeded(7);
const corpus = Array.from({ length: texts }, (_, at) =>
  Array.from(
    { length: 180 + Math.floor(random() * 240) },
    () => lexicon[Math.floor(random() * lexicon.length)],
  )
    .join(" ")
    .concat(` ${at}`),
);

const tokenizer = await openTokenizer(tokenizerPath);
const rows = corpus.map((text) => tokenizer.encodeForModel(text, maxTokens).ids);
const tokens = rows.reduce((total, ids) => total + ids.length, 0);

await using session = await openOnnx({ modelPath, device: "cpu", threads });
await using embedder = await open({
  ...{
    id: "bench",
    architecture: "bert",
    pooling: "cls",
    queryPrefix: "",
    passagePrefix: "",
    maxTokens,
    dimensions: 384,
  },
  ...{ modelPath, tokenizerPath, modelSha256: "", device: "cpu", threads, precision: "int8" },
});
const outputs = session.outputs.slice(0, 1).map(({ name }) => name);

async function raw(): Promise<void> {
  for (const ids of rows) {
    const dims = [1, ids.length];
    const zeros = new BigInt64Array(ids.length);
    const inputs = {
      input_ids: { data: BigInt64Array.from(ids, BigInt), dims },
      attention_mask: { data: zeros.map(() => 1n), dims },
    };
    await session.run({ ...inputs, token_type_ids: { data: zeros, dims } }, outputs);
  }
}

async function embed(): Promise<void> {
  await embedder.embed(corpus, { purpose: "passage" }, new AbortController().signal);
}

async function speed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (tokens / (performance.now() - started)) * 1000;
}

await speed(raw);
await speed(embed);
const pairs: { readonly raw: number; readonly embed: number }[] = [];
for (let round = 0; round < rounds; round++) {
  const [first, second] = round % 2 === 0 ? [raw, embed] : [embed, raw];
  const [one, two] = [await speed(first), await speed(second)];
  pairs.push(round % 2 === 0 ? { raw: one, embed: two } : { raw: two, embed: one });
}

const result = {
  bench: "encode",
  texts,
  tokens,
  rounds,
  threads,
  cpu: cpus()[0]?.model ?? "unknown",
  node: process.version,
  raw_tokens_per_s: Math.round(median(pairs.map((pair) => pair.raw))),
  embed_tokens_per_s: Math.round(median(pairs.map((pair) => pair.embed))),
  embed_over_raw: Number(median(pairs.map((pair) => pair.embed / pair.raw)).toFixed(3)),
};
const line = (name: string, all: readonly number[]): string =>
  `${name.padEnd(12)}${all.map((value) => String(Math.round(value)).padStart(8)).join("")}`;
process.stdout.write(`tokens/s of ${tokens} tokens in ${texts} texts, ${threads} threads\n`);
process.stdout.write(
  `${line(
    "raw",
    pairs.map((pair) => pair.raw),
  )}\n${line(
    "embed",
    pairs.map((pair) => pair.embed),
  )}\n${JSON.stringify(result)}\n`,
);
