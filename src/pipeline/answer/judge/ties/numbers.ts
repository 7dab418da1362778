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

/** A number of so many digits counts no section: it is the number of a file, a case or a part. */
const identifier = /^\d{5,}$/;

/**
 * Whether the number stands in the words beside it as it does in a heading: `HP-200 pump` under “HP-200 pump
 * manual”, or a year. Beside an identifier alone stand the words of its question.
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

/** The year, and the other end of the span of years that a question names with it: `the 2020-2024 plan`. */
const withSpan = (year: string, { spans }: Question): ReadonlySet<string> =>
  new Set([year, ...spans.flatMap((ends) => (ends.includes(year) ? ends : []))]);

/** Whether the sentence that a statement rests on, or else the headings above it, speak of other years than this. */
function ofAnotherYear(year: string, { rest, asked, cited }: Claim): boolean {
  const own = withSpan(year, asked);
  const tellsOther = (text: string): boolean => {
    const told = yearsIn(text);
    return told.size > 0 && told.isDisjointFrom(own);
  };
  return cited.some(
    (witness) => tellsOther(sourceOf(contentTerms(rest), witness)) || tellsOther(witness.heads),
  );
}

/** Whether some sentence or row of the passages has the number beside a word of the question. */
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
 * Whether a number stands, but with nothing of what is asked; only where all the passages can be read in the
 * question's language.
 */
function standsLoose(quantity: Quantity, text: string, claim: Claim): boolean {
  const { asked, cited } = claim;
  if (asked.alternatives.length === 0 || asked.asksPlace || quantity.word) return false;
  const isReadable = cited.every((witness) => languageOf(witness.text) === asked.language);
  return isReadable && !named(quantity, text, asked, cited) && !isBound(quantity, claim);
}

/** What a number lacks that does not stand in the passages as it is written; null where it does. */
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
  // The head of a column says once what all its numbers are counted in.
  const cells = cited.flatMap(({ figures }) => figures.filter(({ table }) => table !== null));
  if (cells.some((cell) => stands(quantity, [cell.quantity], cell.declared, isRounded) === "yes"))
    return null;
  const { absent, otherUnit } = asked.notes.judged;
  return (held === "no" ? absent : otherUnit)(quantity.text, where);
}

/** A number of a statement that is not where it should be, and whether that is only a doubt. */
interface Loose {
  readonly reason: string;
  readonly isDoubt: boolean;
}

/** A count up to this many may be one of things that stand apart from each other. */
const mostCounted = 20;

/**
 * Whether a number that an able reader gives is likely right though it is not tied: it is the question's, follows from
 * others that are shown, stands there without the scale that is said of it, or counts something.
 */
function isLikely(quantity: Quantity, { reckoner, cited, asked }: Claim): boolean {
  const { text, unit, scale, decimals, readings } = quantity;
  if (reckoner.mayBe(text) !== null || asked.numbers.has(text)) return true;
  if (scale > 1)
    return cited.some(({ quantities }) => stands({ ...quantity, scale: 1 }, quantities, [], false) === "yes");
  const isCount = unit === "" && decimals === 0 && (readings[0] ?? Number.NaN) <= mostCounted;
  return isCount && asked.kind === "number";
}

/** Why a number is not tied to the passages; null where it stands there, or is worked out of what does. */
function looseness(quantity: Quantity, text: string, isBare: boolean, claim: Claim): Loose | null {
  const { rest, asked, where, reckoner, isAble } = claim;
  // A number of the question is its condition ("more than 50"), but a year where the passage tells of
  // another makes it that year's fact.
  const isGiven =
    asked.numbers.has(quantity.text) && !(isYear(quantity.text) && ofAnotherYear(quantity.text, claim));
  const lack = numberLack(quantity, text, approximation.test(rest), claim);
  // “Three” without a unit may count what the passage lists.
  if (lack !== null) {
    if (reckoner.derive(quantity.text) !== null) return null;
    const isDoubt = isGiven || (quantity.word && quantity.unit === "");
    return { reason: lack, isDoubt: isDoubt || (isAble && isLikely(quantity, claim)) };
  }
  return isBare && !isGiven && !claim.isFound && standsLoose(quantity, text, claim)
    ? { reason: asked.notes.judged.loose(quantity.text, where), isDoubt: isAble }
    : null;
}

/** The numbers of a statement that are not tied to the passages it cites, worst first. */
function loose(claim: Claim): readonly Loose[] {
  const { rest, terms, cited } = claim;
  const text = normalize(rest);
  const held = terms.filter((term) => !isNumber(term) && cited.some(({ words }) => words.has(term)));
  // It says little but the number, so that nothing else ties it to what is asked.
  const isBare = held.length < 2;
  return (
    quantitiesIn(text)
      // "one" is as often a pronoun.
      .filter(({ word, readings, scale }) => !(word && readings[0] === 1 && scale === 1))
      .flatMap((quantity) => looseness(quantity, text, isBare, claim) ?? [])
      .toSorted((left, right) => Number(left.isDoubt) - Number(right.isDoubt))
  );
}

/** Whether a number of a statement is not in the passages it cites. */
export const missingNumber = (claim: Claim): string | null =>
  loose(claim).find(({ isDoubt }) => !isDoubt)?.reason ?? null;

/** What the numbers of a statement leave open; null for nothing. */
export const doubtfulNumber = (claim: Claim): string | null => loose(claim)[0]?.reason ?? null;
