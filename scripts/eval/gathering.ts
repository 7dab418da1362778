// Measures what the formulations of a question and their weights are worth to the pages found, and what it costs to
// spare hits that are alike.
//   node scripts/eval/gathering.ts QUESTIONS.jsonl --collection NAME [--home DIR] [--limit N]
import { parseArgs } from "node:util";
import { planQueries } from "../../src/agents/decide/plan.ts";
import type { Plan } from "../../src/core/answers/agent.ts";
import { type GatherSettings, gatherDefaults, gatherPassages } from "../../src/pipeline/retrieve/gather.ts";
import { evalRun, openHome, openLibrary } from "./library.ts";
import { isLocated, isOnEvidence, isTextual, pageQuestion, readLines } from "./questions.ts";
import { spread } from "./replay.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    collection: { type: "string", default: "" },
    home: { type: "string" },
    limit: { type: "string", default: "1000" },
  },
});
const labelled = readLines(positionals[0] ?? "", pageQuestion).filter((q) => isLocated(q) && isTextual(q));
const questions = spread(labelled, Number(values.limit));

const home = openHome(values.home);
// Variants share their searches: only what is made of the hits differs.
await using library = await openLibrary(home, values.collection);

const one = (text: string): Plan => ({ queries: [{ text, purpose: "question", limit: 10 }], reason: "" });
const all = (text: string): Plan => planQueries(text, { rewritten: null }, { intent: "retrieval" });
const off = { ...gatherDefaults, lambda: 1 };
const weigh = (rewrite: number, terms: number, likeFrom?: number): GatherSettings => ({
  ...off,
  weights: { ...off.weights, rewrite, key_terms: terms },
  ...(likeFrom === undefined ? {} : { lambda: 0.5, likeFrom }),
});
const variants: readonly (readonly [string, (text: string) => Plan, GatherSettings])[] = [
  ["question alone", one, off],
  ["planned, weights 1 1 1", all, weigh(1, 1)],
  ["planned, weights 1 .5 .5", all, weigh(0.5, 0.5)],
  ["planned, weights 1 .25 .25", all, weigh(0.25, 0.25)],
  ["weights 1 .5 .5, MMR, alike from 0", all, weigh(0.5, 0.5, 0)],
  ["weights 1 .5 .5, MMR, alike from .8", all, weigh(0.5, 0.5, 0.8)],
  ["weights 1 .5 .5, MMR, alike from .9", all, weigh(0.5, 0.5, 0.9)],
  ["weights 1 .5 .5, MMR, alike from .95", all, weigh(0.5, 0.5, 0.95)],
  ["as it is set", all, gatherDefaults],
];
process.stdout.write(`page-hit, n = ${questions.length}${"@1     @5    @10".padStart(36)}\n`);
for (const [name, planned, variant] of variants) {
  const ranks: number[] = [];
  const started = performance.now();
  for (const q of questions) {
    const { hits } = await gatherPassages(
      planned(q.question),
      { topK: 10, collections: [], mode: "hybrid" },
      { retrieve: library.drivers, settings: variant },
      evalRun,
    );
    const rank = hits.findIndex(({ chunk }) => isOnEvidence(q, chunk));
    ranks.push(rank < 0 ? Number.POSITIVE_INFINITY : rank);
  }
  const hit = (cut: number): string =>
    (ranks.filter((rank) => rank < cut).length / Math.max(1, ranks.length)).toFixed(3);
  process.stdout.write(
    `${name.padEnd(36)} ${hit(1)}  ${hit(5)}  ${hit(10)}  ${((performance.now() - started) / questions.length).toFixed(0)} ms\n`,
  );
}
