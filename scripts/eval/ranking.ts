// What a page's features are worth, fitted with leave-documents-out folds: a conditional logit over the pages
// that a search found, the probability that the first page is one of evidence. Each document is ranked with
// weights fitted on the other folds; each file of questions, a pack, also with weights of the other packs.
//   node scripts/eval/ranking.ts QUESTIONS.jsonl… --collection NAME [--home DIR] [--set key=value …]
//     [--rows FILE] [--write]
// Questions: {"id","question","doc","evidence_pages":[1-based],"answerable","set"?}. --rows keeps what the
// searches found, for another fit; --write replaces the numbers of config/ranking.yaml. A weight there must
// not be 0, as features are read back from what they added.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { openApp } from "../../src/app/app.ts";
import { loadWeights } from "../../src/app/engines/ranking.ts";
import { loadSettings } from "../../src/config/load.ts";
import { z } from "../../src/core/schema.ts";
import { featureNames } from "../../src/pipeline/retrieve/features.ts";
import { distinctPages } from "../../src/pipeline/retrieve/pages.ts";
import { programVersion } from "../../src/version.ts";
import { average, documentInterval, foldOf, folds } from "./folds.ts";
import { evalRun, flagsOf } from "./library.ts";
import { isLocated, isOnEvidence, pageQuestion, readLines } from "./questions.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    collection: { type: "string", default: "" },
    home: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
    rows: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const question = pageQuestion.extend({
  set: z.string().default(""),
  modality: z.array(z.string()).default([]),
  kind: z.string().default(""),
});
const questions = positionals.flatMap((path, pack) =>
  readLines(path, question)
    .map((line) => ({ ...line, pack }))
    .filter((q) => isLocated(q) && q.text_only_ok !== false),
);
type Question = (typeof questions)[number];

const scopes = ["one store", "document given"] as const;
/** Fused score, name and features of a page, in this order. */
const columns = ["fused", "name", ...featureNames] as const;
const installed = loadWeights();
const installedWeights = [1, 1, ...featureNames.map((name) => installed[name])];

/** A page that a search found. */
interface Row {
  readonly values: readonly number[];
  readonly isEvidence: boolean;
}
/** What the search for one question found, best first, and with features off. */
interface Asked {
  readonly at: number;
  readonly scope: (typeof scopes)[number];
  readonly pages: readonly Row[];
  readonly before: readonly boolean[];
}

async function searchAll(): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (const features of ["off", "on"]) {
    const { settings } = loadSettings({
      flags: {
        ...flagsOf(values.set),
        ...(values.home === undefined ? {} : { home: values.home }),
        "retrieve.features": features,
      },
    });
    await using app = await openApp(settings, programVersion, evalRun.log);
    const documents = await app.documents([values.collection], evalRun);
    const ids = new Map(documents.map(({ name, id }) => [basename(name), id]));
    for (const [at, one] of questions.entries())
      for (const scope of scopes) {
        const { question: query, doc } = one;
        const id = ids.get(doc ?? "");
        if (id === undefined) continue;
        const within = scope === "one store" ? {} : { documents: [id] };
        const { hits } = await app.search(
          { query, topK: 100, mode: "hybrid", collections: [values.collection], explain: true, ...within },
          evalRun,
        );
        const pages = distinctPages(hits, 0).map(
          ({ chunk, parts = {} }): Row => ({
            values: columns.map((name, column) => (parts[name] ?? 0) / (installedWeights[column] ?? 1)),
            isEvidence: isOnEvidence(one, chunk),
          }),
        );
        if (features === "off")
          asked.push({ at, scope, pages: [], before: pages.map(({ isEvidence }) => isEvidence) });
        else {
          const place = asked.findIndex((each) => each.at === at && each.scope === scope);
          asked[place] = { at, scope, before: asked[place]?.before ?? [], pages };
        }
      }
  }
  return asked;
}

const isText = ({ needs_ocr }: Question): boolean => needs_ocr !== true;
const dot = (one: readonly number[], two: readonly number[]): number =>
  one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0);

/**
 * Weights that maximise the log-likelihood that a page of evidence comes first, by gradient ascent (Adam),
 * with a little decay; divided by that of the fused score.
 */
function fit(asked: readonly Asked[]): readonly number[] {
  const lists = asked.map(({ pages }) => pages).filter((pages) => pages.some(({ isEvidence }) => isEvidence));
  const weights = installedWeights.map((weight) => 5 * weight);
  const [mean, square] = [columns.map(() => 0), columns.map(() => 0)];
  const [decay, step] = [0.002, 0.1];
  for (let round = 1; round <= 250; round += 1) {
    const gradient = columns.map((_, at) => -decay * (weights[at] ?? 0));
    for (const pages of lists) {
      const scores = pages.map(({ values: row }) => dot(row, weights));
      const top = Math.max(...scores);
      const odds = scores.map((score) => Math.exp(score - top));
      const all = odds.reduce((sum, each) => sum + each, 0);
      const right = odds.reduce((sum, each, at) => sum + (pages[at]?.isEvidence === true ? each : 0), 0);
      pages.forEach(({ values: row, isEvidence }, at) => {
        const pull = (isEvidence ? (odds[at] ?? 0) / right : 0) - (odds[at] ?? 0) / all;
        if (Math.abs(pull) > 1e-6)
          row.forEach((value, column) => {
            gradient[column] = (gradient[column] ?? 0) + (pull * value) / lists.length;
          });
      });
    }
    gradient.forEach((slope, at) => {
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope;
      const [first, second] = [
        (mean[at] ?? 0) / (1 - 0.9 ** round),
        (square[at] ?? 0) / (1 - 0.999 ** round),
      ];
      weights[at] = (weights[at] ?? 0) + (step * first) / (Math.sqrt(second) + 1e-8);
    });
  }
  return weights.map((weight) => weight / (weights[0] ?? 1));
}

/** Whether evidence is among the first 1, 3, 5 and 10 pages. */
const cuts = [1, 3, 5, 10] as const;
const hitsOf = (ranked: readonly boolean[]): readonly number[] =>
  cuts.map((cut) => Number(ranked.slice(0, cut).includes(true)));
const rank = ({ pages }: Asked, weights: readonly number[]): readonly boolean[] =>
  pages
    .map(({ values: row, isEvidence }) => ({ score: dot(row, weights), isEvidence }))
    .sort((one, two) => two.score - one.score)
    .map(({ isEvidence }) => isEvidence);

const foldOfAsked = ({ at }: Asked): number => foldOf(questions[at]?.doc ?? "");

const isTable = ({ modality, kind }: Question): boolean => /table|tab_/i.test([...modality, kind].join(" "));
const groups: readonly (readonly [string, (question: Question) => boolean])[] = [
  ["text layer", isText],
  ["filings", (q) => isText(q) && q.set === "financebench"],
  ["others", (q) => isText(q) && q.set !== "financebench"],
  ["tables", (q) => isText(q) && isTable(q)],
  ["scanned", (q) => !isText(q)],
  ...positionals.map(
    (path, pack) => [basename(path, ".jsonl"), (q: Question) => isText(q) && q.pack === pack] as const,
  ),
];

function print(label: string, asked: readonly Asked[], ranked: (each: Asked) => readonly boolean[]): void {
  for (const scope of scopes) {
    const cells = groups.map(([name, isIn], at) => {
      const own = asked.filter((each) => {
        const q = questions[each.at];
        return each.scope === scope && q !== undefined && isIn(q);
      });
      const hits = own.map((each) => hitsOf(ranked(each)));
      const all = cuts.map((_, cut) => average(hits.map((row) => row[cut] ?? 0)).toFixed(3)).join(" / ");
      const atFive = hits.map((row) => row[2] ?? 0);
      return at === 0
        ? `n ${own.length} @1/3/5/10 ${all} ${documentInterval(atFive, (place) => questions[own[place]?.at ?? 0]?.doc)}`
        : `${name} (${own.length}) ${average(atFive).toFixed(3)}`;
    });
    process.stdout.write(`${label.padEnd(36)} ${scope.padEnd(15)} ${cells.join("  ")}\n`);
  }
}

const kept = values.rows !== undefined && existsSync(values.rows);
const asked: readonly Asked[] = kept
  ? JSON.parse(readFileSync(values.rows ?? "", "utf8"))
  : await searchAll();
if (values.rows !== undefined && !kept) writeFileSync(values.rows, JSON.stringify(asked));
const only = (...names: readonly string[]): readonly number[] =>
  columns.map((name, at) => (names.includes(name) ? (installedWeights[at] ?? 0) : 0));
const steps = ["fused", "name"];
print("features off", asked, ({ before }) => before);
print("question as searched", asked, (each) => rank(each, only(...steps)));
steps.push("companionDense", "companionLexical");
print("… and its companion", asked, (each) => rank(each, only(...steps)));
steps.push("kind");
print("… and kinds of pages", asked, (each) => rank(each, only(...steps)));
print("… and all (config/ranking.yaml)", asked, (each) => rank(each, installedWeights));
const usable = asked.filter(({ at }) => questions[at] !== undefined && isText(questions[at]));
const byFold = Array.from({ length: folds }, (_, fold) =>
  fit(usable.filter((each) => foldOfAsked(each) !== fold)),
);
print("fitted, folds of documents", asked, (each) =>
  rank(each, byFold[foldOfAsked(each)] ?? installedWeights),
);
if (positionals.length > 1) {
  const others = positionals.map((_, pack) => fit(usable.filter(({ at }) => questions[at]?.pack !== pack)));
  print("fitted on the other packs", asked, (each) =>
    rank(each, others[questions[each.at]?.pack ?? 0] ?? installedWeights),
  );
}
const fitted = fit(usable);
print("fitted on all (not a test)", asked, (each) => rank(each, fitted));
columns.forEach((name, at) => {
  process.stdout.write(`${name}: ${fitted[at]?.toFixed(2)}\n`);
});
if (values.write) {
  const path = new URL("../../config/ranking.yaml", import.meta.url);
  const text = featureNames.reduce(
    (all, name, at) =>
      all.replace(new RegExp(`^${name}: .*$`, "m"), `${name}: ${fitted[at + 2]?.toFixed(2)}`),
    readFileSync(path, "utf8"),
  );
  writeFileSync(path, text);
}
