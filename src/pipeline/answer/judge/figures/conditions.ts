import { amountsIn, isWithin, limitsIn } from "../../../../language/limits.ts";
import { contentTerms, isNumber, normalize } from "../../../../language/terms.ts";
import type { Question } from "../../question.ts";
import type { Witness } from "../witness.ts";
import type { Figure } from "./figures.ts";

/** The values that a figure may have, by the scales that its passages declare too. */
function valuesOf({ quantity: { readings, scale } }: Figure, declared: readonly number[]): readonly number[] {
  const factors = scale === 1 ? [1, ...declared] : [scale];
  return readings.flatMap((reading) => factors.map((factor) => reading * factor));
}

/**
 * The condition of a question (`more than 23%`) that what a statement names does not meet: what it cites has numbers of
 * that unit for it, and none of them lies there, nor where the condition begins. "" where one may, or where nothing is
 * said of it in that unit.
 */
export function unmetCondition(asked: Question, statement: string, cited: readonly Witness[]): string {
  if (asked.kind === "yes_no" || cited.some(({ finding }) => finding)) return "";
  const text = normalize(asked.text);
  const [limit, ...others] = limitsIn(text).filter(({ isBound }) => !isBound);
  if (limit === undefined || others.length > 0) return "";
  const known = new Set([...asked.known, ...asked.alternatives.flat()]);
  const named = contentTerms(statement).filter((term) => !known.has(term) && !isNumber(term));
  const declared = cited.flatMap((witness) => witness.declared);
  const own = cited
    .flatMap(({ figures }) => figures)
    .filter(({ words }) => named.some((term) => words.has(term)));
  const meets = (figure: Figure): boolean =>
    valuesOf(figure, declared).some((value) => isWithin({ measure: limit.measure, value, roots: [] }, limit));
  const ends = amountsIn(text.slice(limit.from, limit.to)).map(({ value }) => value);
  const isEnd = (figure: Figure): boolean =>
    valuesOf(figure, declared).some((value) =>
      ends.some((end) => Math.abs(value - end) <= 1e-5 * Math.max(1, Math.abs(end))),
    );
  const like = own.filter(({ quantity: { unit } }) => unit === limit.measure);
  // A cell may leave its unit to the table; running text does not.
  const mayMeet = own.some(
    (figure) =>
      (figure.quantity.unit === limit.measure || (figure.quantity.unit === "" && figure.table !== null)) &&
      (meets(figure) || isEnd(figure)),
  );
  const [rest = ""] = /^[\p{L}%€$]*/u.exec(text.slice(limit.to)) ?? [];
  return like.length === 0 || mayMeet ? "" : `${text.slice(limit.from, limit.to)}${rest}`;
}
