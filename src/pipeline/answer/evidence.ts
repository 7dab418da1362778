import type { Hit } from "../../core/retrieval.ts";
import { nearlyEqual } from "../../language/names.ts";
import { normalize, stem, words } from "../../language/terms.ts";
import { hasVietnameseLetters } from "../../language/vi.ts";
import type { Question } from "./question.ts";

export interface EvidenceOptions {
  /** Answered at or above it, refused below; in [0, 1]. */
  readonly threshold: number;
  /**
   * Cosine of an unrelated and of a clearly related passage under the embedder in use; the range between is
   * what counts.
   */
  readonly cosineRange: readonly [low: number, high: number];
  /** Passages looked at, best first. */
  readonly depth: number;
}

/** Cosine range of small English encoders; multilingual ones with a wider spread state their own. */
export const evidenceDefaults: EvidenceOptions = { threshold: 0.4, cosineRange: [0.55, 0.8], depth: 8 };

export interface Evidence {
  /** In [0, 1]. */
  readonly score: number;
  readonly threshold: number;
  readonly enough: boolean;
  readonly parts: {
    /** Weighted share of the question's terms in the one passage that has most, in [0, 1]. */
    readonly passage: number;
    /** The same over all passages together. */
    readonly union: number;
    /** Best cosine placed within the range, in [0, 1]; null when no dense score is known. */
    readonly semantic: number | null;
    /** Names the question speaks of that no passage, title or file name has. */
    readonly missingNames: readonly string[];
    /** Numbers, years for the most part, likewise. */
    readonly missingNumbers: readonly string[];
  };
}

interface Page {
  readonly words: ReadonlySet<string>;
  /** All words in order, a space around each. */
  readonly running: string;
  /** Letters and digits only, to find `Best Buy` in `BESTBUY_2023_10K`. */
  readonly squashed: string;
}

function squash(text: string): string {
  return normalize(text).replace(/[^\p{L}\p{N}\p{M}]+/gu, "");
}

function pageOf(hit: Hit): Page {
  const { chunk } = hit;
  const text = [chunk.sourceName, chunk.title, ...chunk.headings, chunk.text].join("\n");
  const all = words(text);
  return { words: new Set(all), running: ` ${all.join(" ")} `, squashed: squash(text) };
}

/**
 * Pairs of neighbouring syllables, for Vietnamese: its words are mostly two syllables, and single ones
 * (`học`, `nhà`) occur everywhere. Empty for text without Vietnamese letters.
 */
function adjacentPairs({ text, terms, words: all }: Question): string[] {
  if (!hasVietnameseLetters(text.normalize("NFC"))) return [];
  const content = new Set(terms);
  return all.slice(1).flatMap((word, index) => {
    const before = all[index] ?? "";
    return content.has(before) && content.has(word) ? [` ${before} ${word} `] : [];
  });
}

function hasName(name: string, pages: readonly Page[], allWords: readonly string[]): boolean {
  const joined = squash(name);
  if (joined.length >= 5 && pages.some((page) => page.squashed.includes(joined))) return true;
  const parts = normalize(name).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const found = parts.filter((part) => {
    const root = stem(part);
    return allWords.some((word) => word === root || nearlyEqual(word, root));
  });
  return found.length * 2 > parts.length || (parts.length === 1 && found.length === 1);
}

function bestCosine(hits: readonly Hit[], given: number | undefined): number | null {
  const dense = hits.filter((hit) => hit.via === "dense").map((hit) => hit.score);
  const all = given === undefined ? dense : [...dense, given];
  return all.length === 0 ? null : Math.max(...all);
}

/**
 * Whether the passages found can answer the question at all, decided before any model is asked:
 * 1. lexical: the question's content terms, numbers and names weighing more, held against the best single
 *   passage (two thirds) and all of
 *    them (one third), with their titles, headings and file names; for Vietnamese, pairs of syllables count half of it;
 * 2. semantic: the best cosine within the embedder's range; the score is the mean of both;
 * 3. names the question is about that occur nowhere leave 45 % of the score for one, less for more; missing
 *   numbers 75 %.
 * The weights are set by reason, not fitted to a question set.
 */
export function evidence(
  question: Question,
  hits: readonly Hit[],
  options: EvidenceOptions = evidenceDefaults,
  cosine?: number,
): Evidence {
  const pages = hits.slice(0, options.depth).map(pageOf);
  const allWords = [...new Set(pages.flatMap((page) => [...page.words]))];
  const { terms, names } = question;
  const nameWords = new Set(names.flatMap((name) => words(name)));
  const isNumber = (term: string): boolean => /^\p{N}/u.test(term);
  const weight = (term: string): number => (nameWords.has(term) ? 2 : isNumber(term) ? 1.5 : 1);
  const total = terms.reduce((sum, term) => sum + weight(term), 0);
  const share = (has: (term: string) => boolean): number =>
    total === 0 ? 0 : terms.reduce((sum, term) => sum + (has(term) ? weight(term) : 0), 0) / total;
  const passage = Math.max(0, ...pages.map((page) => share((term) => page.words.has(term))));
  const union = share((term) => pages.some((page) => page.words.has(term)));
  const pairs = adjacentPairs(question);
  const paired =
    pairs.length < 2
      ? null
      : Math.max(
          0,
          ...pages.map((page) => pairs.filter((pair) => page.running.includes(pair)).length / pairs.length),
        );
  const spread = (2 * passage + union) / 3;
  const lexical = paired === null ? spread : (spread + paired) / 2;
  const found = bestCosine(hits, cosine);
  const [low, high] = options.cosineRange;
  const semantic = found === null ? null : Math.min(1, Math.max(0, (found - low) / (high - low)));
  const missingNames = names.filter((name) => !hasName(name, pages, allWords));
  const missingNumbers = terms.filter(
    (term) => isNumber(term) && term.length >= 3 && !pages.some((page) => page.squashed.includes(term)),
  );
  const base = semantic === null ? lexical : (lexical + semantic) / 2;
  const score =
    pages.length === 0 ? 0 : base * 0.45 ** missingNames.length * (missingNumbers.length > 0 ? 0.75 : 1);
  return {
    score,
    threshold: options.threshold,
    enough: score >= options.threshold,
    parts: { passage, union, semantic, missingNames, missingNumbers },
  };
}
