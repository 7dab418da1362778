import { alternatives, anyOf } from "../../../language/languages.ts";
import { contentTerms, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import { refusal } from "./limits.ts";
import { termsOf, withoutQuestionEnd, yes } from "./polarity.ts";
import { sharedTerms } from "./relevance.ts";
import type { Witness } from "./witness.ts";

const permission = anyOf(alternatives(({ permissions }) => permissions));

/** Share of a question's terms that a passage must have for it to be answered with yes alone, in [0, 1]. */
const answeringShare = 2 / 3;
/** Terms of a question that its passage may lack all the same. */
const mayLack = 1;

/**
 * Why a statement that says no more than yes has no ground in its passages; "" where nothing tells. They lack too much
 * of what is asked (`business class` over a passage on economy class), or something is asked for leave, and of the
 * sentences that have some of it one refuses while none that has as much allows.
 */
export function baselessYes(bare: string, asked: Question, cited: readonly Witness[], where: string): string {
  const text = bare.normalize("NFC");
  if (asked.kind !== "yes_no" || !yes.test(text) || cited.some(({ finding }) => finding)) return "";
  // What follows of an amount is told by its limit.
  if (asked.numbers.size > 0) return "";
  if (contentTerms(text.replace(yes, "")).some((term) => !asked.known.has(term))) return "";
  const question = withoutQuestionEnd(asked.text);
  const kept = new Set(termsOf(question));
  const topic = { alternatives: asked.alternatives.filter(([term = ""]) => kept.has(term)) };
  const held = sharedTerms(topic, new Set(cited.flatMap((each) => [...each.words, ...each.headWords])));
  const lacking = topic.alternatives.length - held;
  if (lacking > mayLack && held < topic.alternatives.length * answeringShare)
    return `${where} speaks of hardly anything of what is asked`;
  if (!permission.test(question) || refusal.test(question)) return "";
  const told = cited
    .flatMap(({ sentences }) => sentences)
    .map((sentence) => ({ sentence, shared: sharedTerms(topic, new Set(words(sentence))) }))
    .filter(({ shared }) => shared > 0);
  const refused = told.filter(({ sentence }) => refusal.test(sentence)).map(({ shared }) => shared);
  const most = Math.max(0, ...refused);
  const isAllowed = told.some(
    ({ sentence, shared }) => shared >= most && permission.test(sentence) && !refusal.test(sentence),
  );
  return refused.length > 0 && !isAllowed ? `${where} refuses something of it, and allows none` : "";
}
