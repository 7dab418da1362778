import { type Shown, shownAsked, shownIn } from "../../../../language/asking/shown.ts";
import type { Question } from "../../question.ts";
import type { Witness } from "../witness.ts";

/**
 * The figure or table that a question is about, where the cited passages name others of its kind and none of those
 * that are asked about; null where they do, or name none: what is shown may stand apart from its number.
 */
export function otherShown({ text }: Question, cited: readonly Witness[]): Shown | null {
  const asked = shownAsked(text);
  const [first] = asked;
  if (first === undefined || cited.some(({ finding }) => finding)) return null;
  const named = cited.flatMap((witness) => shownIn(`${witness.heads}\n${witness.text}`));
  const isAsked = (one: Shown): boolean =>
    asked.some(({ kind, number }) => kind === one.kind && number === one.number);
  const isOther = asked.every(({ kind }) => named.some((one) => one.kind === kind));
  return isOther && !named.some(isAsked) ? first : null;
}
