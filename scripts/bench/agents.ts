/**
 * What the agents' graph adds to a warm answer: every node but the searches and the writing, in one process.
 *
 *   node scripts/bench/agents.ts HOME QUESTIONS.jsonl [--limit 60] [--model ID]
 *
 * HOME has ingested collections and, to be worth measuring, a seeded registry; QUESTIONS has {"query"} or
 * {"question"} lines. Without --model the answers are quoted, which leaves the layer's time as it is; with
 * it, prompt and output tokens an answer are printed too. Prints a table, then one JSON line.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { loadSettings } from "../../src/config/load.ts";
import { programVersion } from "../../src/version.ts";
import { median, quantile, quietRun, report } from "./support.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { limit: { type: "string", default: "60" }, model: { type: "string" } },
});
const [home, path] = positionals;
if (home === undefined || path === undefined)
  throw new Error("usage: node scripts/bench/agents.ts HOME QUESTIONS.jsonl [--limit N] [--model ID]");
// A model of the manifest that is not installed: answers are quoted.
const model = values.model ?? "qwen3-4b-instruct-2507-q4_k_m";
const { settings } = loadSettings({ flags: { home, "answer.model": model } });
await using app = await openApp(settings, programVersion, quietRun.log);
const questions = readFileSync(path, "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line): { readonly query?: string; readonly question?: string } => JSON.parse(line))
  .map(({ query, question }) => query ?? question ?? "")
  .slice(0, Number(values.limit));

const byNode = new Map<string, number[]>();
const layer: number[] = [];
const tokens: number[][] = [];
for (const [at, query] of [questions[0] ?? "", ...questions].entries()) {
  for await (const event of app.ask({ query, topK: 5, collections: [] }, quietRun)) {
    // The first question opens the model and the store.
    if (event.type !== "answer-end" || at === 0) continue;
    const own = event.answer.trace.filter(({ node }) => node !== "execute" && node !== "assemble");
    layer.push(own.reduce((sum, { durationMs }) => sum + durationMs, 0));
    for (const { node, durationMs } of own) byNode.set(node, [...(byNode.get(node) ?? []), durationMs]);
    const written = event.answer.phases.filter(({ phase }) => phase === "generate").at(-1)?.counts;
    if (written !== undefined) tokens.push([written["promptTokens"] ?? 0, written["outputTokens"] ?? 0]);
  }
}
const rows = [...byNode, ["all", layer] as const].map(([node, times]) => [
  node,
  times.length,
  median(times),
  quantile(times, 0.95),
]);
const mean = (column: number): number =>
  tokens.reduce((sum, row) => sum + (row[column] ?? 0), 0) / Math.max(1, tokens.length);
report(["node", "n", "p50 ms", "p95 ms"], rows, {
  bench: "agents",
  questions: questions.length,
  layer_ms: { p50: median(layer), p95: quantile(layer, 0.95) },
  ...(tokens.length === 0 ? {} : { model, prompt_tokens: mean(0), output_tokens: mean(1) }),
});
