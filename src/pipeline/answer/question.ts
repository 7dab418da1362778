import type { QuestionKind } from "../../core/answers/answer.ts";
import { withoutAnswerForm } from "../../language/asking/answer-form.ts";
import { germanForms } from "../../language/asking/german-forms.ts";
import { kindOf } from "../../language/asking/kinds/kinds.ts";
import { type AskedValue, askedValue, countedWords } from "../../language/asking/values.ts";
import { partsOf } from "../../language/clauses.ts";
import { withoutOpening } from "../../language/forms.ts";
import { isGerman, languageOf } from "../../language/languages.ts";
import { type Code, codesIn, namesIn } from "../../language/names.ts";
import { notesFor } from "../../language/notes/notes.ts";
import type { Notes } from "../../language/notes/words.ts";
import { quantitiesIn } from "../../language/quantities.ts";
import { synonymsOf } from "../../language/synonyms.ts";
import { contentTerms, normalize, stem, words } from "../../language/terms.ts";
import { type Period, periodsIn } from "../../language/time/periods.ts";

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
  /** What is said about an answer to it, in its language. */
  readonly notes: Notes;
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
    notes: notesFor(text),
  };
}
