import { cellsOfRow, headersOf } from "../../core/documents/table-text.ts";
import { spreadsheetRows } from "../../language/records.ts";
import { sentences } from "../../language/sentences.ts";
import { contentTerms, isNumber, words } from "../../language/terms.ts";
import type { Question } from "./question.ts";

/** Source: Robertson and Zaragoza 2009; k1 and b as commonly used. */
const k1 = 1.2;
const b = 0.75;

/** BM25 of each text against the terms, with document frequencies from these texts. Shape [texts]. */
export const bm25Scores = (terms: readonly string[], texts: readonly string[]): number[] =>
  bm25ScoresWithVariants(
    [...new Set(terms)].map((term) => [term]),
    texts,
  );

/** BM25 score of each text for terms with alternative forms; any form matches. */
export function bm25ScoresWithVariants(
  alternatives: readonly (readonly string[])[],
  texts: readonly string[],
): number[] {
  const bags = texts.map((text) => words(text));
  const mean = bags.reduce((sum, bag) => sum + bag.length, 0) / Math.max(1, bags.length);
  const scores = bags.map(() => 0);
  for (const forms of alternatives) {
    const counts = bags.map((bag) => bag.filter((word) => forms.includes(word)).length);
    const holding = counts.filter((count) => count > 0).length;
    const idf = Math.log(1 + (bags.length - holding + 0.5) / (holding + 0.5));
    counts.forEach((count, index) => {
      const length = bags[index]?.length ?? 0;
      scores[index] =
        (scores[index] ?? 0) +
        (idf * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / Math.max(1, mean)));
    });
  }
  return scores;
}

/**
 * Share of the sentence's content terms that the text has, in [0, 1]. Numbers count double, because they are
 * what models invent.
 */
export function termCoverage(sentence: string, text: string): number {
  const terms = contentTerms(sentence);
  const held = new Set(words(text));
  const weight = (term: string): number => (isNumber(term) ? 2 : 1);
  const total = terms.reduce((sum, term) => sum + weight(term), 0);
  return total === 0 ? 0 : terms.reduce((sum, term) => sum + (held.has(term) ? weight(term) : 0), 0) / total;
}

/** Length of the longest word sequence that both have, in words. */
function longestRun(left: readonly string[], right: readonly string[]): number {
  let longest = 0;
  let before: number[] = [];
  for (const word of left) {
    const runs = right.map((other, at) => (other === word ? (before[at - 1] ?? 0) + 1 : 0));
    longest = Math.max(longest, ...runs);
    before = runs;
  }
  return longest;
}

/** A claim without its list number or dash. */
function readClaim(claim: string): Pick<Question, "terms" | "words"> {
  const text = claim.replace(/^\s{0,12}(?:\(?\d{1,3}[.)]|[-*•–])\s+(?=\S)/, "");
  return { terms: contentTerms(text), words: words(text) };
}

/** Sentences without the headers of tables whose rows are included: the rows carry the facts. */
function withoutHeaders(told: readonly string[], passage: string): readonly string[] {
  const headers = new Set(headersOf(passage).values());
  return told.filter((text) => !headers.has(text) || hasFigure(text));
}

/**
 * The sentence or table row of the passage that best supports a claim, at most 300 characters. Among those
 * with most of its numbers, the one with most of its content terms; ties go to the longest shared word
 * sequence, then to the shortest. The start of the passage if none shares a term.
 */
export function bestQuote(claim: string | Pick<Question, "terms" | "words">, passage: string): string {
  const rows = spreadsheetRows(passage);
  const whole = rows.length > 0 ? rows : sentences(passage);
  // The segmenter may split a list number off at its full stop.
  const worded = whole.filter((text) => /\p{L}/u.test(text));
  const answering = withoutHeaders(worded, passage);
  const candidates = [answering, worded, whole].find(({ length }) => length > 0) ?? [];
  const { terms, words: own } = typeof claim === "string" ? readClaim(claim) : claim;
  const bags = candidates.map((candidate) => words(candidate));
  const held = bags.map((bag) => new Set(bag));
  const shared = held.map((bag) =>
    terms.reduce((sum, term) => sum + (bag.has(term) ? (isNumber(term) ? 2 : 1) : 0), 0),
  );
  const numbers = terms.filter(isNumber);
  const counts = held.map((bag) => numbers.filter((number) => bag.has(number)).length);
  // A heading may share more words, but the quote must show the numbers.
  const mostShared = Math.max(0, ...shared);
  const near = shared.map((sum) => sum * 2 >= mostShared);
  const mostNumbers = Math.max(0, ...counts.filter((_, at) => near[at]));
  const showing = candidates.map((_, at) => near[at] === true && counts[at] === mostNumbers);
  const most = Math.max(0, ...shared.filter((_, at) => showing[at]));
  const [best] = candidates
    .map((text, at) => ({ text, at }))
    .filter(({ at }) => showing[at] === true && shared[at] === most)
    .map(({ text, at }) => ({ text, run: most === 0 ? 0 : longestRun(own, bags[at] ?? []) }))
    .sort((left, right) => right.run - left.run || (most === 0 ? 0 : left.text.length - right.text.length));
  const quote = best?.text ?? passage.trim();
  return quote.length <= 300 ? quote : `${quote.slice(0, 299).trimEnd()}…`;
}

/** A cell that begins with a number other than a year. */
const figureCell = /^[\p{Sc}\s(–-]{0,4}(?!(?:19|20)\d\d(?!\p{N}))\p{N}/u;

/**
 * Whether a row has a figure; if so, it is no header, even as the first row of a passage: its table may have
 * begun earlier.
 */
const hasFigure = (row: string): boolean => cellsOfRow(row).some((cell) => figureCell.test(cell));
