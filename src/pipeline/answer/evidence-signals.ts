import type { Hit } from "../../core/retrieval.ts";
import { sentences } from "../../language/sentences.ts";
import { withStates } from "../../language/states.ts";
import { isNumber, isYear, words } from "../../language/terms.ts";
import type { Question } from "./question.ts";

/**
 * What is read of a question and its passages to tell whether they can answer it. Shares are in [0, 1]; the
 * order is that of the fitted weights.
 */
export interface EvidenceSignals {
  /** Share of the question's terms, or words that stand for them, in the best of the first three passages. */
  readonly first: number;
  /** The most of them that one sentence of any passage has. */
  readonly sentence: number;
  /** Share in the passage that is third by it: where many passages have as much, none stands out. */
  readonly rival: number;
  /** Share in the best passage that has every year of the question; 1 where it has no year. */
  readonly years: number;
  /** 1 where the question has years. */
  readonly hasYears: number;
  /** The most terms in one passage that are neither names nor numbers. */
  readonly rest: number;
  /**
   * Where the best cosine stands between those of unrelated and of clearly related text; may leave [0, 1].
   */
  readonly cosine: number;
  /** Names of the question that occur nowhere, the pages that passages are read with included; at most two. */
  readonly missingNames: number;
  /** 1 where all names of the question are missing: it is about something else. */
  readonly isStrange: number;
  /** 1 for Vietnamese: its words are mostly two syllables, and single ones occur everywhere. */
  readonly syllables: number;
}

/** A passage as it is compared with a question. */
export interface Page {
  /** Its text, with its names and headings before it. */
  readonly text: string;
  readonly textWords: ReadonlySet<string>;
  /** And those of the name of its file with blanks for the marks between them. */
  readonly words: ReadonlySet<string>;
  readonly sentences: readonly ReadonlySet<string>[];
}

/** Reads a passage for all that is asked of it. */
export function readPage({ chunk }: Hit): Page {
  const body = withStates(chunk.text);
  const heads = [chunk.sourceName, chunk.title, ...chunk.headings].map(withStates);
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

/** Passages of which the best one counts as the first. */
const firstPassages = 3;

/** What a passage without a third beside it is held against, as a share of the best; the mean of the fit. */
const typicalRival = 2 / 3;

/**
 * Reads the signals of the first passages. `cosine`: the best of any passage; absent, it is taken for one
 * halfway in `cosineRange`, the cosines of unrelated and of clearly related text.
 */
export function readSignals(
  question: Question,
  pages: readonly Page[],
  missingNames: number,
  cosine: number | null,
  [low, high]: readonly [low: number, high: number],
): EvidenceSignals {
  const topic = question.alternatives;
  const most = (values: readonly number[]): number => Math.max(0, ...values);
  const shares = pages.map((page) => shareOf(topic, page.words));
  // Near the top, which one is first is chance.
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
    syllables: Number(question.spoken === "vi"),
  };
}
