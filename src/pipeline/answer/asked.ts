import { languageOf } from "../../language/languages.ts";
import { quantitiesIn } from "../../language/quantities.ts";
import { synonymsOf } from "../../language/synonyms.ts";
import { contentTerms, normalize, stem, words } from "../../language/terms.ts";

/** Each term of a question with the stems of the words that may stand for it. */
function withSynonyms(question: string): readonly (readonly string[])[] {
  const written = new Map(
    (normalize(question).match(/[\p{L}\p{M}\p{N}&]+/gu) ?? []).map((word) => [stem(word), word]),
  );
  return contentTerms(question).map((term) => [term, ...synonymsOf(written.get(term) ?? term).map(stem)]);
}

/** Whether one of these terms, or a word that stands for it, is among the words. */
export const shares = (asked: readonly (readonly string[])[], own: ReadonlySet<string>): boolean =>
  asked.some((forms) => forms.some((form) => own.has(form)));

/** What a question asks, for holding sentences against it. */
export interface Asked {
  readonly text: string;
  /** Its content terms, each with those that may stand for it. */
  readonly terms: readonly (readonly string[])[];
  readonly known: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  readonly language: string;
}

/** Reads a question once for all sentences that answer it. */
export function askedBy(text: string): Asked {
  return {
    text,
    terms: withSynonyms(text),
    known: new Set([...contentTerms(text), ...words(text)]),
    numbers: new Set(quantitiesIn(normalize(text)).map((quantity) => quantity.text)),
    language: languageOf(text),
  };
}
