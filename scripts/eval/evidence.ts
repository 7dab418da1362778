// Fits the weights of evidence() and measures them on questions that nothing answers: with their document or
// the passage of the answer left out, with other years or another name, or labelled so.
//   node scripts/eval/evidence.ts COLLECTION=QUESTIONS… [--home DIR] [--limit N] [--record FILE]
// QUESTIONS: JSONL {"id","question","doc","answer","answerable","evidence_pages":[1-based]} or SQuAD JSON;
// --limit: questions of each file, spread over it. --record keeps what was searched, for another fit.
// A question and its near misses together weigh as much as any other, answerable as much as not, and each
// collection as much as another. An answerable question whose passage was not found is left out: to refuse it
// is right, though not what its set says. Scored in ten folds of documents, each by the weights of the other nine.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { evidence, evidenceDefaults } from "../../src/pipeline/answer/evidence.ts";
import { analyzeQuestion } from "../../src/pipeline/answer/question.ts";
import { searchCase } from "./case-search.ts";
import { scoreByFold } from "./folds.ts";
import { openHome, openLibrary } from "./library.ts";
import { fitLogistic, type LabelledRow } from "./logistic.ts";
import { type EvidenceCase, evidenceCases, type Fault } from "./near-misses.ts";
import type { Found } from "./replay.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    home: { type: "string" },
    limit: { type: "string", default: "200" },
    record: { type: "string" },
  },
});
/** Of the quadratic penalty; a tenth and ten times of it changed no figure below by more than .005. */
const penalty = 1;

interface Recorded extends Pick<EvidenceCase, "id" | "question" | "document" | "fault">, Found {
  readonly set: string;
  /** Whether one of the hits answers it. */
  readonly isFound: boolean;
}

async function searchAll(): Promise<readonly Recorded[]> {
  if (values.record !== undefined && existsSync(values.record))
    // Written by this script.
    return JSON.parse(readFileSync(values.record, "utf8")) as readonly Recorded[];
  const recorded: Recorded[] = [];
  const home = openHome(values.home);
  for (const pair of positionals) {
    const set = pair.slice(0, pair.indexOf("="));
    await using library = await openLibrary(home, set, { remembers: false });
    for (const one of evidenceCases(pair.slice(set.length + 1), Number(values.limit))) {
      const { id, question, document, fault } = one;
      const found = await searchCase(one, library, home.settings);
      const isFound = found.hits.some(({ chunk }) => one.answers(chunk));
      recorded.push({ set, id, question, document, fault, isFound, ...found });
    }
  }
  if (values.record !== undefined)
    writeFileSync(values.record, JSON.stringify(recorded.map((one) => ({ ...one, ...evidenceOf(one) }))));
  return recorded;
}

interface Row extends LabelledRow, Recorded {
  /** Of the weights in evidence.ts. */
  readonly score: number;
}

const evidenceOf = ({ question, hits, cosine }: Recorded) =>
  evidence(analyzeQuestion(question), hits, evidenceDefaults, cosine);

/** Rows with weights as the head of this file says. */
function rowsOf(recorded: readonly Recorded[]): readonly Row[] {
  const all = recorded.filter(({ fault, isFound }) => fault !== "none" || isFound);
  const near = Map.groupBy(
    all.filter(({ fault }) => fault !== "none"),
    ({ set, id }) => `${set} ${id}`,
  );
  const rows = all.map((one) => {
    const { signals, score } = evidenceOf(one);
    const isTrue = one.fault === "none";
    return {
      ...one,
      signals: Object.values(signals),
      score,
      isTrue,
      share: isTrue ? 1 : 1 / (near.get(`${one.set} ${one.id}`)?.length ?? 1),
    };
  });
  const groups = Map.groupBy(rows, ({ set, isTrue }) => `${set} ${isTrue}`);
  return rows.map(({ share, ...row }) => {
    const group = groups.get(`${row.set} ${row.isTrue}`) ?? [];
    const total = group.reduce((sum, other) => sum + other.share, 0);
    return { ...row, weight: (share / total) * (rows.length / groups.size) };
  });
}

interface Scored {
  readonly row: Row;
  readonly score: number;
}

const share = (of: readonly Scored[], isOne: (one: Scored) => boolean): string =>
  of.length === 0 ? "–" : (of.filter(isOne).length / of.length).toFixed(3);

/** The score below which this share of the answerable questions lies. */
function cutAt(scored: readonly Scored[], rate: number): number {
  const scores = scored
    .filter(({ row }) => row.isTrue)
    .map(({ score }) => score)
    .sort((one, two) => one - two);
  return scores[Math.floor(scores.length * rate)] ?? 0;
}

/** Refused of each kind of near miss, at a threshold for all or at a rate of false refusals of each set. */
function report(title: string, scored: readonly Scored[]): void {
  const faults: readonly Fault[] = ["document", "passage", "year", "name", "stranger", "labelled"];
  process.stdout.write(
    `\n${title}\n  ${"".padEnd(10)}${"n".padStart(6)}   AUC  refused at .05 / .10 / .15 false\n`,
  );
  for (const set of ["all", ...new Set(scored.map(({ row }) => row.set))]) {
    const own = scored.filter(({ row }) => set === "all" || row.set === set);
    const right = own.filter(({ row }) => row.isTrue);
    process.stdout.write(`  ${set}: ${right.length} answerable\n`);
    for (const fault of [...faults, "any"] as const) {
      const wrong = own.filter(({ row }) => !row.isTrue && (fault === "any" || row.fault === fault));
      if (wrong.length === 0) continue;
      const above = right.reduce(
        (sum, { score }) => sum + wrong.filter((other) => other.score < score).length,
        0,
      );
      const at = [0.05, 0.1, 0.15].map((rate) => share(wrong, ({ score }) => score < cutAt(own, rate)));
      process.stdout.write(
        `  ${fault.padEnd(10)}${String(wrong.length).padStart(6)}  ${(above / right.length / wrong.length).toFixed(3)}  ${at.join(" / ")}\n`,
      );
    }
  }
}

/** Probability as said, and as it was: weighted share of answerable questions by tenths. */
function reliability(scored: readonly Scored[]): void {
  process.stdout.write("\nreliability: said, true (weighted), n\n");
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const own = scored.filter(({ score }) => Math.min(9, Math.floor(score * 10)) === tenth);
    const total = own.reduce((sum, { row }) => sum + row.weight, 0);
    const of = (value: (one: Scored) => number): string =>
      (own.reduce((sum, one) => sum + one.row.weight * value(one), 0) / total).toFixed(2);
    if (own.length > 0)
      process.stdout.write(
        `  ${of(({ score }) => score)}  ${of(({ row }) => Number(row.isTrue))}  ${own.length}\n`,
      );
  }
}

const rows = rowsOf(await searchAll());
const scored = scoreByFold(rows, penalty);
report("fitted, by folds of documents", scored);
report(
  "as it is in evidence.ts",
  rows.map((row) => ({ row, score: row.score })),
);
reliability(scored);
process.stdout.write("\nfalse refusals → threshold, refused\n");
for (const rate of [0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2]) {
  const cut = cutAt(scored, rate);
  const wrong = scored.filter(({ row }) => !row.isTrue);
  process.stdout.write(
    `  ${rate.toFixed(2)} → ${cut.toFixed(3)}, ${share(wrong, ({ score }) => score < cut)}\n`,
  );
}
const model = fitLogistic(rows, penalty);
const names = Object.keys(evidence(analyzeQuestion(""), []).signals);
process.stdout.write(`\nintercept ${model.intercept.toFixed(3)}\n`);
for (const [at, name] of names.entries()) process.stdout.write(`${name} ${model.weights[at]?.toFixed(3)}\n`);
