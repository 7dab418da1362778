import type { QuestionKind } from "../../core/answers/answer.ts";
import { shortForms } from "../../language/asking/abbreviations.ts";
import { withoutAnswerForm } from "../../language/asking/answer-form.ts";
import { type Extremes, extremesIn, saysApart } from "../../language/asking/changes.ts";
import { withoutQuestionEnd } from "../../language/asking/ends.ts";
import { germanForms } from "../../language/asking/german-forms.ts";
import { kindOf } from "../../language/asking/kinds/kinds.ts";
import { namesPlace } from "../../language/asking/places.ts";
import {
  type AskedValue,
  askedValue,
  asksDifference,
  countedWords,
  saysAggregate,
} from "../../language/asking/values.ts";
import { partsOf } from "../../language/clauses.ts";
import { asksNumber, withoutOpening } from "../../language/forms.ts";
import { alternatives, isGerman, languageOf, spokenLanguage } from "../../language/languages.ts";
import type { LanguageCode } from "../../language/lexicons/language.ts";
import { type Amount, amountsAsked } from "../../language/limits.ts";
import { type Code, codesIn, namesIn } from "../../language/names.ts";
import { notesFor } from "../../language/notes/notes.ts";
import type { Notes } from "../../language/notes/words.ts";
import { quantitiesIn } from "../../language/quantities.ts";
import { synonymsOf } from "../../language/synonyms.ts";
import { contentTerms, normalize, stem, words, yearsIn } from "../../language/terms.ts";
import { datedYearsIn, type Period, periodsIn } from "../../language/time/periods.ts";
import { asksAboutOrders } from "./orders/orders.ts";

/** Each term of a question with the stems of the words that may stand for it, and of its German forms. */
function withSynonyms(question: string, terms: readonly string[]): readonly (readonly string[])[] {
  const all = normalize(question).match(/[\p{L}\p{M}\p{N}&]+/gu) ?? [];
  const written = new Map(
    all.map((word, at) => [stem(word), { word, before: all[at - 1] ?? "", behind: all[at + 1] ?? "" }]),
  );
  const inflected = isGerman(question) ? germanForms : () => [];
  return terms.map((term) => {
    const { word, before, behind } = written.get(term) ?? { word: term, before: "", behind: "" };
    return [...new Set([term, ...[...synonymsOf(word, before, behind), ...inflected(word)].map(stem)])];
  });
}

/** Whether one of these terms, or a word that stands for it, is among the words. */
export const shares = (asked: readonly (readonly string[])[], own: ReadonlySet<string>): boolean =>
  asked.some((forms) => forms.some((form) => own.has(form)));

/** Number of a question's terms, or words that stand for them, among these. */
export const sharedTerms = (
  { alternatives }: Pick<Question, "alternatives">,
  own: ReadonlySet<string>,
): number => alternatives.filter((forms) => forms.some((form) => own.has(form))).length;

/** A question, read once for all who hold passages and sentences against it. */
export interface Question {
  readonly text: string;
  readonly kind: QuestionKind;
  /** Its content terms, each once. */
  readonly terms: readonly string[];
  /** Each of those with the terms that may stand for it. */
  readonly alternatives: readonly (readonly string[])[];
  /** The same of each question that it is made of; its own where it is one. */
  readonly parts: readonly Question["alternatives"][];
  /** All its words as compared, in order. */
  readonly words: readonly string[];
  /** What an answer may say without saying anything new. */
  readonly known: ReadonlySet<string>;
  /** Names it speaks of, as written. */
  readonly names: readonly string[];
  /** Codes it speaks of that are part of no name. */
  readonly codes: readonly Code[];
  /** Numbers, as written. */
  readonly numbers: ReadonlySet<string>;
  /** Years, quarters and the like that it asks about. */
  readonly periods: readonly Period[];
  /** The kind of value that it asks for in so many words; null for none. */
  readonly value: AskedValue | null;
  /** Stems of what it asks to count; empty for none. */
  readonly counted: readonly string[];
  readonly language: string;
  /** The language it is spoken in, told by its small words where letters do not. */
  readonly spoken: LanguageCode;
  /** What is said about an answer to it, in its language. */
  readonly notes: Notes;
  /** What a yes to it affirms: it without what only makes a question of it. */
  readonly affirmed: string;
  /** Its years, as written. */
  readonly years: ReadonlySet<string>;
  /** First and last year of the spans that it names. */
  readonly spans: readonly (readonly string[])[];
  /** Years before 1900 that a word marks as such. */
  readonly datedYears: readonly number[];
  /** Whether it asks for years behind or before one that it names. */
  readonly opensSpan: boolean;
  /** Amounts with a measure. */
  readonly amounts: readonly Amount[];
  /** Words that may be abbreviations, in lower case. */
  readonly shortForms: readonly string[];
  /** Terms of its own words, where it carries those of earlier turns in brackets; null where it does not. */
  readonly ownTerms: readonly string[] | null;
  readonly extremes: Extremes;
  readonly asksNumber: boolean;
  /** It asks how something is done: its first term is what is to be done. */
  readonly asksHowTo: boolean;
  /** It asks how far two things lie apart. */
  readonly asksDifference: boolean;
  /** It asks about a page, a section or a table by its number. */
  readonly asksPlace: boolean;
  /** It asks about sentences that speak to an assistant. */
  readonly asksAboutOrders: boolean;
  /** It speaks of a change, or of how far things lie apart. */
  readonly isApart: boolean;
  /** It speaks of a total, an average or the like. */
  readonly isTogether: boolean;
}

/** Behind or before a year: then other years are asked for too. */
const opensSpan = new RegExp(
  `(?<!\\p{L})(?:${alternatives((language) => language.opensSpan)})(?!\\p{L})`,
  "iu",
);

const span = /(?<!\d)((?:19|20)\d\d)[-–]((?:19|20)\d\d)(?!\d)/g;

const howTo = /^\s*how (?:do|can|should|must|to|would)\b/iu;

/** The terms of a question's own words, where it carries those of earlier turns in brackets at its end. */
function ownTermsOf(text: string): readonly string[] | null {
  const whole = text.trimEnd();
  const own = whole.replace(/(?<!\s)\s*\([^()]*\)$/, "");
  return own === whole ? null : contentTerms(own);
}

/** Reads a question. What it says of the form of its answer may be said in it, and is looked for nowhere. */
export function readQuestion(text: string): Question {
  const asked = withoutAnswerForm(text);
  const terms = contentTerms(asked);
  const all = words(text);
  const value = askedValue(asked);
  const names = namesIn(asked);
  const alternatives = withSynonyms(asked, terms);
  const { parts } = partsOf(withoutOpening(asked));
  return {
    text,
    kind: kindOf(text),
    terms,
    alternatives,
    parts: parts.length < 2 ? [alternatives] : parts.map((part) => withSynonyms(part, contentTerms(part))),
    words: all,
    known: new Set([...terms, ...all]),
    names,
    codes: codesIn(asked).filter((code) => !names.some((name) => name.includes(code.text))),
    numbers: new Set(quantitiesIn(normalize(text)).map((quantity) => quantity.text)),
    periods: periodsIn(asked),
    value,
    // Of a question that asks for a time too, a sentence may give that.
    counted: value === "number" ? countedWords(asked) : [],
    language: languageOf(text),
    spoken: spokenLanguage(text),
    notes: notesFor(text),
    affirmed: withoutQuestionEnd(text),
    years: yearsIn(text),
    spans: Array.from(text.matchAll(span), ([, ...ends]) => ends),
    datedYears: datedYearsIn(text),
    opensSpan: opensSpan.test(text),
    amounts: amountsAsked(text),
    shortForms: shortForms(text),
    ownTerms: ownTermsOf(text),
    extremes: extremesIn(text),
    asksNumber: asksNumber(text),
    asksHowTo: howTo.test(text),
    asksDifference: asksDifference(text),
    asksPlace: namesPlace.test(text),
    asksAboutOrders: asksAboutOrders(text),
    isApart: saysApart(text),
    isTogether: saysAggregate(text),
  };
}
