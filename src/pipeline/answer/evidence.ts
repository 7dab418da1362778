import { expandedChunk, type Hit } from "../../core/retrieval.ts";
import { type Code, codeKeysOf, isWithinOneTypo } from "../../language/names.ts";
import { alphanumeric, isNumber, normalize, stem } from "../../language/terms.ts";
import {
  type EvidenceSignals,
  evidenceSignals,
  type PreparedPassage,
  preparePassage,
} from "./evidence-signals.ts";
import { analyzeQuestion, type Question } from "./question.ts";

export interface EvidenceOptions {
  /** Lowest score that is answered; refused below; in [0, 1]. */
  readonly threshold: number;
  /**
   * Cosines of an unrelated and of a clearly related passage under the current embedder; the signal is scaled
   * to this range.
   */
  readonly cosineRange: readonly [low: number, high: number];
  /** Number of passages considered, best first. */
  readonly depth: number;
}

/** Options for weighing the evidence of hits. */
export interface EvidenceContext {
  readonly evidence: EvidenceOptions;
  /** Best cosine of any passage, for hits whose scores are fused or reranked. */
  readonly cosine?: number;
  /** The parts of a compound question; evidence is sought for each. */
  readonly parts?: readonly string[];
}

/**
 * Cosine range of small English encoders; multilingual ones with a wider spread state their own. The
 * threshold refuses one in twenty answerable questions of the folds
 * (docs/decisions/0014-evidence-threshold.md).
 */
export const evidenceDefaults: EvidenceOptions = { threshold: 0.24, cosineRange: [0.55, 0.8], depth: 8 };

/**
 * Whether passages fit a query: by the same evidence as answers. A query without content words fits any
 * passage.
 */
export function hasRelevantPassage(query: string, hits: readonly Hit[], cosine?: number): boolean {
  const question = analyzeQuestion(query, hits);
  if (hits.length === 0 || question.alternatives.length === 0) return hits.length > 0;
  return evidence(question, hits, evidenceDefaults, cosine).enough;
}

export interface Evidence {
  /**
   * Probability that the passages answer the question, in [0, 1], assuming that half of all questions have an
   * answer.
   */
  readonly score: number;
  readonly threshold: number;
  readonly enough: boolean;
  readonly signals: EvidenceSignals;
  /** Names and codes of the question that no passage, title, file name or page of a passage has. */
  readonly missingNames: readonly string[];
  /** Names that only the pages of passages have, not the passages themselves. */
  readonly namesBeside: readonly string[];
  /** Numbers, mostly years, that no passage or page has. */
  readonly missingNumbers: readonly string[];
}

function hasName(name: string, squashed: readonly string[], allWords: readonly string[]): boolean {
  const joined = alphanumeric(name);
  if (joined.length >= 5 && squashed.some((page) => page.includes(joined))) return true;
  const parts = normalize(name).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const found = parts.filter((part) => {
    const root = stem(part);
    return allWords.some((word) => word === root || isWithinOneTypo(word, root));
  });
  return found.length * 2 > parts.length;
}

/** Codes that no page has, as written. Most questions have none, and then no page is read. */
function missingCodes(codes: readonly Code[], pages: readonly Pick<PreparedPassage, "text">[]): string[] {
  if (codes.length === 0) return [];
  const known = new Set(pages.flatMap(({ text }) => [...codeKeysOf(text)]));
  return codes.filter(({ key }) => !known.has(key)).map(({ text }) => text);
}

/** Names, codes and numbers of a question that no page has, as written. */
function missingIn(
  { names, codes, terms }: Question,
  pages: readonly Pick<PreparedPassage, "text" | "textWords">[],
): { readonly names: readonly string[]; readonly numbers: readonly string[] } {
  const squashed = pages.map(({ text }) => alphanumeric(text));
  const allWords = [...new Set(pages.flatMap((page) => [...page.textWords]))];
  return {
    names: [...names.filter((name) => !hasName(name, squashed, allWords)), ...missingCodes(codes, pages)],
    numbers: terms.filter(
      (term) => isNumber(term) && term.length >= 3 && !squashed.some((page) => page.includes(term)),
    ),
  };
}

function bestCosine(hits: readonly Hit[], given: number | undefined): number | null {
  const dense = hits.filter((hit) => hit.via === "dense").map((hit) => hit.score);
  const all = given === undefined ? dense : [...dense, given];
  return all.length === 0 ? null : Math.max(...all);
}

/**
 * Weights of a logistic model, fitted by `node scripts/eval/evidence.ts` over the sets of
 * docs/decisions/0014-evidence-threshold.md.
 */
const intercept = -6.179;
const weights: EvidenceSignals = {
  first: 5.029,
  sentence: 2.578,
  rival: -2.911,
  years: 3.135,
  hasYears: 1.0,
  rest: -1.533,
  cosine: 1.972,
  missingNames: -2.857,
  isStrange: 0.701,
  syllables: -1.306,
};

/** The logistic function of the weighted signals. */
function probabilityOf(signals: EvidenceSignals): number {
  // The keys of an object literal typed EvidenceSignals are exactly these.
  const names = Object.keys(weights) as (keyof EvidenceSignals)[];
  return 1 / (1 + Math.exp(-names.reduce((sum, name) => sum + weights[name] * signals[name], intercept)));
}

/**
 * Threshold at least, if no passage itself has some name of the question. The rest of a page that has it
 * makes an answer likelier, but not certain. A threshold of 0 still means no limit.
 */
const evenChance = 0.5;

/**
 * Whether the passages can answer the question, decided before a model is called: a fitted probability over
 * `evidenceSignals` of the first passages. Names and numbers missing from all of them are looked up on their
 * pages. `cosine`: the best of any passage, for fused hits.
 */
export function evidence(
  question: Question,
  hits: readonly Hit[],
  options: EvidenceOptions = evidenceDefaults,
  cosine?: number,
): Evidence {
  const first = hits.slice(0, options.depth);
  const pages = first.map(preparePassage);
  const notFound = missingIn(question, pages);
  // Most questions lack nothing, so the rest of the pages need not be read.
  const isComplete = notFound.names.length + notFound.numbers.length === 0;
  const { names: missingNames, numbers: missingNumbers } = isComplete
    ? notFound
    : missingIn(
        question,
        first.map((hit) => preparePassage({ ...hit, chunk: expandedChunk(hit) })),
      );
  const namesBeside = notFound.names.filter((name) => !missingNames.includes(name));
  const best = bestCosine(first, cosine);
  const signals = evidenceSignals(question, pages, missingNames.length, best, options.cosineRange);
  const score = first.length === 0 ? 0 : probabilityOf(signals);
  const isStricter = notFound.names.length > 0 && options.threshold > 0;
  const threshold = Math.max(options.threshold, isStricter ? evenChance : 0);
  const enough = score >= threshold;
  return { score, threshold, enough, signals, missingNames, namesBeside, missingNumbers };
}

/** Evidence of hits for a question; of several parts, the strongest decides. */
export function assessEvidence(text: string, hits: readonly Hit[], options: EvidenceContext): Evidence {
  const { parts = [] } = options;
  const questions = (parts.length < 2 ? [text] : parts).map((part) => analyzeQuestion(part, hits));
  return questions
    .map((part) => evidence(part, hits, options.evidence, options.cosine))
    .reduce((best, other) => (other.score >= best.score ? other : best));
}
