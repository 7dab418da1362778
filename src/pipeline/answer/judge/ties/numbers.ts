import { pagesNamed } from "../../../../language/asking/pages.ts";
import { placePattern } from "../../../../language/asking/places.ts";
import { alternatives, languageOf } from "../../../../language/languages.ts";
import { type Quantity, quantitiesIn, stands } from "../../../../language/quantities.ts";
import { contentTerms, isNumber, isYear, normalize, words, yearsIn } from "../../../../language/terms.ts";
import { type Question, shares } from "../../question.ts";
import type { Claim } from "../claim.ts";
import { sourceOf } from "../relevance.ts";
import type { Witness } from "../witness.ts";

const approximation = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ approximations }) => approximations)})(?![\\p{L}])`,
  "iu",
);

/** A number this long is no section number but identifies a file, a case or a part. */
const identifier = /^\d{5,}$/;

/**
 * Whether the number is part of a name in a heading, with the same adjacent word: `HP-200 pump` under “HP-200
 * pump manual”, or a year. A bare identifier is matched with the question's words instead.
 */
function named(quantity: Quantity, text: string, asked: Question, witnesses: readonly Witness[]): boolean {
  const lead = text.slice(Math.max(0, quantity.at - 40), quantity.at);
  const before = lead.match(/\p{L}+/gu)?.at(-1) ?? "";
  const after = text.slice(quantity.at, quantity.at + 60).match(/\p{L}+/u)?.[0] ?? "";
  const isAlone = before === "" && after === "" && identifier.test(quantity.text);
  const beside = isAlone ? asked.terms : words(`${before} ${after}`);
  return witnesses.some(
    ({ naming, headWords }) =>
      stands(quantity, naming, [], false) === "yes" &&
      (isYear(quantity.text) || beside.some((word) => headWords.has(word))),
  );
}

/** The year, and the other end of a span of years in the question: `the 2020-2024 plan`. */
const withSpan = (year: string, { spans }: Question): ReadonlySet<string> =>
  new Set([year, ...spans.flatMap((ends) => (ends.includes(year) ? ends : []))]);

/** Whether the sentence that a statement is based on, or its headings, name only other years. */
function ofAnotherYear(year: string, { rest, asked, cited }: Claim): boolean {
  const own = withSpan(year, asked);
  const tellsOther = (text: string): boolean => {
    const namedYears = yearsIn(text);
    return namedYears.size > 0 && namedYears.isDisjointFrom(own);
  };
  return cited.some(
    (witness) => tellsOther(sourceOf(contentTerms(rest), witness)) || tellsOther(witness.heads),
  );
}

/** Whether some sentence or row of the passages has the number together with a word of the question. */
const isBound = (quantity: Quantity, { asked, cited }: Claim): boolean =>
  cited.some(({ units, declared }) =>
    units.some(
      (unit) =>
        shares(
          asked.alternatives.filter(([term]) => term !== quantity.text),
          unit.words,
        ) && stands(quantity, unit.quantities, declared, false) !== "no",
    ),
  );

/**
 * Whether a number occurs, but never together with a word of the question. Applies only if all passages are
 * in the question's language.
 */
function standsLoose(quantity: Quantity, text: string, claim: Claim): boolean {
  const { asked, cited } = claim;
  if (asked.alternatives.length === 0 || asked.asksPlace || quantity.word) return false;
  const isReadable = cited.every((witness) => languageOf(witness.text) === asked.language);
  return isReadable && !named(quantity, text, asked, cited) && !isBound(quantity, claim);
}

/** Why a number as written is not in the passages; null if it is. */
function numberLack(
  quantity: Quantity,
  text: string,
  isRounded: boolean,
  { asked, cited, where }: Claim,
): string | null {
  const countsPlace = [...text.matchAll(placePattern)].some(
    ({ index, 0: { length } }) => quantity.at >= index && quantity.at < index + length,
  );
  const isPage = countsPlace && pagesNamed(text).includes(Number(quantity.text));
  if (isPage && cited.some(({ pages }) => pages.includes(Number(quantity.text)))) return null;
  const ofPlace = countsPlace || asked.asksPlace;
  const among = cited.flatMap((witness) => (ofPlace ? witness.places : witness.quantities));
  const declared = cited.flatMap((witness) => witness.declared);
  const held = stands(quantity, among, declared, isRounded);
  if (held === "yes" || (held === "no" && named(quantity, text, asked, cited))) return null;
  // A column header gives the scale of all its numbers once.
  const cells = cited.flatMap(({ figures }) => figures.filter(({ table }) => table !== null));
  if (cells.some((cell) => stands(quantity, [cell.quantity], cell.declared, isRounded) === "yes"))
    return null;
  const { absent, otherUnit } = asked.notes.judged;
  return (held === "no" ? absent : otherUnit)(quantity.text, where);
}

/** A number that is not tied to the passages; `isDoubt` if that only marks the statement. */
interface Loose {
  readonly reason: string;
  readonly isDoubt: boolean;
}

/** Counts up to this may be of things listed separately. */
const mostCounted = 20;

/**
 * Whether an untied number from a capable reader is probably correct: it is the question's, follows from
 * other numbers shown, occurs without its scale, or is a small count.
 */
function isLikely(quantity: Quantity, { reckoner, cited, asked }: Claim): boolean {
  const { text, unit, scale, decimals, readings } = quantity;
  if (reckoner.mayBe(text) !== null || asked.numbers.has(text)) return true;
  if (scale > 1)
    return cited.some(({ quantities }) => stands({ ...quantity, scale: 1 }, quantities, [], false) === "yes");
  const isCount = unit === "" && decimals === 0 && (readings[0] ?? Number.NaN) <= mostCounted;
  return isCount && asked.kind === "number";
}

/** Why a number is not tied to the passages; null if it occurs there or is derived from numbers that do. */
function looseness(quantity: Quantity, text: string, isBare: boolean, claim: Claim): Loose | null {
  const { rest, asked, where, reckoner, isAble } = claim;
  // A number of the question is its condition ("more than 50"), but a year is not if the passage is about
  // another year.
  const isGiven =
    asked.numbers.has(quantity.text) && !(isYear(quantity.text) && ofAnotherYear(quantity.text, claim));
  const lack = numberLack(quantity, text, approximation.test(rest), claim);
  // “Three” without a unit may count items that the passage lists.
  if (lack !== null) {
    if (reckoner.derive(quantity.text) !== null) return null;
    const isDoubt = isGiven || (quantity.word && quantity.unit === "");
    return { reason: lack, isDoubt: isDoubt || (isAble && isLikely(quantity, claim)) };
  }
  return isBare && !isGiven && !claim.isFound && standsLoose(quantity, text, claim)
    ? { reason: asked.notes.judged.loose(quantity.text, where), isDoubt: isAble }
    : null;
}

/** Numbers of a statement that are not tied to the passages it cites, worst first. */
function loose(claim: Claim): readonly Loose[] {
  const { rest, terms, cited } = claim;
  const text = normalize(rest);
  const held = terms.filter((term) => !isNumber(term) && cited.some(({ words }) => words.has(term)));
  // With so few words, only the number ties it to the question.
  const isBare = held.length < 2;
  return (
    quantitiesIn(text)
      // "one" is more often a pronoun.
      .filter(({ word, readings, scale }) => !(word && readings[0] === 1 && scale === 1))
      .flatMap((quantity) => looseness(quantity, text, isBare, claim) ?? [])
      .toSorted((left, right) => Number(left.isDoubt) - Number(right.isDoubt))
  );
}

/** Why a number of a statement is missing from the passages it cites; null if none is. */
export const missingNumber = (claim: Claim): string | null =>
  loose(claim).find(({ isDoubt }) => !isDoubt)?.reason ?? null;

/** Why a number of a statement is doubtful; null if none is. */
export const doubtfulNumber = (claim: Claim): string | null => loose(claim)[0]?.reason ?? null;
