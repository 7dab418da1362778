import { asksForNumber, behindAsking } from "../../../../language/asking/values.ts";
import { alternatives, anyOf } from "../../../../language/languages.ts";
import { type Quantity, quantitiesIn, stands } from "../../../../language/quantities.ts";
import { isNumber, normalize } from "../../../../language/terms.ts";
import { unitNamed } from "../../../../language/units.ts";
import type { Question } from "../../question.ts";
import type { Claim } from "../claim.ts";
import { placePattern } from "../witness.ts";

const or = anyOf(alternatives((language) => language.or));

/** Characters behind the words that ask for a number in which it is said of how many things: `how many of the 12`. */
const reach = 24;

/** Whether a question offers its numbers for choice, or asks how many of a number of things. */
const offers = ({ text, numbers }: Question, { text: number }: Quantity): boolean =>
  behindAsking(text).slice(0, reach).includes(number) || (numbers.size > 1 && or.test(text));

/**
 * The numbers that a question gives and that are no names (`GPT-40`, `Table 12`); one digit may as well be what is
 * counted.
 */
const ownNumbersOf = ({ text }: Question): ReadonlySet<string> =>
  new Set(
    quantitiesIn(normalize(text.replace(placePattern, " ").replace(/(?<=\p{L})-\p{N}[\p{N}.]{0,12}/gu, " ")))
      .map((quantity) => quantity.text)
      .filter((number) => number.length > 1),
  );

const wantsNumber = ({ text, kind, value }: Question): boolean =>
  kind === "number" || kind === "total" || value === "number" || value === "telephone" || asksForNumber(text);

/** Whether the terms of a statement are nothing but numbers and their units. */
export const isBare = (terms: readonly string[]): boolean =>
  terms.every((term) => isNumber(term) || unitNamed(term) !== "");

/**
 * What is wrong with a statement that is nothing but numbers, which its passages have: a number is asked for and these
 * are those of the question, or one of them stands there only as the day of a date. "" for nothing.
 */
export function bareFault({ rest, terms, asked, cited, where }: Claim): string {
  if (asked.value === "date" || cited.some(({ finding }) => finding)) return "";
  if (!isBare(terms)) return "";
  const numbers = quantitiesIn(normalize(rest)).filter(({ word }) => !word);
  const given = ownNumbersOf(asked);
  const isGiven = (quantity: Quantity): boolean => given.has(quantity.text);
  const isWanted = wantsNumber(asked);
  const [first] = numbers;
  if (isWanted && first !== undefined && numbers.every((each) => isGiven(each) && !offers(asked, each)))
    return `only repeats ${first.text} of the question`;
  const day = numbers.find(
    (quantity) =>
      (isWanted || isGiven(quantity)) &&
      quantity.unit === "" &&
      quantity.scale === 1 &&
      cited.every(({ undated }) => stands(quantity, undated(), [], false) === "no") &&
      cited.some(({ quantities }) => stands(quantity, quantities, [], false) === "yes"),
  );
  return day === undefined ? "" : `${day.text} stands in ${where} only within a date`;
}
