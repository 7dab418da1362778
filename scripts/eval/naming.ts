// What naming a document is worth, fitted with leave-documents-out folds: every pair of weights is searched
// once, each fold of documents is scored with the pair that was best on the other folds.
//   node scripts/eval/naming.ts QUESTIONS.jsonl… --collection NAME [--home DIR] [--set key=value …]
// Questions: {"id","question","doc","evidence_pages":[1-based],"answerable"}. Prints page-hit@5 of each pair,
// of the folds, and of no naming, with a 95 % interval by bootstrap over documents.
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { loadSettings } from "../../src/config/load.ts";
import { programVersion } from "../../src/version.ts";
import { average, documentInterval, foldOf } from "./folds.ts";
import { evalRun, flagsOf } from "./library.ts";
import { isLocated, isOnEvidence, isTextual, pageQuestion, readLines } from "./questions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    collection: { type: "string", default: "" },
    home: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
  },
});
const questions = positionals
  .flatMap((path) => readLines(path, pageQuestion))
  .filter((q) => isLocated(q) && isTextual(q));
const pairs = [0, 0.06, 0.12, 0.18].flatMap((nameWeight) =>
  [0, 0.1, 0.2, 0.3].map((yearWeight) => ({ nameWeight, yearWeight })),
);

/** Per question, whether one of the first five hits stands on a page of evidence. */
async function hitsWith(pair: (typeof pairs)[number]): Promise<readonly number[]> {
  const { settings } = loadSettings({
    flags: {
      ...flagsOf(values.set),
      ...(values.home === undefined ? {} : { home: values.home }),
      "retrieve.nameWeight": pair.nameWeight,
      "retrieve.yearWeight": pair.yearWeight,
    },
  });
  await using app = await openApp(settings, programVersion, evalRun.log);
  const hits: number[] = [];
  for (const asked of questions) {
    const { question: query } = asked;
    const found = await app.search(
      { query, topK: 5, mode: "hybrid", collections: [values.collection] },
      evalRun,
    );
    const isHit = found.hits.some(({ chunk }) => isOnEvidence(asked, chunk));
    hits.push(Number(isHit));
  }
  return hits;
}

const byPair: { readonly pair: (typeof pairs)[number]; readonly hits: readonly number[] }[] = [];
for (const pair of pairs) {
  const hits = await hitsWith(pair);
  byPair.push({ pair, hits });
  process.stdout.write(
    `name ${pair.nameWeight}  year ${pair.yearWeight}  page-hit@5 ${average(hits).toFixed(3)}\n`,
  );
}
const held = questions.map(({ doc }, at) => {
  const fold = foldOf(doc ?? "");
  const score = ({ hits }: { readonly hits: readonly number[] }): number =>
    average(hits.filter((_, other) => foldOf(questions[other]?.doc ?? "") !== fold));
  const best = byPair.toSorted((one, two) => score(two) - score(one))[0];
  return best?.hits[at] ?? 0;
});

/** Share with its interval over documents. */
const interval = (hits: readonly number[]): string =>
  `${average(hits).toFixed(3)} ${documentInterval(hits, (at) => questions[at]?.doc)}`;

process.stdout.write(`no naming ${interval(byPair[0]?.hits ?? [])}\n`);
process.stdout.write(`folds of documents ${interval(held)}, n ${questions.length}\n`);
