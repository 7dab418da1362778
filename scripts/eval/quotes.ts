// Fits the weights by which lines are quoted, and the probability that they answer, and measures both on
// questions that nothing answers (near-misses.ts).
//   node scripts/eval/quotes.ts COLLECTION=QUESTIONS… [--home DIR] [--limit N] [--record FILE]
// QUESTIONS as for evidence.ts, or a folder's questions with `gold`. --record keeps the lines' signals, for
// another fit. A line holds an answer where held-answer.ts says so; a question is answered where one of the
// lines that would be quoted holds it. Scored in ten folds of documents, each by the weights of the other nine.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createTextSimilarity } from "../../src/app/engines/text-vectors.ts";
import { evidence, evidenceDefaults } from "../../src/pipeline/answer/evidence.ts";
import { analyzeQuestion } from "../../src/pipeline/answer/question.ts";
import {
  answeringSignals,
  lineSignals,
  rankLines,
  selectBestLines,
} from "../../src/pipeline/answer/quotes/choose.ts";
import { linesIn } from "../../src/pipeline/answer/quotes/lines.ts";
import { searchCase } from "./case-search.ts";
import { scoreByFold } from "./folds.ts";
import { holdsAnswer } from "./held-answer.ts";
import { evalRun, openHome, openLibrary } from "./library.ts";
import { fitLogistic, type LabelledRow, type LogisticModel } from "./logistic.ts";
import { type EvidenceCase, evidenceCases } from "./near-misses.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    home: { type: "string" },
    limit: { type: "string", default: "150" },
    record: { type: "string" },
  },
});
/** Of the quadratic penalty. */
const penalty = 1;
/** Hits whose lines are quoted, as in an answer. */
const depth = 6;
/** Lines of a question that are kept to fit on, the best first. */
const keptLines = 20;

interface Recorded extends Pick<EvidenceCase, "id" | "question" | "document" | "fault"> {
  readonly set: string;
  /** Of the best lines: their signals, and whether each holds the answer. */
  readonly lines: readonly { readonly signals: readonly number[]; readonly holds: boolean }[];
  /** Of what would be quoted. */
  readonly signals: readonly number[];
  readonly isAnswered: boolean;
}

async function recordAll(): Promise<readonly Recorded[]> {
  if (values.record !== undefined && existsSync(values.record))
    // Written by this script.
    return JSON.parse(readFileSync(values.record, "utf8")) as readonly Recorded[];
  const recorded: Recorded[] = [];
  const home = openHome(values.home);
  const nearness = createTextSimilarity();
  for (const pair of positionals) {
    const set = pair.slice(0, pair.indexOf("="));
    await using library = await openLibrary(home, set, { remembers: false });
    const model = await library.drivers.embedder();
    for (const one of evidenceCases(pair.slice(set.length + 1), Number(values.limit))) {
      const { id, question, document, fault, gold } = one;
      const { hits, cosine } = await searchCase(one, library, home.settings);
      const asked = analyzeQuestion(question);
      if (hits.length === 0) continue;
      const lines = linesIn(hits.slice(0, depth), asked.asksAboutOrders);
      const texts = lines.map(({ text, header }) => (header === undefined ? text : `${header}\n${text}`));
      const cosines = await nearness(question, texts, model, evalRun.signal);
      const ranked = rankLines(asked, lines, cosines);
      const quoted = selectBestLines(ranked).map(({ line: { header = "", text } }) => `${header} ${text}`);
      const all = lineSignals(asked, lines, cosines);
      const holds = (text: string): boolean => fault === "none" && holdsAnswer(gold, [text]);
      recorded.push({
        ...{ set, id, question, document, fault },
        lines: ranked.slice(0, keptLines).flatMap(({ line }) => {
          const signals = all[line.place];
          return signals === undefined
            ? []
            : [{ signals: Object.values(signals), holds: holds(`${line.header ?? ""} ${line.text}`) }];
        }),
        signals: Object.values(answeringSignals(evidence(asked, hits, evidenceDefaults, cosine), ranked)),
        isAnswered: fault === "none" && holdsAnswer(gold, quoted),
      });
    }
  }
  if (values.record !== undefined) writeFileSync(values.record, JSON.stringify(recorded));
  return recorded;
}

/** Rows that weigh as much answered as not, and each set as much as another. */
function balanced(recorded: readonly Recorded[]): readonly (LabelledRow & Recorded)[] {
  const groups = Map.groupBy(recorded, ({ set, isAnswered }) => `${set} ${isAnswered}`);
  return recorded.map((one) => {
    const group = groups.get(`${one.set} ${one.isAnswered}`) ?? [];
    return { ...one, isTrue: one.isAnswered, weight: recorded.length / groups.size / group.length };
  });
}

const shown = ({ intercept, weights }: LogisticModel): string =>
  `intercept ${intercept.toFixed(2)}, weights ${weights.map((weight) => weight.toFixed(2)).join(", ")}`;

const say = (text: string): boolean => process.stdout.write(`${text}\n`);
const recorded = await recordAll();

const lineRows = recorded
  .filter(({ fault, lines }) => fault === "none" && lines.some(({ holds }) => holds))
  .flatMap(({ document, lines }) =>
    lines.map(({ signals, holds }) => ({ document, signals, isTrue: holds, weight: 1 })),
  );
say(`lines: ${shown(fitLogistic(lineRows, penalty))} (n ${lineRows.length})`);

const rows = balanced(recorded);
const scored = scoreByFold(rows, penalty);
say(`answers: ${shown(fitLogistic(rows, penalty))} (n ${rows.length})`);
for (const threshold of [0.3, 0.4, 0.45, 0.5, 0.6, 0.7]) {
  const share = (of: readonly { score: number }[]): string =>
    `${of.filter(({ score }) => score >= threshold).length} of ${of.length}`;
  const each = [...Map.groupBy(scored, ({ row }) => row.set)].map(([set, own]) => {
    const right = own.filter(({ row }) => row.isAnswered);
    const rest = own.filter(({ row }) => row.fault === "none" && !row.isAnswered);
    const near = own.filter(({ row }) => row.fault !== "none");
    return `${set}: ${share(right)} right, ${share(rest)} beside the point, ${share(near)} near misses`;
  });
  say(`at ${threshold}\n  ${each.join("\n  ")}`);
}
