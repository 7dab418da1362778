/**
 * What the resident process saves: wall time of `search` from a shell with nothing running and with it warm,
 * and the first token of a second `ask` against the raw engine on as many prompt tokens.
 *
 *   npm run build && node scripts/bench/resident.ts HOME MODEL.gguf [--rounds 15] [--question "…"]
 *
 * HOME has models, MODEL.gguf as its answering model, and at least one ingested collection that answers the
 * question. The first text of an answer is a judged sentence, so its first token is counted as the raw
 * engine's, after all that the command takes beside generating: what ours loses within the engine,
 * scripts/bench/ask.ts measures. Prints a table, then one JSON line.
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { openLlama } from "../../src/drivers/runtime/llama.ts";
import { median, quantile, report } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "15" },
    question: { type: "string", default: "how are losses recognised" },
  },
});
const [home, modelPath] = positionals;
if (home === undefined || modelPath === undefined)
  throw new Error('usage: node scripts/bench/resident.ts HOME MODEL.gguf [--rounds N] [--question "…"]');
const rounds = Number(values.rounds);
const launcher = fileURLToPath(new URL("../../bin/ragctl.js", import.meta.url));
const env = { ...process.env, RAGCTL_HOME: home };
const run = promisify(execFile);

async function ragctl(...args: string[]): Promise<{ readonly ms: number; readonly stdout: string }> {
  const started = performance.now();
  const { stdout } = await run(process.execPath, [launcher, ...args], { env });
  return { ms: performance.now() - started, stdout };
}

async function times(count: number, work: () => Promise<number>): Promise<readonly number[]> {
  const all: number[] = [];
  for (let round = 0; round < count; round += 1) all.push(await work());
  return all;
}

const search = async (...flags: string[]) => (await ragctl("search", values.question, ...flags)).ms;
const coldRounds = Math.max(3, Math.floor(rounds / 3));
const cold = await times(coldRounds, async () => {
  await ragctl("stop");
  return search();
});
const own = await times(coldRounds, () => search("--no-resident"));
await search();
const warm = await times(rounds, () => search());

interface Phase {
  readonly phase: string;
  readonly duration_ms: number;
  readonly tokens?: number;
}

/** What a command takes beside its generation, ms, and the tokens of the passages that its model read. */
async function ask(): Promise<{ readonly otherMs: number; readonly promptTokens: number }> {
  const { ms, stdout } = await ragctl("ask", values.question, "--json");
  // What the command printed, in the shape of its schema.
  const { phases } = JSON.parse(stdout) as { phases: readonly Phase[] };
  const generate = phases.find(({ phase }) => phase === "generate");
  if (generate === undefined) throw new Error("the question was answered without a model: ask another one");
  const promptTokens = phases.find(({ phase }) => phase === "context")?.tokens ?? 0;
  return { otherMs: ms - generate.duration_ms, promptTokens };
}

/** Time of the raw engine to its first token after so many others, ms. */
async function rawFirstToken(path: string, promptTokens: number): Promise<number> {
  const contextTokens = promptTokens + 64;
  await using session = await openLlama({ modelPath: path, contextTokens, gpu: false, threads: 0 });
  const text = "river stone market letter garden winter engine paper silver window bridge ";
  const measured = await times(4, async () => {
    const prompt = session.model.tokenize(text.repeat(promptTokens)).slice(0, promptTokens);
    await session.sequence.clearHistory();
    const started = performance.now();
    for await (const _ of session.sequence.evaluate(prompt, { temperature: 0 })) break;
    return performance.now() - started;
  });
  return median(measured.slice(1));
}

await ask();
const { otherMs, promptTokens } = await ask();
const raw = await rawFirstToken(modelPath, promptTokens);
const row = (name: string, all: readonly number[]) =>
  [name, all.length, Math.min(...all), median(all), quantile(all, 0.95)] as const;
const rows = [
  row("search, nothing running", cold),
  row("search, --no-resident", own),
  row("search, resident and warm", warm),
];
const firstToken = {
  prompt_tokens: promptTokens,
  raw_ms: raw,
  ours_ms: otherMs + raw,
  ratio: (otherMs + raw) / raw,
};
process.stdout.write(
  `first token of a second ask: ${(otherMs + raw).toFixed(0)} ms, ${firstToken.ratio.toFixed(2)} times the raw engine's ${raw.toFixed(0)} ms for ${promptTokens} tokens\n`,
);
report(["command", "runs", "min ms", "p50 ms", "p95 ms"], rows, {
  bench: "resident",
  load: process.platform === "linux" ? (await readFile("/proc/loadavg", "utf8")).split(" ")[0] : "",
  first_token: firstToken,
  ms: Object.fromEntries(rows.map(([name, , min, p50, p95]) => [name, { min, p50, p95 }])),
});
