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
import { type Quantity, quantitiesIn } from "../../language/quantities.ts";
import { synonymsOf } from "../../language/synonyms.ts";
import { contentTerms, normalize, squash, stem, words, yearsIn } from "../../language/terms.ts";
import { type CalendarDate, datesIn } from "../../language/time/dates.ts";
import { datedYearsIn, type Period, periodsIn } from "../../language/time/periods.ts";
import { asksAboutOrders } from "./orders/orders.ts";

/** Each term of a question with the stems of its synonyms and German inflections. */
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

/** Whether any of these terms, or a synonym, is among the words. */
export const shares = (asked: readonly (readonly string[])[], own: ReadonlySet<string>): boolean =>
  asked.some((forms) => forms.some((form) => own.has(form)));

/** Number of a question's terms that are among the words, directly or by a synonym. */
export const sharedTerms = (
  { alternatives }: Pick<Question, "alternatives">,
  own: ReadonlySet<string>,
): number => alternatives.filter((forms) => forms.some((form) => own.has(form))).length;

/** A question, analysed once for every check of passages and sentences. */
export interface Question {
  readonly text: string;
  readonly kind: QuestionKind;
  /** Distinct content terms. */
  readonly terms: readonly string[];
  /** Each term with its synonyms. */
  readonly alternatives: readonly (readonly string[])[];
  /** The same for each part of a compound question; a single question is its only part. */
  readonly parts: readonly Question["alternatives"][];
  /** All its words, normalised, in order. */
  readonly words: readonly string[];
  /** Words an answer may repeat without adding anything. */
  readonly known: ReadonlySet<string>;
  /** Names it mentions, as written. */
  readonly names: readonly string[];
  /** Codes it mentions that are part of no name. */
  readonly codes: readonly Code[];
  /** Numbers, as written. */
  readonly numbers: ReadonlySet<string>;
  /** Numbers that belong to no date. */
  readonly quantities: readonly Quantity[];
  /** Dates, each in every order in which it can be read. */
  readonly dates: readonly (readonly CalendarDate[])[];
  /** Its letters and digits alone. */
  readonly squashed: string;
  /** Years, quarters and other periods it mentions. */
  readonly periods: readonly Period[];
  /** The kind of value it explicitly asks for; null for none. */
  readonly value: AskedValue | null;
  /** Stems of what it asks to count; empty for none. */
  readonly counted: readonly string[];
  readonly language: string;
  /** Its language; small words decide if the letters do not. */
  readonly spoken: LanguageCode;
  /** Messages about an answer, in its language. */
  readonly notes: Notes;
  /** What a yes affirms: the question without its interrogative words. */
  readonly affirmed: string;
  /** Its years, as written. */
  readonly years: ReadonlySet<string>;
  /** First and last year of each span it names. */
  readonly spans: readonly (readonly string[])[];
  /** Years before 1900, recognised by a word next to them. */
  readonly datedYears: readonly number[];
  /** Whether it asks for years before or after one it names. */
  readonly opensSpan: boolean;
  /** Amounts with a measure. */
  readonly amounts: readonly Amount[];
  /** Words that may be abbreviations, in lower case. */
  readonly shortForms: readonly string[];
  /** Terms of its own words if it has those of earlier turns in parentheses; null otherwise. */
  readonly ownTerms: readonly string[] | null;
  readonly extremes: Extremes;
  readonly asksNumber: boolean;
  /** It asks how to do something; its first term is the action. */
  readonly asksHowTo: boolean;
  /** It asks for a difference. */
  readonly asksDifference: boolean;
  /** It asks about a page, section or table by number. */
  readonly asksPlace: boolean;
  /** It asks about sentences that address an assistant. */
  readonly asksAboutOrders: boolean;
  /** It mentions a change or difference. */
  readonly isApart: boolean;
  /** It mentions a total, an average or the like. */
  readonly isTogether: boolean;
}

/** Words before or after a year that ask for other years too. */
const opensSpan = new RegExp(
  `(?<!\\p{L})(?:${alternatives((language) => language.opensSpan)})(?!\\p{L})`,
  "iu",
);

const span = /(?<!\d)((?:19|20)\d\d)[-–]((?:19|20)\d\d)(?!\d)/g;

const howTo = /^\s*how (?:do|can|should|must|to|would)\b/iu;

/**
 * Terms of a question's own words, if it has those of earlier turns in parentheses at its end; null
 * otherwise.
 */
function ownTermsOf(text: string): readonly string[] | null {
  const whole = text.trimEnd();
  const own = whole.replace(/(?<!\s)\s*\([^()]*\)$/, "");
  return own === whole ? null : contentTerms(own);
}

/** Analyses a question. Instructions on the form of the answer count as known, but are not searched for. */
export function readQuestion(text: string): Question {
  const asked = withoutAnswerForm(text);
  const terms = contentTerms(asked);
  const all = words(text);
  const value = askedValue(asked);
  const names = namesIn(asked);
  const alternatives = withSynonyms(asked, terms);
  const dated = datesIn(text);
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
    quantities: quantitiesIn(normalize(dated.rest)),
    dates: dated.dates,
    squashed: squash(text),
    periods: periodsIn(asked),
    value,
    // If a time is asked for as well, a sentence may give that instead.
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
