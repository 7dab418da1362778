import { words } from "../../../language/terms.ts";
import type { Evidence } from "../evidence.ts";
import { bm25ScoresWithVariants } from "../extract.ts";
import type { Question } from "../question.ts";
import type { QuotableLine } from "./lines.ts";

/** How near a line is to a question, by which lines are ranked; the order is that of the weights. */
export interface LineSignals {
  /** Cosine of the line, with the header of its table, as `usualCosines` scale it. */
  readonly cosine: number;
  /** BM25 of the line among all lines, as a share of the best. */
  readonly lexical: number;
  /** Share of the question's terms in the line, its header and the headings above it. */
  readonly covered: number;
  /** 1 for the first hit, 1/2 for the second, and so on. */
  readonly rank: number;
}

/** A line with its probability to hold the answer, given that one of all lines does. */
export interface RatedLine {
  readonly line: QuotableLine;
  /** With the question, as `usualCosines` scale it. */
  readonly cosine: number;
  readonly score: number;
}

/** Most lines that are quoted. */
const mostLines = 3;
/** A line whose odds are smaller by this factor than those of the best is not shown beside it. */
const leastOdds = 0.04;
/** Share of words from which two lines say the same. */
const sameWords = 0.85;

/** Weights of a logistic model, fitted by `node scripts/eval/quotes.ts`. */
const intercept = -7.34;
const weights: LineSignals = { cosine: 3.93, lexical: 3.27, covered: 0.37, rank: 1.48 };

/** Hit by hit, the signals of lines; `cosines`: of each line with the question. */
export function lineSignals(
  question: Question,
  lines: readonly QuotableLine[],
  cosines: readonly number[],
): readonly LineSignals[] {
  const said = lines.map(({ text, header = "" }) => `${header} ${text}`);
  const ranks = bm25ScoresWithVariants(question.alternatives, said);
  const best = Math.max(...ranks, Number.EPSILON);
  return lines.map(({ path, hit }, at) => {
    const own = new Set(words(`${path.join(" ")} ${said[at]}`));
    const held = question.alternatives.filter((forms) => forms.some((form) => own.has(form)));
    return {
      cosine: cosines[at] ?? 0,
      lexical: (ranks[at] ?? 0) / best,
      covered: held.length / Math.max(1, question.alternatives.length),
      rank: 1 / (1 + hit),
    };
  });
}

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));

const scoreOf = (signals: LineSignals): number =>
  logistic(
    intercept +
      weights.cosine * signals.cosine +
      weights.lexical * signals.lexical +
      weights.covered * signals.covered +
      weights.rank * signals.rank,
  );

const oddsOf = (score: number): number => score / (1 - score);

/** Whether two lines say the same in the same words. */
function repeats(one: QuotableLine, other: QuotableLine): boolean {
  const [a, b] = [one, other].map(({ text }) => new Set(words(text)));
  if (a === undefined || b === undefined) return false;
  return a.intersection(b).size >= sameWords * a.union(b).size;
}

/** Lines by their score, the best first. */
export const rankLines = (
  question: Question,
  lines: readonly QuotableLine[],
  cosines: readonly number[],
): readonly RatedLine[] =>
  lineSignals(question, lines, cosines)
    .flatMap((signals, at) => {
      const line = lines[at];
      return line === undefined ? [] : [{ line, cosine: signals.cosine, score: scoreOf(signals) }];
    })
    .toSorted((one, other) => other.score - one.score);

/** The best lines, none of them twice, and none that is far from the best. */
export function selectBestLines(ranked: readonly RatedLine[], most = mostLines): readonly RatedLine[] {
  const least = leastOdds * oddsOf(ranked[0]?.score ?? 0);
  const taken: RatedLine[] = [];
  for (const each of ranked) {
    if (taken.length >= most || oddsOf(each.score) < least) break;
    if (!taken.some(({ line }) => repeats(line, each.line))) taken.push(each);
  }
  return taken;
}

/** What tells whether quoted lines answer; the order is that of the weights. */
export interface AnsweringSignals {
  /** Logarithm of the odds of the evidence. */
  readonly evidence: number;
  /** Cosine of the nearest line. */
  readonly cosine: number;
}

/** @param lines those that may be quoted, one at least */
export const answeringSignals = (
  { score }: Pick<Evidence, "score">,
  lines: readonly RatedLine[],
): AnsweringSignals => ({
  evidence: Math.log(oddsOf(Math.min(1 - 1e-6, Math.max(1e-6, score)))),
  cosine: Math.max(...lines.map(({ cosine }) => cosine)),
});

/** Weights of the logarithm of the odds of the evidence and of the best cosine; fitted by the same script. */
const answering = { intercept: -3.79, evidence: 0.41, cosine: 6.08 } as const;

/** Probability in [0, 1] that lines answer a question with this evidence; 0 without a line. */
export function answerability(found: Pick<Evidence, "score">, lines: readonly RatedLine[]): number {
  if (lines.length === 0) return 0;
  const { evidence, cosine } = answeringSignals(found, lines);
  return logistic(answering.intercept + answering.evidence * evidence + answering.cosine * cosine);
}
