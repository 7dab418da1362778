/** A sentence of a question ends at its mark; a point inside a number or a name ends nothing. */
const sentenceEnd = /(?<=[?!])|(?<=[.:;])(?=\s)/u;
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** `according to the 2015 report`, up to the next mark. */
const attributed =
  /(?:, )?(?<![\p{L}\p{N}])(?:according to|as (?:reported|stated|disclosed|outlined|described|revealed|shown) (?:in|by)) [^,;:?!."“]{1,90}(?:, )?/giu;
const endsInDocument =
  /(?<![\p{L}\p{N}])(?:report|plan|filing|10-?k|10-?q|8-?k|document|paper|manual|guide|guidebook|handbook|brochure|article|study|survey|protocol)[\s,]{0,2}$/iu;
const bracketed = /\([^()]{1,200}\)/gu;

const list = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** Stand before the verb of a request. */
const politeness = list("please and also then kindly directly just your the");
/** Ask for an answer in some form. */
const answering = list("round rounded answer answers anwser format");
/** Ask for one only together with a word that means the answer. */
const giving = list(
  "give state provide return report write express address respond base calculate use using",
);
const meantAnswer = list(
  "answer answers anwser response question asked judgment judgments judgement judgements",
);
/** `Assume that you are an analyst.` */
const supposing = list("assume imagine pretend suppose");
/** `If that is not a useful metric, then state that.` */
const inapplicable = list("useful relevant meaningful applicable something");
const stating = list("state say explain");
/** What a bracketed remark about the form speaks of. */
const forms = list("round rounded decimal decimals units format formatted");

/**
 * Whether a sentence says how to answer and nothing of what is asked: `Round to two decimals.`, `Answer in
 * millions.`, `If it is not a useful metric, state that and explain why.`
 */
function isInstruction(sentence: string): boolean {
  const words = (sentence.toLowerCase().match(wordPattern) ?? []).map(String);
  const at = words.findIndex((word) => !politeness.has(word));
  const [first = "", second = ""] = words.slice(Math.max(0, at));
  const rest = words.slice(Math.max(0, at) + 1);
  if (answering.has(first)) return true;
  if (giving.has(first)) return rest.some((word) => meantAnswer.has(word));
  if (supposing.has(first)) return second === "you" || rest[1] === "you";
  if (first !== "if") return false;
  const isDenied = rest.includes("not") && rest.some((word) => inapplicable.has(word));
  return isDenied && rest.some((word) => stating.has(word));
}

/**
 * What of a question says what is sought: sentences and brackets that only say in what form to answer, and
 * clauses that only say in which document, are left out, because no passage has their words, or only the title
 * page, and an encoder reads them as its subject. The question as it is where nothing else remains. English;
 * other languages are returned unchanged.
 */
export function searchText(question: string): string {
  const kept = question
    .split(sentenceEnd)
    .filter((sentence) => !isInstruction(sentence))
    .join("")
    .replace(bracketed, (remark) =>
      (remark.toLowerCase().match(wordPattern) ?? []).some((word) => forms.has(word)) ? " " : remark,
    )
    .replace(attributed, (clause) => (endsInDocument.test(clause) ? " " : clause))
    .replace(/\s+/gu, " ")
    .trim();
  return (kept.match(wordPattern) ?? []).length < 3 ? question : kept;
}
