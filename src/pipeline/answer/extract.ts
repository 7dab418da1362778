import type { Context, Passage } from "../../core/retrieval.ts";
import { omission } from "../../core/text.ts";
import { wordsIn } from "../../language/languages.ts";
import { bandsOf } from "../../language/limits.ts";
import { rowInOneLine, spreadsheetRows, withoutSpreadsheetRows } from "../../language/records.ts";
import { sentences } from "../../language/sentences.ts";
import { longFormsOf } from "../../language/synonyms.ts";
import { contentTerms, isNumber, squash, stem, words, yearsIn } from "../../language/terms.ts";
import { type Question, shares } from "./question.ts";

/** A sentence of a passage that may answer the question. */
export interface Extract {
  readonly text: string;
  readonly marker: number;
  /** Higher is closer to the question; comparable within one call only. */
  readonly score: number;
  /** First row of the table, if the extract is a table row. */
  readonly header?: string;
}

/** Source: Robertson and Zaragoza 2009; k1 and b as commonly used. */
const k1 = 1.2;
const b = 0.75;

/** BM25 of each text against the terms, with document frequencies from these texts. Shape [texts]. */
export const rank = (terms: readonly string[], texts: readonly string[]): number[] =>
  rankForms(
    [...new Set(terms)].map((term) => [term]),
    texts,
  );

/** Same, for terms with alternative forms; any form matches. */
export function rankForms(alternatives: readonly (readonly string[])[], texts: readonly string[]): number[] {
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
export function support(sentence: string, text: string): number {
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

/** A URL or a fragment of one: no spaces, and a character typical of URLs. */
const address = /^[^\s=&/_]*[=&/_]\S*$/;

/**
 * Sentences and table rows of a passage that could answer: no headings, fragments or URLs, and no questions.
 */
function candidatesOf(passage: Passage, years: ReadonlySet<string>): Extract[] {
  const { title, headings, innerHeadings = [] } = passage.chunk;
  const heading = [title, ...headings, ...innerHeadings.map(({ text }) => text)].join(" ");
  const headers = headersOf(passage.text);
  const rows = spreadsheetRows(passage.text).map(rowInOneLine);
  return [...new Set([...sentences(withoutSpreadsheetRows(passage.text)), ...rows])]
    .filter(
      (text) =>
        text !== omission &&
        !/[?？]["”’')]*$/.test(text) &&
        !address.test(text) &&
        (words(text).length >= 3 || isRowOf(years, text)) &&
        !heading.includes(text),
    )
    .map((text) => {
      const header = headers.get(text);
      return { text, marker: passage.marker, score: 0, ...(header === undefined ? {} : { header }) };
    });
}

/** Whether a text is a table row with one of these years. */
const isRowOf = (years: ReadonlySet<string>, text: string): boolean =>
  text.includes(" | ") && !years.isDisjointFrom(yearsIn(text));

/** Table rows of a text, each mapped to the first row of its table; the first row itself is not a key. */
export function headersOf(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let header: string | undefined;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === omission) continue;
    if (!line.includes(" | ")) header = undefined;
    else if (header === undefined) header = line;
    else headers.set(line, header);
  }
  return headers;
}

/**
 * Candidates without rows of other years than the question's, taken from the row or its table's header; if a
 * sentence has a year of the question, sentences of other years are dropped too.
 */
function ofAskedYears(
  { years: own, opensSpan }: Question,
  candidates: readonly Extract[],
): readonly Extract[] {
  const asked = [...own].map(Number);
  if (asked.length === 0 || opensSpan) return candidates;
  const [first, last] = [Math.min(...asked), Math.max(...asked)];
  const yearOf = ({ text, header = "" }: Extract): "asked" | "other" | "none" => {
    const own = yearsIn(text);
    // A year in the row itself overrides the header.
    const years = [...(own.size > 0 ? own : yearsIn(header))].map(Number);
    if (years.length === 0) return "none";
    return years.some((year) => year >= first && year <= last) ? "asked" : "other";
  };
  const dated = candidates.map((candidate) => ({ candidate, year: yearOf(candidate) }));
  const hasAskedYear = dated.some(({ year }) => year === "asked");
  // A header answers nothing by itself; it is shown with its row.
  const headers = new Set(candidates.map(({ header }) => header));
  return dated
    .filter(({ candidate }) => !headers.has(candidate.text))
    .filter(({ candidate, year }) => year !== "other" || (!hasAskedYear && !candidate.text.includes(" | ")))
    .map(({ candidate }) => candidate);
}

/** A cell that begins with a number other than a year. */
const figureCell = /^[\p{Sc}\s(–-]{0,4}(?!(?:19|20)\d\d(?!\p{N}))\p{N}/u;

/**
 * Whether a row has a figure; if so, it is no header, even as the first row of a passage: its table may have
 * begun earlier.
 */
const hasFigure = (row: string): boolean => row.split(" | ").some((cell) => figureCell.test(cell));

/**
 * A table header answers nothing by itself. For a list its rows are added; otherwise it is dropped unless a
 * table row is among the extracts.
 */
function withoutBareHeaders(
  { kind }: Question,
  taken: readonly Extract[],
  all: readonly Extract[],
): readonly Extract[] {
  const rowsOf = ({ text, marker }: Extract): readonly Extract[] =>
    all.filter((each) => each.header === text && each.marker === marker);
  if (kind === "list") {
    const following = new Set(taken.flatMap(rowsOf).map(({ text }) => text));
    return taken
      .filter(({ text }) => !following.has(text))
      .flatMap((extract) => [extract, ...rowsOf(extract)]);
  }
  const isBare = (extract: Extract): boolean => rowsOf(extract).length > 0 && !hasFigure(extract.text);
  return taken.some(({ header }) => header !== undefined)
    ? taken
    : taken.filter((extract) => !isBare(extract));
}

/**
 * Extracts with the table header inserted before a row if the row or the header has a year of the question:
 * without it, a row does not show which cell belongs to which year.
 */
function withYearHeaders({ years: asked }: Question, extracts: readonly Extract[]): readonly Extract[] {
  const shown = new Set(extracts.map(({ text }) => text));
  return extracts.flatMap((extract) => {
    const { header } = extract;
    if (
      header === undefined ||
      shown.has(header) ||
      asked.isDisjointFrom(yearsIn(`${header} ${extract.text}`))
    )
      return [extract];
    shown.add(header);
    return [{ text: header, marker: extract.marker, score: extract.score }, extract];
  });
}

const obligations = new Set(
  [...wordsIn(({ obligations: demanding }) => demanding)].map((word) => stem(word)),
);

/** A question's terms with their synonyms, except words of obligation. */
export const subjectsOf = ({ alternatives }: Pick<Question, "alternatives">): Question["alternatives"] =>
  alternatives.filter(([term = ""]) => !obligations.has(term));

/**
 * Candidates that share more with a question than a word of obligation; all of them if the question has no
 * other term, or none does.
 */
function aboutSubject(asked: Question, candidates: readonly Extract[]): readonly Extract[] {
  const subjects = subjectsOf(asked);
  if (subjects.length === asked.alternatives.length) return candidates;
  const about = candidates.filter(({ text }) => shares(subjects, new Set(words(text))));
  return about.length === 0 ? candidates : about;
}

/** Words of a passage and its headings. */
const wordsAround = ({ text, headings, chunk }: Passage): ReadonlySet<string> =>
  new Set(words([chunk.title, ...(headings ?? chunk.headings), text].join("\n")));

/**
 * Drops candidates whose only match is one word of an abbreviation's long form (`tag`, of lock-out and
 * tag-out) if another passage has more of that form.
 */
function aboutLongForms(
  asked: Question,
  passages: readonly Passage[],
  candidates: readonly Extract[],
): readonly Extract[] {
  const own = new Map(passages.map((passage) => [passage.marker, wordsAround(passage)]));
  return asked.shortForms.reduce((left: readonly Extract[], short) => {
    const forms = longFormsOf(short).map((form) => contentTerms(form));
    const held = (marker: number): number => {
      const around = own.get(marker) ?? new Set();
      if (around.has(stem(short))) return 1;
      return Math.max(
        0,
        ...forms.map((form) => form.filter((term) => around.has(term)).length / form.length),
      );
    };
    const most = Math.max(0, ...passages.map(({ marker }) => held(marker)));
    const rest = asked.alternatives.filter(([term]) => term !== stem(short));
    return forms.length === 0
      ? left
      : left.filter(({ text, marker }) => held(marker) === most || shares(rest, new Set(words(text))));
  }, candidates);
}

/** A cell that is empty or only gives the period of the figures below it. */
const periodCell = /^(?:[\p{L}.,\s]{0,30}(?:\d{1,2},?\s)?(?:19|20)\d\d(?:\s?\(\d\))?)?$/u;

/** Whether a text is a table row of labels and periods only, without figures or words in its cells. */
function isBareRow(text: string): boolean {
  const [, ...cells] = text.split("|").map((cell) => cell.trim());
  return cells.length > 0 && cells.every((cell) => periodCell.test(cell));
}

/** Passages of documents named like something in the question; all passages if there are none. */
function ofNamed({ names }: Question, passages: readonly Passage[]): readonly Passage[] {
  const forms = names.map(squash);
  const isNamed = (text: string): boolean => forms.some((form) => text.includes(form));
  const called = ({ chunk }: Passage): string => squash(`${chunk.sourceName} ${chunk.title}`);
  return passages.some((passage) => isNamed(called(passage)))
    ? passages.filter((passage) => isNamed(called(passage)) || isNamed(squash(passage.text)))
    : passages;
}

/**
 * Scored candidates, best first, without those of the best one's passage about another range (`under 5
 * years`, asked for `7 years`); a candidate whose range includes the amount scores as high as the best.
 */
function ofAskedBand(asked: Question, scored: readonly Extract[]): readonly Extract[] {
  const [best] = scored;
  if (best === undefined || asked.kind === "list") return scored;
  const { within, outside } = bandsOf(
    asked.amounts,
    scored.filter(({ marker }) => marker === best.marker),
  );
  return within.length === 0
    ? scored
    : [
        ...within.map((band) => ({ ...band, score: best.score })),
        ...scored.filter((each) => !within.includes(each) && !outside.includes(each)),
      ];
}

/**
 * The sentences that answer best without a model, in reading order; ties go to the higher-ranked passage.
 * Omits repetitions and sentences with less than half of the best score.
 */
export function extract(asked: Question, context: Context, maxSentences: number): readonly Extract[] {
  const { years, ownTerms } = asked;
  const passages = ofNamed(asked, context.passages);
  const candidates = passages.flatMap((passage) => candidatesOf(passage, years));
  const all = ofAskedYears(asked, aboutLongForms(asked, passages, aboutSubject(asked, candidates))).filter(
    ({ text }) => asked.kind === "list" || !isBareRow(text),
  );
  // Only the header says what the cells of a row are.
  const texts = all.map(({ text, header }) => (header === undefined ? text : `${header} ${text}`));
  const scores = rankForms(asked.alternatives, texts);
  // A follow-up has terms of earlier turns in parentheses. They give the subject; its own words are the
  // question.
  const ownScores = ownTerms === null ? texts.map(() => 0) : rank(ownTerms, texts);
  const ranked = all
    .map((candidate, index) => ({
      ...candidate,
      score: ((scores[index] ?? 0) + 2 * (ownScores[index] ?? 0)) / (1 + 0.05 * (candidate.marker - 1)),
    }))
    .sort((left, right) => right.score - left.score);
  const scored = ofAskedBand(asked, ranked);
  const best = scored[0];
  if (best === undefined) return [];
  const taken: Extract[] = [];
  for (const candidate of scored) {
    if (taken.length >= maxSentences || candidate.score < best.score / 2) break;
    if (!taken.some((other) => support(candidate.text, other.text) > 0.8)) taken.push(candidate);
  }
  const answering = withoutBareHeaders(asked, taken, all);
  return withYearHeaders(
    asked,
    answering.toSorted((left, right) => left.marker - right.marker),
  );
}
