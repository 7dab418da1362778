// Measures the intent router on labelled utterances. Rules were mended on the mistakes of the even lines
// (counted from 0); those of the odd ones were never looked at. One author wrote utterances and rules:
// strangers' wording will do worse.
//   node scripts/eval/intents.ts [FILE.jsonl] [--home DIR] [--model] [--wrong] [--margin N]
// FILE: {"text","intent","language"} a line; fixtures/utterances.jsonl when none is named. --model lets the
// answering model settle close calls.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { createIntentRouter, intentDefaults } from "../../src/agents/decide/intent.ts";
import { readUtterances } from "../../src/agents/decide/utterances.ts";
import { uncachedLoader } from "../../src/app/engines/loader.ts";
import { languageModelSettings, openEmbedder } from "../../src/app/engines/models.ts";
import { loadSettings } from "../../src/config/load.ts";
import { type Intent, intents } from "../../src/core/answers/answer.ts";
import { z } from "../../src/core/schema.ts";
import { openModelFolder } from "../../src/models/models.ts";
import { decisionDrivers, median, quiet } from "./decisions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    home: { type: "string" },
    model: { type: "boolean" },
    wrong: { type: "boolean" },
    margin: { type: "string" },
  },
});
const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const { settings } = loadSettings({ flags: values.home === undefined ? {} : { home: values.home } });
const models = await openModelFolder({
  home: settings.home,
  manifestPath: path("models/manifest.yaml"),
  hubUrl: settings.hub.url,
});
await using embedder = await openEmbedder(settings, models);
const answering = values.model === true ? await languageModelSettings(settings, models, false) : null;
await using model = answering === null ? null : await uncachedLoader.languageModel(answering);
const utterances = readUtterances(
  parse(readFileSync(path("config/intents.yaml"), "utf8")),
  "config/intents.yaml",
);
const margin = values.margin === undefined ? intentDefaults.margin : Number(values.margin);
const router = createIntentRouter(utterances, decisionDrivers(embedder, model), {
  ...intentDefaults,
  margin,
});

const row = z.object({ text: z.string(), intent: z.enum(intents), language: z.string() });
const rows = readFileSync(positionals[0] ?? path("fixtures/utterances.jsonl"), "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => row.parse(JSON.parse(line)));
await router.classify("How does the router warm up before the measuring starts?", [], quiet);

interface Decided {
  readonly text: string;
  readonly intent: Intent;
  readonly language: string;
  readonly found: Intent;
  readonly via: string;
  readonly reason: string;
  readonly ms: number;
  readonly test: boolean;
}
const decided: Decided[] = [];
for (const [index, { text, intent, language }] of rows.entries()) {
  const started = performance.now();
  const decision = await router.classify(text, [], quiet);
  decided.push({
    text,
    intent,
    language,
    found: decision.intent,
    via: decision.via,
    reason: decision.reason,
    ms: performance.now() - started,
    test: index % 2 === 1,
  });
}
const share = (some: readonly Decided[]): string =>
  some.length === 0
    ? "–"
    : `${(some.filter((one) => one.found === one.intent).length / some.length).toFixed(3)} (n ${some.length})`;
const print = (cells: readonly string[]): void =>
  void process.stdout.write(`${cells.map((cell) => cell.padStart(15)).join("")}\n`);
print(["accuracy", "all", "tuned on", "held out"]);
for (const intent of [undefined, ...intents]) {
  const some = decided.filter((one) => intent === undefined || one.intent === intent);
  print([
    intent ?? "every",
    share(some),
    share(some.filter((one) => !one.test)),
    share(some.filter((one) => one.test)),
  ]);
}
for (const tongue of new Set(rows.map((one) => one.language)))
  print([tongue, share(decided.filter((one) => one.language === tongue))]);
process.stdout.write("rows: labelled, columns: decided\n");
print(["", ...intents]);
for (const intent of intents)
  print([
    intent,
    ...intents.map((found) =>
      String(decided.filter((one) => one.intent === intent && one.found === found).length),
    ),
  ]);
const ways = [...new Set(decided.map((one) => one.via))];
for (const via of ways)
  print([
    `via ${via}`,
    share(decided.filter((one) => one.via === via)),
    `p50 ${median(decided.filter((one) => one.via === via).map((one) => one.ms)).toFixed(2)} ms`,
  ]);
if (values.wrong === true) {
  for (const one of decided.filter((each) => each.found !== each.intent && !each.test)) {
    process.stdout.write(`${one.intent} → ${one.found} via ${one.via}: ${one.text} — ${one.reason}\n`);
  }
}
const right = decided.filter((one) => one.found === one.intent).length;
process.stdout.write(
  `${JSON.stringify({
    utterances: decided.length,
    accuracy: right / decided.length,
    heldOut:
      decided.filter((one) => one.test && one.found === one.intent).length /
      decided.filter((one) => one.test).length,
    falseDirect: decided.filter((one) => one.intent === "retrieval" && one.found === "direct").length,
    model: model?.id ?? null,
    embedder: embedder.id,
    msP50: median(decided.map((one) => one.ms)),
  })}\n`,
);
