// What naming a document is worth, fitted with leave-documents-out folds: every pair of weights is searched
// once, each fold of documents is scored with the pair that was best on the other folds.
//   node scripts/eval/naming.ts QUESTIONS.jsonl… --collection NAME [--home DIR] [--set key=value …]
// Questions: {"id","question","doc","evidence_pages":[1-based],"answerable"}. Prints page-hit@5 of each pair,
// of the folds, and of no naming, with a 95 % interval by bootstrap over documents.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { loadSettings } from "../../src/config/load.ts";
import { z } from "../../src/core/schema.ts";
import { programVersion } from "../../src/version.ts";
import { evalRun } from "./library.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    collection: { type: "string", default: "" },
    home: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
  },
});
const question = z.object({
  question: z.string(),
  doc: z.string().nullable(),
  answerable: z.boolean(),
  evidence_pages: z.array(z.number()),
  text_only_ok: z.boolean().optional(),
  needs_ocr: z.boolean().optional(),
});
const questions = positionals
  .flatMap((path) => readFileSync(path, "utf8").trim().split("\n"))
  .map((line) => question.parse(JSON.parse(line)))
  .filter(
    (q) => q.answerable && q.evidence_pages.length > 0 && q.text_only_ok !== false && q.needs_ocr !== true,
  );
const pairs = [0, 0.06, 0.12, 0.18].flatMap((nameWeight) =>
  [0, 0.1, 0.2, 0.3].map((yearWeight) => ({ nameWeight, yearWeight })),
);
const flags = Object.fromEntries(values.set.map((pair) => pair.split("=", 2) as [string, string]));
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

/** Per question, whether one of the first five hits stands on a page of evidence. */
async function hitsWith(pair: (typeof pairs)[number]): Promise<readonly number[]> {
  const { settings } = loadSettings({
    flags: {
      ...flags,
      ...(values.home === undefined ? {} : { home: values.home }),
      "retrieve.nameWeight": pair.nameWeight,
      "retrieve.yearWeight": pair.yearWeight,
    },
  });
  await using app = await openApp(settings, programVersion, evalRun.log);
  const hits: number[] = [];
  for (const { question: query, doc, evidence_pages } of questions) {
    const found = await app.search(
      { query, topK: 5, mode: "hybrid", collections: [values.collection] },
      evalRun,
    );
    const isHit = found.hits.some(
      ({ chunk }) =>
        basename(chunk.sourceName) === doc && chunk.pages.some((page) => evidence_pages.includes(page)),
    );
    hits.push(Number(isHit));
  }
  return hits;
}

const byPair: { readonly pair: (typeof pairs)[number]; readonly hits: readonly number[] }[] = [];
for (const pair of pairs) {
  const hits = await hitsWith(pair);
  byPair.push({ pair, hits });
  process.stdout.write(
    `name ${pair.nameWeight}  year ${pair.yearWeight}  page-hit@5 ${mean(hits).toFixed(3)}\n`,
  );
}
const folds = 10;
const foldOf = (doc: string | null): number =>
  createHash("sha256")
    .update(doc ?? "")
    .digest()
    .readUInt32BE(0) % folds;
const held = questions.map(({ doc }, at) => {
  const fold = foldOf(doc);
  const score = ({ hits }: { readonly hits: readonly number[] }): number =>
    mean(hits.filter((_, other) => foldOf(questions[other]?.doc ?? null) !== fold));
  const best = byPair.toSorted((one, two) => score(two) - score(one))[0];
  return best?.hits[at] ?? 0;
});

/** Share with the 2.5th and 97.5th percentile of a thousand samples of documents, by a fixed sequence. */
function interval(hits: readonly number[]): string {
  const groups = [
    ...Map.groupBy(
      hits.map((_, at) => at),
      (at) => questions[at]?.doc,
    ).values(),
  ];
  let state = 1;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const means = Array.from({ length: 1000 }, () =>
    mean(groups.flatMap(() => groups[Math.floor(next() * groups.length)] ?? []).map((at) => hits[at] ?? 0)),
  ).sort((one, two) => one - two);
  return `${mean(hits).toFixed(3)} [${means[25]?.toFixed(3)}, ${means[974]?.toFixed(3)}]`;
}
process.stdout.write(`no naming ${interval(byPair[0]?.hits ?? [])}\n`);
process.stdout.write(`folds of documents ${interval(held)}, n ${questions.length}\n`);
