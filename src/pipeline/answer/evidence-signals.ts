import type { Hit } from "../../core/retrieval.ts";
import { languageOf } from "../../language/languages.ts";
import { sentences } from "../../language/sentences.ts";
import { expandStateCodes } from "../../language/synonyms.ts";
import { isNumber, isYear, words } from "../../language/terms.ts";
import type { Question } from "./question.ts";

/**
 * Features of a question and its passages that predict whether they can answer it. Shares are in [0, 1]; the
 * order matches the fitted weights.
 */
export interface EvidenceSignals {
  /** Share of the question's terms, or their synonyms, in the best of the first three passages. */
  readonly first: number;
  /** Largest share in one sentence of any passage. */
  readonly sentence: number;
  /** Share in the passage ranked third by it: if many passages match as well, none is distinctive. */
  readonly rival: number;
  /** Share in the best passage that has every year of the question; 1 if it names no year. */
  readonly years: number;
  /** 1 if the question names years. */
  readonly hasYears: number;
  /** Largest share in one passage, counting only terms that are neither names nor numbers. */
  readonly rest: number;
  /** Best cosine, scaled so that unrelated text is 0 and clearly related text is 1; may leave [0, 1]. */
  readonly cosine: number;
  /** Names of the question that occur nowhere, not even on the passages' pages; at most two. */
  readonly missingNames: number;
  /** 1 if all names of the question are missing: it is about something else. */
  readonly isStrange: number;
  /** 1 for a language written in syllables, which occur everywhere. */
  readonly syllables: number;
}

/** A passage, prepared for comparison with a question. */
export interface PreparedPassage {
  /** Its text, preceded by its names and headings. */
  readonly text: string;
  readonly textWords: ReadonlySet<string>;
  /** Also has the words of the file name, with its separators read as spaces. */
  readonly words: ReadonlySet<string>;
  readonly sentences: readonly ReadonlySet<string>[];
}

/** Prepares a passage for all comparisons. */
export function preparePassage({ chunk }: Hit): PreparedPassage {
  const body = expandStateCodes(chunk.text);
  const heads = [chunk.sourceName, chunk.title, ...chunk.headings].map(expandStateCodes);
  const text = [...heads, body].join("\n");
  const textWords = new Set(words(text));
  return {
    text,
    textWords,
    words: textWords.union(new Set(words(chunk.sourceName.replace(/[_.-]+/g, " ")))),
    sentences: sentences(body).map((sentence) => new Set(words(sentence))),
  };
}

type Topic = readonly (readonly string[])[];

const shareOf = (topic: Topic, own: ReadonlySet<string>): number =>
  topic.filter((forms) => forms.some((form) => own.has(form))).length / Math.max(1, topic.length);

/** Candidates for the top passage. */
const firstPassages = 3;

/**
 * Assumed share of the third passage, relative to the best, if there are fewer than three; the mean of the
 * fit.
 */
const typicalRival = 2 / 3;

/**
 * Computes the signals of the first passages. `cosine`: the best of any passage; if absent, the middle of
 * `cosineRange`, the cosines of unrelated and of clearly related text.
 */
export function evidenceSignals(
  question: Question,
  pages: readonly PreparedPassage[],
  missingNames: number,
  cosine: number | null,
  [low, high]: readonly [low: number, high: number],
): EvidenceSignals {
  const topic = question.alternatives;
  const most = (values: readonly number[]): number => Math.max(0, ...values);
  const shares = pages.map((page) => shareOf(topic, page.words));
  // The order of the top passages is mostly chance.
  const first = most(shares.slice(0, firstPassages));
  const ranked = shares.toSorted((left, right) => right - left);
  const names = [...question.names, ...question.codes.map(({ text }) => text)];
  const nameWords = names.flatMap((name) => words(name));
  const years = question.terms.filter(isYear);
  const rest = topic.filter(([term = ""]) => !nameWords.includes(term) && !isNumber(term));
  return {
    first,
    sentence: most(pages.flatMap((page) => page.sentences.map((own) => shareOf(topic, own)))),
    rival: ranked[2] ?? typicalRival * (ranked[0] ?? 0),
    years:
      years.length === 0
        ? 1
        : most(shares.filter((_, at) => years.every((year) => pages[at]?.words.has(year) === true))),
    hasYears: Number(years.length > 0),
    rest: most(pages.map((page) => shareOf(rest, page.words))),
    cosine: cosine === null ? 0.5 : (cosine - low) / (high - low),
    missingNames: Math.min(2, missingNames),
    isStrange: Number(nameWords.length > 0 && missingNames === names.length),
    syllables: Number(languageOf(question.spoken).syllables === true),
  };
}
