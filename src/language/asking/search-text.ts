import { wordsIn } from "../languages.ts";
import { withoutAnswerForm } from "./answer-form.ts";

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** `according to the 2015 report`, up to the next mark. */
const attributed =
  /(?:, )?(?<![\p{L}\p{N}])(?:according to|as (?:reported|stated|disclosed|outlined|described|revealed|shown) (?:in|by)) [^,;:?!."“]{1,90}(?:, )?/giu;
const endsInDocument =
  /(?<![\p{L}\p{N}])(?:report|plan|filing|10-?k|10-?q|8-?k|document|paper|manual|guide|guidebook|handbook|brochure|article|study|survey|protocol)[\s,]{0,2}$/iu;
const bracketed = /\([^()]{1,200}\)/gu;

/** What a bracketed remark about the form speaks of. */
const forms: ReadonlySet<string> = wordsIn(({ answerForms }) => answerForms?.remarks);

/**
 * What of a question says what is sought: sentences and brackets that only say in what form to answer, and
 * English clauses that only say in which document, are left out, because no passage has their words, or only the
 * title page, and an encoder reads them as its subject. The question as it is where nothing else remains.
 */
export function searchText(question: string): string {
  const kept = withoutAnswerForm(question)
    .replace(bracketed, (remark) =>
      (remark.toLowerCase().match(wordPattern) ?? []).some((word) => forms.has(word)) ? " " : remark,
    )
    .replace(attributed, (clause) => (endsInDocument.test(clause) ? " " : clause))
    .replace(/\s+/gu, " ")
    .trim();
  return (kept.match(wordPattern) ?? []).length < 3 ? question : kept;
}
