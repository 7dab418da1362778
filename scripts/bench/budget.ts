/**
 * What a budget promises and what is used of it: asks the same questions at several budgets, in turns, and
 * counts how often the answer holds what it should; the budget `none` is no limit.
 *
 *   node scripts/bench/budget.ts HOME [--model ID] [--budgets 3s,6s,12s,25s] [--limit 15]
 *     [--documents FOLDER --questions FILE.jsonl]
 *
 * HOME has the models; the documents are ingested into a home of their own, removed at the end. Each line of
 * the questions is {question, answer: text or [text …]}; default: fixtures/. Two questions
 * without a budget come first, so that the machine is measured; the model stays in memory. Prints a table,
 * then one JSON line. Load before and after tells how busy the machine was.
 */
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Answer } from "../../src/core/answers/answer.ts";
import { parseDuration } from "../../src/core/answers/time.ts";
import { z } from "../../src/core/schema.ts";
import { contains } from "../../src/pipeline/evaluate/compare-texts.ts";
import { stopHost } from "../../src/resident/client.ts";
import { median, quantile, quietRun, report, temporaryHome } from "./support.ts";

const fixtures = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string", default: "auto" },
    budgets: { type: "string", default: "3s,6s,12s,25s" },
    limit: { type: "string", default: "15" },
    documents: { type: "string", default: fixtures("documents") },
    questions: { type: "string", default: fixtures("questions.jsonl") },
  },
});
const [home] = positionals;
if (home === undefined)
  throw new Error("usage: node scripts/bench/budget.ts HOME [--model ID] [--budgets 3s,12s] [--limit N]");

const line = z
  .looseObject({ question: z.string(), answer: z.union([z.string().min(1), z.array(z.string()).min(1)]) })
  .transform(({ question, answer }) => ({ query: question, answers: [answer].flat() }));
const asked = readFileSync(values.questions, "utf8")
  .split("\n")
  .flatMap((text) => {
    const read = text.trim() === "" ? undefined : line.safeParse(JSON.parse(text));
    return read?.success === true ? [read.data] : [];
  });
const every = Math.max(1, Math.floor(asked.length / Number(values.limit)));
const questions = asked.filter((_, at) => at % every === 0).slice(0, Number(values.limit));

interface Outcome {
  readonly usedMs: number;
  /** Share of the texts that the answer should hold. */
  readonly holds: number;
  readonly answer: Answer;
}

const loadBefore = loadavg()[0];
await using place = await temporaryHome(home);
const flags = { home: place.path, "answer.model": values.model };
const { settings } = loadSettings({ flags, trust: false });
await using app = await openApp(settings, "0.0.0", quietRun.log);
await app.registry.seed({}, quietRun);
const request = { collection: "general_knowledge", instance: "public", department: "" } as const;
await Array.fromAsync(app.ingest({ ...request, paths: [values.documents] }, quietRun));

let number = 0;
async function ask({ query, answers }: (typeof questions)[number], budget: string): Promise<Outcome> {
  const since = performance.now();
  const id = `bench-${number++}`;
  const time = budget === "none" ? {} : { budget };
  for await (const event of app.ask({ query, topK: 5, collections: [], ...time }, { ...quietRun, id }))
    if (event.type === "answer-end") {
      const { answer } = event;
      const held = answers.filter((text) => contains(answer.response, [text])).length;
      return { usedMs: performance.now() - since, holds: held / answers.length, answer };
    }
  throw new Error("no answer");
}

for (const question of questions.slice(0, 2)) await ask(question, "none");
const budgets = values.budgets.split(",");
const outcomes = new Map<string, Outcome[]>(budgets.map((name) => [name, []]));
for (const question of questions)
  for (const name of budgets) outcomes.get(name)?.push(await ask(question, name));

const rows = [...outcomes].map(([name, all]) => {
  const promisedMs = name === "none" ? Number.NaN : parseDuration(name, name);
  const used = all.map(({ usedMs }) => usedMs);
  const over = used.filter((ms) => ms > 1.15 * promisedMs).length;
  const written = all.filter(({ answer }) => answer.model !== null).length;
  const passages = all.map(({ answer }) => answer.budget?.plan.passages ?? Number.NaN);
  const holds = all.reduce((sum, each) => sum + each.holds, 0) / all.length;
  return [
    name,
    all.length,
    median(used),
    quantile(used, 0.95),
    Math.max(...used),
    over,
    written,
    median(passages),
    holds,
  ];
});
const headings = [
  "budget",
  "asks",
  "p50 ms",
  "p95 ms",
  "max ms",
  "over 1.15",
  "by model",
  "passages",
  "holds",
];
report(headings, rows as (string | number)[][], {
  bench: "budget",
  model: values.model,
  load: [loadBefore, loadavg()[0]],
  rows: rows.map((row) => Object.fromEntries(headings.map((heading, at) => [heading, row[at]]))),
  every: Object.fromEntries(
    [...outcomes].map(([name, all]) => [name, all.map(({ usedMs, holds }) => [Math.round(usedMs), holds])]),
  ),
});
await stopHost(place.path);
