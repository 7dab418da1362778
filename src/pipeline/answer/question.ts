import type { QuestionKind } from "../../core/answers/answer.ts";
import type { Hit } from "../../core/retrieval.ts";
import { synonymsIn } from "../../language/asking/abbreviations.ts";
import { stripFormat } from "../../language/asking/answer-form.ts";
import { hasInflectedForm, inflectedForms } from "../../language/asking/inflections.ts";
import { classify } from "../../language/asking/kinds/kinds.ts";
import { type AskedValue, expectedValueType } from "../../language/asking/values.ts";
import { asksForExplicitNumber } from "../../language/forms.ts";
import { detectLanguage, detectScript } from "../../language/languages.ts";
import { type Code, codesIn, namesIn } from "../../language/names.ts";
import { notesFor } from "../../language/notes/notes.ts";
import { type Quantity, quantitiesIn } from "../../language/quantities.ts";
import type { LanguageCode } from "../../language/schema/language.ts";
import type { Notes } from "../../language/schema/notes.ts";
import { alphanumeric, contentTerms, normalize, stem, words, yearsIn } from "../../language/terms.ts";
import { type CalendarDate, datesIn } from "../../language/time/dates.ts";
import { type Period, periodsIn } from "../../language/time/periods.ts";
import { asksAboutInjection } from "./injection/injection.ts";

type Hits = readonly Pick<Hit, "chunk">[];

/** Each term of a question with the stems of its synonyms in these hits and inflections. */
function withSynonyms(question: string, terms: readonly string[], hits: Hits): Question["alternatives"] {
  const all = normalize(question).match(/[\p{L}\p{M}\p{N}&]+/gu) ?? [];
  const written = new Map(
    all.map((word, at) => [stem(word), { word, before: all[at - 1] ?? "", behind: all[at + 1] ?? "" }]),
  );
  const passages = hits.map(({ chunk }) => chunk.text);
  const inflected = hasInflectedForm(question) ? inflectedForms : () => [];
  return terms.map((term) => {
    const { word, before, behind } = written.get(term) ?? { word: term, before: "", behind: "" };
    const synonyms = synonymsIn(passages, word, before, behind);
    return [...new Set([term, ...[...synonyms, ...inflected(word)].map(stem)])];
  });
}

/** A question, analysed once for every check of passages and sentences. */
export interface Question {
  readonly text: string;
  readonly kind: QuestionKind;
  /** Distinct content terms. */
  readonly terms: readonly string[];
  /** Each term with its synonyms. */
  readonly alternatives: readonly (readonly string[])[];
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
  readonly language: string;
  /** Its language; small words decide if the letters do not. */
  readonly spoken: LanguageCode;
  /** Messages about an answer, in its language. */
  readonly notes: Notes;
  /** Its years, as written. */
  readonly years: ReadonlySet<string>;
  readonly asksNumber: boolean;
  /** It asks about sentences that address an assistant. */
  readonly asksAboutOrders: boolean;
}

/** Analyses a question. Instructions on the form of the answer count as known, but are not searched for. */
export function analyzeQuestion(text: string, hits: Hits = []): Question {
  const asked = stripFormat(text);
  const terms = contentTerms(asked);
  const all = words(text);
  const names = namesIn(asked);
  const dated = datesIn(text);
  return {
    text,
    kind: classify(text),
    terms,
    alternatives: withSynonyms(asked, terms, hits),
    words: all,
    known: new Set([...terms, ...all]),
    names,
    codes: codesIn(asked).filter((code) => !names.some((name) => name.includes(code.text))),
    numbers: new Set(quantitiesIn(normalize(text)).map((quantity) => quantity.text)),
    quantities: quantitiesIn(normalize(dated.rest)),
    dates: dated.dates,
    squashed: alphanumeric(text),
    periods: periodsIn(asked),
    value: expectedValueType(asked),
    language: detectScript(text),
    spoken: detectLanguage(text),
    notes: notesFor(text),
    years: yearsIn(text),
    asksNumber: asksForExplicitNumber(text),
    asksAboutOrders: asksAboutInjection(text),
  };
}
