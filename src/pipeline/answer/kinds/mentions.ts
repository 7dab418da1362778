import type { Draft, MentionSearch } from "../../../core/answers/agent.ts";
import type { Verdict } from "../../../core/answers/answer.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import { sectionsOf } from "../../../core/documents/sections.ts";
import { chunkContaining, type Hit } from "../../../core/retrieval.ts";
import { hasInflectedForm, inflectedForms } from "../../../language/asking/inflections.ts";
import { codeKeysOf, codesIn } from "../../../language/names.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { spreadsheetRows } from "../../../language/records.ts";
import { sentences } from "../../../language/sentences.ts";
import { longFormOf } from "../../../language/synonyms.ts";
import { alphanumeric, stem, words } from "../../../language/terms.ts";
import { cleanLine } from "../clean.ts";
import { isPromptInjection } from "../injection/injection.ts";
import type { Question } from "../question.ts";
import { listingDraft, type QuotedPlace, ranges, truncateLine } from "./listing.ts";

/** A document that mentions a subject. */
interface Mention {
  /** The first sentence or row found, then the first on each other page. */
  readonly quoted: readonly QuotedPlace[];
  /** All pages with a mention, ascending. */
  readonly pages: readonly number[];
  /** Number of sentences and rows with a mention. */
  readonly places: number;
}

/** Most pages of a document that are cited. */
const mostCited = 5;

/** Shortest subject that may match inside a longer word or a joined spelling: `lock-out`. */
const leastJoined = 5;

/** Longest ending that an inflected form may lack, in letters. */
const longestEnding = 2;

/**
 * Whether a text has every code and word of a subject in some form; abbreviations also match their long
 * forms.
 */
function holdsAll({ text: subject, terms }: Question, text: string): boolean {
  const joined = alphanumeric(subject);
  if (joined.length >= leastJoined && alphanumeric(text).includes(joined)) return true;
  // Word terms drop the letters of `P-107`, and would match any 107.
  const codes = codesIn(/\s/.test(subject.trim()) ? subject : subject.toUpperCase());
  const keys = codes.length > 0 ? codeKeysOf(text) : new Set();
  if (!codes.every(({ key }) => keys.has(key))) return false;
  const own = new Set(words(text));
  const isInflected = hasInflectedForm(subject) || hasInflectedForm(text);
  const inCodes = new Set(codes.flatMap((code) => words(code.text)));
  return terms.every((term) => {
    if (inCodes.has(term)) return true;
    const long = longFormOf(term).map(stem);
    // Part of a compound is a different word: `Kosten` does not match `Reisekosten`.
    const forms = isInflected
      ? inflectedForms(term).filter(({ length }) => length >= term.length - longestEnding)
      : [];
    return (
      [term, ...forms.map(stem)].some((form) => own.has(form)) ||
      (long.length > 0 && long.every((word) => own.has(word)))
    );
  });
}

/** Sentences and rows of a chunk with all words of the subject, otherwise a heading that has them. */
function mentionsIn(subject: Question, chunk: Chunk): readonly string[] {
  const isMention = (line: string): boolean => !isPromptInjection(line) && holdsAll(subject, line);
  const rows = spreadsheetRows(chunk.text);
  const found = (rows.length > 0 ? rows : sentences(chunk.text)).filter(isMention);
  if (found.length > 0) return found;
  const heading = [...sectionsOf(chunk).flatMap(({ headings }) => headings), chunk.title].find(isMention);
  return heading === undefined ? [] : [heading];
}

/** Documents with a place that `quotesOf` finds, in the order of the hits. */
function documentsWith(
  hits: readonly Hit[],
  quotesOf: (chunk: Chunk) => readonly string[],
): readonly Mention[] {
  const mentions = new Map<string, Mention>();
  for (const { chunk } of hits) {
    const quotes = quotesOf(chunk);
    if (quotes.length === 0) continue;
    const before = mentions.get(chunk.documentId) ?? { quoted: [], pages: [], places: 0 };
    const found = quotes.map((quote) => ({ chunk, quote, pages: chunkContaining({ chunk }, quote).pages }));
    const all = [...before.quoted, ...found];
    mentions.set(chunk.documentId, {
      quoted: [...Map.groupBy(all, ({ pages }) => pages.join()).values()].flatMap(([first]) => first ?? []),
      pages: [...new Set(all.flatMap(({ pages }) => pages))].toSorted((left, right) => left - right),
      places: before.places + quotes.length,
    });
  }
  return [...mentions.values()];
}

/**
 * Documents with a sentence, row, heading or title that has all words of the subject; if there is none, those
 * with all of them in one passage.
 */
function mentionsOf(
  subject: Question,
  hits: readonly Hit[],
): { readonly mentions: readonly Mention[]; readonly isClose: boolean } {
  const close = documentsWith(hits, (chunk) => mentionsIn(subject, chunk));
  if (close.length > 0) return { mentions: close, isClose: true };
  const apart = documentsWith(hits, (chunk) =>
    holdsAll(subject, chunk.text)
      ? sentences(chunk.text)
          .filter((line) => !isPromptInjection(line))
          .slice(0, 1)
      : [],
  );
  return { mentions: apart, isClose: false };
}

/**
 * Answers which documents mention a subject: how many, with the pages and a cited quote of each, or that none
 * does. Counted from the documents searched, without a model.
 */
export function mentionsDraft(
  subject: Question,
  search: MentionSearch,
  hits: readonly Hit[],
  question: string,
  base: Pick<Verdict, "threshold" | "grounded">,
): Draft {
  const { mentions: notes, reasons } = notesFor(question);
  const { mentions, isClose } = mentionsOf(subject, hits);
  const places = mentions.flatMap(({ quoted: [first, ...others], pages, places: count }) => {
    if (first === undefined) return [];
    const where = [
      ...(pages.length === 0 ? [] : [`, ${notes.pages(ranges(pages), pages.length === 1)}`]),
      ...(count > 1 ? [` (${notes.places(count)})`] : []),
    ].join("");
    const line = `${cleanLine(first.chunk.sourceName)}${where}: “${truncateLine(first.quote)}”`;
    return [{ ...first, line, others: others.slice(0, mostCited - 1) }];
  });
  const name = cleanLine(subject.text);
  const head =
    mentions.length === 0
      ? notes.none(name, search.documents)
      : (isClose ? notes.some : notes.apart)(mentions.length, search.isCut, name);
  return listingDraft(
    {
      head,
      places,
      ...(search.narrowedBy === undefined ? {} : { end: notes.narrowed(search.narrowedBy) }),
      reason: reasons.mentioned(mentions.length, search.documents),
    },
    question,
    base,
  );
}
