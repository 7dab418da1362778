import { lazy, lazyMap } from "../../core/lazy.ts";
import type { Hit } from "../../core/retrieval.ts";
import { pageNumbersInQuestion, printedPageNumbers } from "../../language/asking/pages.ts";
import { searchText } from "../../language/asking/search-text.ts";
import { asksForReason } from "../../language/asking/values.ts";
import { alternatives } from "../../language/languages.ts";
import { isStopWord, words, yearsIn } from "../../language/terms.ts";
import { glossaryWords } from "./glossary.ts";

/** Features of a passage and its page, in addition to the scores of the two routes; each in [0, 1]. */
export const featureNames = [
  "companionDense",
  "companionLexical",
  "kind",
  "phrases",
  "figures",
  "years",
  "reference",
  "page",
  "front",
] as const;
export type FeatureName = (typeof featureNames)[number];
export type Features = Readonly<Record<FeatureName, number>>;

/** What to look for on pages. */
export interface Sought {
  /** Pairs of adjacent content words, as roots, with spaces around and between. */
  readonly pairs: readonly string[];
  readonly years: readonly string[];
  /** `figure 10`, `section 3.3`, with spaces around and between. */
  readonly references: readonly string[];
  /** Page numbers in the question. */
  readonly pages: readonly number[];
  readonly wantsFigure: boolean;
  /** It asks for something printed on a title page: authors, date, parties. */
  readonly wantsFront: boolean;
  /** Phrases that the top of a page may have. */
  readonly heads: readonly string[];
}

const figureAsked =
  /\b(?:how (?:many|much)|percent(?:age)?|ratio|amount|average|total|margin|rate|number of|usd|growth|turnover)\b|[$€£¥%]/iu;
const frontAsked = new RegExp(`(?<!\\p{L})(?:${alternatives(({ onFront }) => onFront)})(?!\\p{L})`, "iu");
const referenced =
  /\b(fig(?:ure)?|table|section|item|unit|chapter|step|exhibit|note|appendix|lesson|part|article|clause|annex)s?[ .-]{0,3}(\d{1,3}(?:\.\d{1,3}){0,3}|[ivx]{1,5}|[a-z])\b/giu;

/** Normalises `Fig. 10` and `figures 10` to `figure 10`. */
const referencesIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(referenced), ([, kind = "", at = ""]) =>
    `${kind.toLowerCase().startsWith("fig") ? "figure" : kind} ${at}`.toLowerCase(),
  );

/** What a question looks for on a page: word pairs from the BM25 query, the rest from the whole question. */
export function questionFeatures(lexical: string, question: string, heads: readonly string[]): Sought {
  const content = words(lexical).filter((word) => !isStopWord(word));
  return {
    pairs: [...new Set(content.slice(1).map((word, at) => ` ${content[at]} ${word} `))],
    years: [...yearsIn(question)],
    references: [...new Set(referencesIn(question))],
    pages: pageNumbersInQuestion(searchText(question)),
    wantsFigure: figureAsked.test(question) && !asksForReason(searchText(question)),
    wantsFront: frontAsked.test(question),
    heads,
  };
}

/** A page prepared for comparison; each part is computed on first use. */
interface ReadPage {
  readonly text: string;
  /** Content words, as roots, each between spaces. */
  readonly content: () => string;
  /** Lines that say what the page is, in the form of `running`. */
  readonly head: () => string;
  readonly references: () => readonly string[];
  /** Candidates for the printed page number, from its top and bottom. */
  readonly printed: () => readonly number[];
  /** Share of digits among its letters and digits, in [0, 1]. */
  readonly digits: () => number;
}

/** Text of a page → the page. */
export type PageReader = (text: string) => ReadPage;

/** Caches each page: passages of one search share pages, and its formulations return the same ones. */
export const createPageCache = (): PageReader => lazyMap(readPage);

/** Lines and characters at the top of a page that say what it is. */
const headLines = 12;
const headCharacters = 700;
/** Share of digits from which a page is a table of figures rather than text about them. */
const figuresFrom = 0.15;

const hasPage = ({ chunk }: Hit): boolean => chunk.pages.length > 0;

const pageText = ({ chunk }: Hit): string => chunk.window?.pageText ?? chunk.text;

function readPage(text: string): ReadPage {
  return {
    text,
    content: lazy(
      () =>
        ` ${words(text)
          .filter((word) => !isStopWord(word))
          .join(" ")} `,
    ),
    head: lazy(() => glossaryWords(text.slice(0, headCharacters).split("\n", headLines).join("\n"))),
    references: lazy(() => referencesIn(text)),
    printed: lazy(() => printedPageNumbers(text)),
    digits: lazy(() => {
      const digits = text.match(/\p{N}/gu)?.length ?? 0;
      const letters = text.match(/\p{L}/gu)?.length ?? 0;
      return digits / Math.max(1, digits + letters);
    }),
  };
}

const isOfKind = ({ head, digits }: ReadPage, heads: readonly string[]): boolean =>
  heads.length > 0 && digits() >= figuresFrom && heads.some((phrase) => head().includes(phrase));

const share = (of: readonly string[], test: (each: string) => boolean): number =>
  of.length === 0 ? 0 : of.filter(test).length / of.length;

/**
 * For a text without pages only the companion counts: the other weights were fitted on pages and do harm
 * here.
 */
const unpaged = { kind: 0, phrases: 0, figures: 0, years: 0, reference: 0, page: 0, front: 0 };

/**
 * How far documents use the companion's vocabulary: the largest share of its words on one page. A manual that
 * mentions `inventory` has hardly a page with the other words of a balance sheet.
 */
function spokenIn(text: string, pages: readonly ReadPage[]): number {
  const own = [...new Set(words(text))].filter((word) => !isStopWord(word));
  return Math.max(0, ...pages.map(({ content }) => share(own, (word) => content().includes(` ${word} `))));
}

/** Chunk id → its hit's score in a list. */
const scoresOf = (hits: readonly Hit[]): ReadonlyMap<string, number> =>
  new Map(hits.map(({ chunk, score }) => [chunk.id, score]));

/** Hits of the companion's search; each list scaled to [0, 1]. */
export interface CompanionHits {
  /** The text searched; "" for none. */
  readonly text: string;
  readonly dense: readonly Hit[];
  readonly lexical: readonly Hit[];
}

/**
 * The features of each hit, in order. Word pairs are weighted by inverse document frequency among these
 * pages, relative to the page with most.
 */
export function readFeatures(
  hits: readonly Hit[],
  sought: Sought,
  companion: CompanionHits,
  pages: PageReader,
): readonly Features[] {
  const distinct = [...new Set(hits.filter(hasPage).map((hit) => pages(pageText(hit))))];
  const worth = sought.pairs.map((pair) =>
    Math.log(1 + distinct.length / (1 + distinct.filter(({ content }) => content().includes(pair)).length)),
  );
  const pairsOf = ({ content }: ReadPage): number =>
    sought.pairs.reduce((sum, pair, at) => sum + (content().includes(pair) ? (worth[at] ?? 0) : 0), 0);
  const pairs = new Map(distinct.map((page) => [page, pairsOf(page)]));
  const mostPairs = Math.max(...pairs.values(), Number.EPSILON);
  const shownBy = lazyMap((page: ReadPage) => ({
    kind: Number(isOfKind(page, sought.heads)),
    phrases: (pairs.get(page) ?? 0) / mostPairs,
    figures: sought.wantsFigure ? page.digits() : 0,
    years: share(sought.years, (year) => page.text.includes(year)),
    reference: share(sought.references, (reference) => page.references().includes(reference)),
  }));
  const [dense, lexical] = [scoresOf(companion.dense), scoresOf(companion.lexical)];
  const spoken = spokenIn(companion.text, [...new Set(hits.map((hit) => pages(pageText(hit))))]);
  return hits.map((hit): Features => {
    const { id, pages: numbers } = hit.chunk;
    const [number] = numbers;
    const page = pages(pageText(hit));
    const beside = {
      companionDense: spoken * (dense.get(id) ?? 0),
      companionLexical: spoken * (lexical.get(id) ?? 0),
    };
    if (number === undefined) return { ...unpaged, ...beside };
    return {
      ...beside,
      ...shownBy(page),
      page: Number(sought.pages.some((named) => numbers.includes(named) || page.printed().includes(named))),
      front: Number(sought.wantsFront && number === 1),
    };
  });
}
