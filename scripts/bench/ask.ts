/**
 * How much of raw llama.cpp the ask path keeps: prompt and output tokens a second of ours ÷ the low-level
 * evaluate, one process, one model.
 * Usage: node scripts/bench/ask.ts <model.gguf> [rounds = 3] [prompt words = 500] [threads = 2]
 */

import { cpus } from "node:os";
import { basename } from "node:path";
import open from "../../src/drivers/llms/llama.ts";
import { openLlama } from "../../src/drivers/runtime/llama.ts";
import { median } from "./support.ts";

const [modelPath, rounds = "3", promptWords = "500", threads = "2"] = process.argv.slice(2);
if (modelPath === undefined) {
  process.stderr.write("usage: node scripts/bench/ask.ts <model.gguf> [rounds] [prompt words] [threads]\n");
  process.exit(2);
}
const settings = { modelPath, contextTokens: 2048, gpu: false, threads: Number(threads) } as const;
const outputTokens = 48;
const signal = new AbortController().signal;
const vocabulary = "river stone market letter garden winter engine paper silver window bridge harvest".split(
  " ",
);

/** A prompt no earlier one shares a start with, so that nothing is reused. */
function promptOf(seed: number): string {
  const picked = Array.from(
    { length: Number(promptWords) },
    (_, index) => vocabulary[(index * (seed + 3) + seed * 7 + index * index) % vocabulary.length],
  );
  return `${seed} ${picked.join(" ")}\nTell a long story with these words.`;
}

interface Speed {
  /** Tokens per second. */
  readonly prefill: number;
  readonly decode: number;
}

async function raw(seed: number): Promise<Speed> {
  const tokens = session.render([{ role: "user", text: promptOf(seed) }]);
  await session.sequence.clearHistory();
  const started = performance.now();
  let first = 0;
  let count = 0;
  for await (const _ of session.sequence.evaluate(tokens, {
    temperature: 0,
    // A small model may end its text at once; the measurement goes on.
    yieldEogToken: true,
  })) {
    if (count === 0) first = performance.now();
    count += 1;
    if (count >= outputTokens) break;
  }
  return {
    prefill: (tokens.length / (first - started)) * 1000,
    decode: ((count - 1) / (performance.now() - first)) * 1000,
  };
}

async function ours(seed: number): Promise<Speed> {
  for await (const event of model.generate(
    [{ role: "user", text: promptOf(seed) }],
    { temperature: 0, maxTokens: outputTokens, grammar },
    signal,
  )) {
    if (event.type !== "generation-end") continue;
    const evaluated = event.promptTokens - event.reusedTokens;
    return {
      prefill: (evaluated / event.prefillMs) * 1000,
      decode: ((event.outputTokens - 1) / event.decodeMs) * 1000,
    };
  }
  throw new Error("the model gave no measurements");
}

const grammar = 'root ::= (char+ " [" [1-5] "]")+\nchar ::= [^\\[\\]]\n';
const session = await openLlama(settings);
const model = await open({ ...settings, id: basename(modelPath) });
await raw(0);
await ours(0);
const measured: { readonly raw: Speed; readonly ours: Speed }[] = [];
for (let round = 1; round <= Number(rounds); round++) {
  // Alternating order: a machine that speeds up or slows down does so for both.
  if (round % 2 === 0) measured.push({ raw: await raw(round), ours: await ours(round) });
  else {
    const own = await ours(round);
    measured.push({ raw: await raw(round), ours: own });
  }
}
const report = Object.fromEntries(
  (["prefill", "decode"] as const).map((what) => [
    what,
    {
      raw: median(measured.map((round) => round.raw[what])),
      ours: median(measured.map((round) => round.ours[what])),
      ratio: median(measured.map((round) => round.ours[what] / round.raw[what])),
    },
  ]),
);
process.stdout.write("phase    raw tok/s  ours tok/s  ours ÷ raw (paired median)\n");
for (const [what, { raw, ours, ratio }] of Object.entries(report)) {
  process.stdout.write(
    `${what.padEnd(8)} ${raw.toFixed(1).padStart(9)}  ${ours.toFixed(1).padStart(10)}  ${ratio.toFixed(3).padStart(10)}\n`,
  );
}
process.stdout.write(
  `${JSON.stringify({ bench: "ask", model: basename(modelPath), provider: model.provider, threads: Number(threads), rounds: Number(rounds), cpu: cpus()[0]?.model, ...report })}\n`,
);
await model[Symbol.asyncDispose]();
await session[Symbol.asyncDispose]();
