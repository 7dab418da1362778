import { allWords } from "../languages.ts";
import { stripFormat } from "./answer-form.ts";

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** `according to the 2015 report`, up to the next punctuation mark. */
const attributed =
  /(?:, )?(?<![\p{L}\p{N}])(?:according to|as (?:reported|stated|disclosed|outlined|described|revealed|shown) (?:in|by)) [^,;:?!."“]{1,90}(?:, )?/giu;
const endsInDocument =
  /(?<![\p{L}\p{N}])(?:report|plan|filing|10-?k|10-?q|8-?k|document|paper|manual|guide|guidebook|handbook|brochure|article|study|survey|protocol)[\s,]{0,2}$/iu;
const bracketed = /\([^()]{1,200}\)/gu;

/** Words that mark a bracketed remark as being about the form. */
const forms: ReadonlySet<string> = allWords(({ answerForms }) => answerForms?.remarks);

/**
 * The part of a question that says what is sought, without sentences and brackets about the form of the
 * answer, and without English clauses that only name a document: no passage has their words, or only the
 * title page, and an encoder would take them as the subject. Unchanged if nothing else would remain.
 */
export function searchText(question: string): string {
  const kept = stripFormat(question)
    .replace(bracketed, (remark) =>
      (remark.toLowerCase().match(wordPattern) ?? []).some((word) => forms.has(word)) ? " " : remark,
    )
    .replace(attributed, (clause) => (endsInDocument.test(clause) ? " " : clause))
    .replace(/\s+/gu, " ")
    .trim();
  return (kept.match(wordPattern) ?? []).length < 3 ? question : kept;
}
