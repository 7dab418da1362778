import { pageNumbersInQuestion } from "../../../language/asking/pages.ts";
import { namesIn } from "../../../language/names.ts";
import { type Quantity, quantitiesIn } from "../../../language/quantities.ts";
import { normalize } from "../../../language/terms.ts";
import { type CalendarDate, datesIn } from "../../../language/time/dates.ts";

/** A number, date, name or code that a statement gives. */
export type Value =
  | { readonly kind: "number"; readonly text: string; readonly quantity: Quantity }
  | { readonly kind: "date"; readonly text: string; readonly readings: readonly CalendarDate[] }
  | { readonly kind: "name" | "code"; readonly text: string };

/** Part numbers, tags, file names and the like: words of letters and digits that start with a capital. */
const codeWritten =
  /(?<![\p{L}\p{N}-])(?=[\p{Lu}])(?=[\p{L}./_-]{0,40}\p{N})[\p{L}\p{N}]+(?:[-/_.][\p{L}\p{N}]+){0,8}/gu;
/** Capitals and digits of a period or an amount. */
const noCode = /^(?:(?:FY|CY|[QHF])\p{N}|(?:USD|EUR|GBP|CHF|JPY|CNY|VND|TEUR|Rs)\.?\p{N})/u;

/** The codes of a text, as written. */
export const codesWritten = (text: string): readonly string[] =>
  (text.match(codeWritten) ?? []).filter((code) => !noCode.test(code));

/** A statement without signs of Markdown. */
export const withoutMarkup = (text: string): string =>
  text.replace(/\*{1,3}|`|(?<!\w)_{1,3}|_{1,3}(?!\w)/g, "");

/** `one` is as often a pronoun, and so are its other forms. */
const isPronoun = ({ word, readings, scale }: Quantity): boolean => word && readings[0] === 1 && scale === 1;

/** The numbers of a text that belong to no date and no code. */
export function numbersIn(text: string): readonly Quantity[] {
  const plain = withoutMarkup(text);
  const codes = codesWritten(plain);
  const rest = codes.reduce((left, code) => left.replaceAll(code, "_"), plain);
  return quantitiesIn(normalize(datesIn(rest).rest)).filter((quantity) => !isPronoun(quantity));
}

/**
 * Every value of a statement: dates, codes, numbers and names, in this order. `hasCapitalNouns`: whether its
 * nouns are capitalised; found out where it is left open.
 */
export function valuesOf(statement: string, hasCapitalNouns?: boolean): readonly Value[] {
  const text = withoutMarkup(statement);
  const pages = new Set(pageNumbersInQuestion(text).map(String));
  const codes = codesWritten(text);
  return [
    ...datesIn(text).dates.map(
      (readings): Value => ({ kind: "date", text: readings[0]?.text ?? "", readings }),
    ),
    ...codes.map((code): Value => ({ kind: "code", text: code })),
    ...numbersIn(text)
      .filter((quantity) => !pages.has(quantity.text))
      .map((quantity): Value => ({ kind: "number", text: quantity.text, quantity })),
    ...namesIn(text, hasCapitalNouns)
      .filter((name) => !codes.some((code) => name.includes(code)))
      .map((name): Value => ({ kind: "name", text: name })),
  ];
}
