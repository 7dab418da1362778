import { alternatives, wordPattern } from "../../language/languages.ts";
import type { Figure } from "../../language/schema/questions.ts";

const most = alternatives(({ cells }) => cells?.most);
const least = alternatives(({ cells }) => cells?.least);
/** Words that ask for a figure; the first match in a question counts. */
export const figurePatterns: readonly (readonly [Figure, RegExp])[] = [
  ["avg", wordPattern(alternatives(({ sheets }) => sheets.figures.avg))],
  ["sum", wordPattern(alternatives(({ sheets }) => sheets.figures.sum))],
  ["max", wordPattern(`${most}|${alternatives(({ sheets }) => sheets.figures.max)}`)],
  ["min", wordPattern(`${least}|${alternatives(({ sheets }) => sheets.figures.min)}`)],
  ["count", wordPattern(alternatives(({ sheets }) => sheets.figures.count))],
];

/** Whether a question asks for a count, sum, average or extreme. */
export const asksForFigure = (question: string): boolean =>
  figurePatterns.some(([, pattern]) => pattern.test(question.slice(0, 2000)));

/** Words of superlatives and of comparisons, and questions for a year. */
export const mostWords = wordPattern(most);
export const leastWords = wordPattern(least);
export const moreWords = wordPattern(alternatives(({ cells }) => cells?.more));
export const lessWords = wordPattern(alternatives(({ cells }) => cells?.less));
export const whichYear = wordPattern(alternatives(({ cells }) => cells?.whichYear));
export const orWords = wordPattern(alternatives(({ or }) => or));
const changeWords = [
  alternatives(({ changes }) => changes),
  alternatives(({ directions }) => directions?.up),
  alternatives(({ directions }) => directions?.down),
  alternatives(({ cells }) => cells?.apart?.distances),
  alternatives(({ cells }) => cells?.apart?.more),
  alternatives(({ cells }) => cells?.apart?.less),
].map(wordPattern);

/** Whether a text asks for, or states, a difference between two values. */
export const mentionsDifference = (text: string): boolean =>
  changeWords.some((pattern) => pattern.test(text));

const superlatives = new RegExp(`(?<!\\p{L})(?:${most}|${least})(?!\\p{L})`, "giu");

/** Number of superlatives in a question; two mean nested rankings. */
export const superlativesIn = (question: string): number => (question.match(superlatives) ?? []).length;

/** Whether a question compares something with an amount or another row; `plus élevé` also ranks. */
export function isComparison(question: string): boolean {
  const rest = question.replaceAll(superlatives, " ");
  return moreWords.test(rest) || lessWords.test(rest);
}
