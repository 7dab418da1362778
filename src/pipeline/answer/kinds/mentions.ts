import type { Draft, MentionSearch } from "../../../core/answers/agent.ts";
import type { Verdict } from "../../../core/answers/answer.ts";
import { counted } from "../../../core/counted.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import { sectionsOf } from "../../../core/documents/sections.ts";
import { type Hit, type Passage, quotedChunk } from "../../../core/retrieval.ts";
import { germanForms } from "../../../language/asking/german-forms.ts";
import { isGerman } from "../../../language/languages.ts";
import { codeKeysOf, codesIn } from "../../../language/names.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { spreadsheetRows } from "../../../language/records.ts";
import { sentences } from "../../../language/sentences.ts";
import { longFormOf } from "../../../language/synonyms.ts";
import { squash, stem, words } from "../../../language/terms.ts";
import { cleanLine } from "../clean.ts";
import { citationOf, inert } from "../ground.ts";
import { addressesAssistant } from "../instructions.ts";
import type { Question } from "../question.ts";

/** Most documents that are listed with their quote; the others are counted. */
const maxListed = 40;
/** Longest quote of a document in the list, in characters. */
const longestQuote = 160;

/** A document that speaks of a subject, by the first place found. */
interface Mention {
  readonly chunk: Chunk;
  readonly quote: string;
  /** All pages found, ascending. */
  readonly pages: readonly number[];
}

/** Letters from which a subject may stand within a longer word, or be written in one: `lock-out`. */
const leastJoined = 5;

/** Letters of an ending that a form of a German word may lack. */
const longestEnding = 2;

/** Whether a text has every code and word of a subject in some form, its short forms also spelled out. */
function holdsAll({ text: subject, terms }: Question, text: string): boolean {
  const joined = squash(subject);
  if (joined.length >= leastJoined && squash(text).includes(joined)) return true;
  // Words take the letters off `P-107`, and any 107 would do.
  const codes = codesIn(/\s/.test(subject.trim()) ? subject : subject.toUpperCase());
  const keys = codes.length > 0 ? codeKeysOf(text) : new Set();
  if (!codes.every(({ key }) => keys.has(key))) return false;
  const own = new Set(words(text));
  const isInflected = isGerman(subject) || isGerman(text);
  const inCodes = new Set(codes.flatMap((code) => words(code.text)));
  return terms.every((term) => {
    if (inCodes.has(term)) return true;
    const long = longFormOf(term).map(stem);
    // A part of a compound is another word: `Kosten` is not the `Reisekosten` asked for.
    const forms = isInflected
      ? germanForms(term).filter(({ length }) => length >= term.length - longestEnding)
      : [];
    return (
      [term, ...forms.map(stem)].some((form) => own.has(form)) ||
      (long.length > 0 && long.every((word) => own.has(word)))
    );
  });
}

/** The sentence, row or heading of a chunk that has all words of the subject; "" for none. */
function mentionIn(subject: Question, chunk: Chunk): string {
  const rows = spreadsheetRows(chunk.text);
  const lines = [
    ...(rows.length > 0 ? rows : sentences(chunk.text)),
    ...sectionsOf(chunk).flatMap(({ headings }) => headings),
    chunk.title,
  ];
  return lines.find((line) => !addressesAssistant(line) && holdsAll(subject, line)) ?? "";
}

/** The documents with a place that satisfies `quoteOf`, in the order of the hits. */
function documentsWith(hits: readonly Hit[], quoteOf: (chunk: Chunk) => string): readonly Mention[] {
  const mentions = new Map<string, Mention>();
  for (const { chunk } of hits) {
    const quote = quoteOf(chunk);
    if (quote === "") continue;
    const before = mentions.get(chunk.documentId);
    const pages = [...new Set([...(before?.pages ?? []), ...quotedChunk({ chunk }, quote).pages])];
    mentions.set(chunk.documentId, {
      ...(before ?? { chunk, quote }),
      pages: pages.toSorted((left, right) => left - right),
    });
  }
  return [...mentions.values()];
}

/**
 * The documents that speak of a subject: those with a sentence, row, heading or title that has all its words;
 * where none has, those with all of them in one passage.
 */
function mentionsOf(
  subject: Question,
  hits: readonly Hit[],
): { readonly mentions: readonly Mention[]; readonly isClose: boolean } {
  const close = documentsWith(hits, (chunk) => mentionIn(subject, chunk));
  if (close.length > 0) return { mentions: close, isClose: true };
  const apart = documentsWith(hits, (chunk) =>
    holdsAll(subject, chunk.text)
      ? (sentences(chunk.text).find((line) => !addressesAssistant(line)) ?? "")
      : "",
  );
  return { mentions: apart, isClose: false };
}

/** `1, 3–5`. */
function ranges(pages: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const page of pages) {
    const open = runs.at(-1);
    if (open !== undefined && open[1] === page - 1) open[1] = page;
    else runs.push([page, page]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/** Cut at a word where it is too long. */
const shortened = (text: string): string =>
  text.length <= longestQuote ? text : `${text.slice(0, longestQuote - 1).replace(/(?<!\s)\s+\S*$/, "")}…`;

/**
 * The documents that mention a subject, as an answer: how many, and of each its pages and a quote, cited; or
 * that none does. It is counted from what was searched, so no model has a say.
 */
export function mentionsDraft(
  subject: Question,
  search: MentionSearch,
  hits: readonly Hit[],
  question: string,
  base: Pick<Verdict, "threshold" | "grounded">,
): Draft {
  const notes = notesFor(question).mentions;
  const { mentions, isClose } = mentionsOf(subject, hits);
  const listed = mentions.slice(0, maxListed);
  const passages = listed.map(
    ({ chunk, quote }, at): Passage => ({
      marker: at + 1,
      chunk,
      text: quote,
      headings: quotedChunk({ chunk }, quote).headings,
    }),
  );
  const lines = listed.map(({ chunk, quote, pages }, at) => {
    const where = pages.length === 0 ? "" : `, ${notes.pages(ranges(pages), pages.length === 1)}`;
    return `- ${cleanLine(chunk.sourceName)}${where}: “${shortened(cleanLine(quote))}” [${at + 1}]`;
  });
  const name = cleanLine(subject.text);
  const head =
    mentions.length === 0
      ? notes.none(name, search.documents)
      : (isClose ? notes.some : notes.apart)(mentions.length, search.isCut, name);
  const text = inert(
    [
      head,
      ...lines,
      ...(mentions.length > listed.length ? [notes.more(mentions.length - listed.length)] : []),
      ...(search.narrowedBy === undefined ? [] : [notes.narrowed(search.narrowedBy)]),
    ].join("\n"),
    passages,
  );
  const verdict: Verdict = {
    ...base,
    status: mentions.length === 0 ? "refused" : "extractive",
    reason: `${mentions.length} of ${counted(search.documents, "document")} searched`,
    evidence: mentions.length === 0 ? 0 : 1,
    sentences: [],
    removed: 0,
  };
  const context = { question, passages, tokenCount: 0, dropped: { overBudget: 0, duplicate: 0 } };
  const citations = passages.map((passage, at) => ({
    ...citationOf(passage, [passage.text], question),
    pages: listed[at]?.pages ?? [],
  }));
  return { text, citations, verdict, model: null, context, phases: [] };
}
