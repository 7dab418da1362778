import { pagesNamed } from "../../../../language/asking/pages.ts";
import { alternatives, languageOf } from "../../../../language/languages.ts";
import { type Quantity, quantitiesIn, stands } from "../../../../language/quantities.ts";
import { contentTerms, isYear, normalize, words, yearsIn } from "../../../../language/terms.ts";
import { rank } from "../../extract.ts";
import { type Question, shares } from "../../question.ts";
import type { Claim } from "../claim.ts";
import { namesPlace, placePattern, type Witness } from "../witness.ts";

const approximation = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ approximations }) => approximations)})(?![\\p{L}])`,
  "iu",
);

/** A number of so many digits counts no section: it is the number of a file, a case or a part. */
const identifier = /^\d{5,}$/;

/** The number of a case or a file with its year: `21-13199`; a range of amounts so far apart is written otherwise. */
const codePattern = /(?<![\p{L}\p{N}.,-])(\d{1,4})-(\d{5,8})(?![\p{L}\p{N}-]|[.,]\d)/gu;

/**
 * The numbers of a statement that are parts of one code, which stands in a passage as it is and counts nothing that is
 * asked for.
 */
export function partsOfCodes(
  statement: string,
  { counted }: Question,
  cited: readonly Witness[],
): ReadonlySet<string> {
  const codes = counted.length > 0 ? [] : [...statement.matchAll(codePattern)];
  const held = codes.filter(([code]) =>
    cited.some(({ text }) => Array.from(text.matchAll(codePattern), ([other]) => other).includes(code)),
  );
  return new Set(held.flatMap(([, ...parts]) => parts));
}

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

const span = /(?<!\d)((?:19|20)\d\d)[-–]((?:19|20)\d\d)(?!\d)/g;

/** The year, and the other end of the span of years that a question names with it: `the 2020-2024 plan`. */
const withSpan = (year: string, { text }: Question): ReadonlySet<string> =>
  new Set([year, ...[...text.matchAll(span)].flatMap(([, ...ends]) => (ends.includes(year) ? ends : []))]);

/**
 * Whether the sentence that the statement rests on, or else the headings above it, speak of other years than
 * these.
 */
function ofAnotherYear(
  terms: readonly string[],
  witnesses: readonly Witness[],
  own: ReadonlySet<string>,
): boolean {
  const tellsOther = (text: string): boolean => {
    const told = yearsIn(text);
    return told.size > 0 && told.isDisjointFrom(own);
  };
  return witnesses.some(({ sentences, heads }) => {
    const scores = rank(terms, sentences);
    const best = sentences[scores.indexOf(Math.max(...scores))] ?? "";
    return tellsOther(best) || tellsOther(heads);
  });
}

/** Whether some sentence or row has the number beside a word of the question. */
const bound = (
  quantity: Quantity,
  asked: readonly (readonly string[])[],
  witnesses: readonly Witness[],
): boolean =>
  witnesses.some(({ units, declared }) =>
    units.some((unit) => {
      const others = asked.filter(([term]) => term !== quantity.text);
      return shares(others, unit.words) && stands(quantity, unit.quantities, declared, false) !== "no";
    }),
  );

/** What a statement lacks: `lack` makes it unsupported, `doubt` partial; "" for nothing. */
interface Findings {
  readonly lack: string;
  readonly doubt: string;
}

/**
 * Whether a number stands, but with nothing of what is asked; only where all the passages can be read in the
 * question's language.
 */
function standsLoose(quantity: Quantity, text: string, { asked, cited }: Claim): boolean {
  if (asked.alternatives.length === 0 || namesPlace.test(asked.text) || quantity.word) return false;
  if (named(quantity, text, asked, cited) || partsOfCodes(text, asked, cited).has(quantity.text))
    return false;
  const readable = cited.every((witness) => !witness.finding && languageOf(witness.text) === asked.language);
  return readable && !bound(quantity, asked.alternatives, cited);
}

/** What a number lacks that does not stand in the passages as it is written; "" where it does. */
function numberLack(
  quantity: Quantity,
  text: string,
  isRounded: boolean,
  { asked, cited, where }: Claim,
): string {
  const countsPlace = [...text.matchAll(placePattern)].some(
    ({ index, 0: span }) => quantity.at >= index && quantity.at < index + span.length,
  );
  const isPage = countsPlace && pagesNamed(text).includes(Number(quantity.text));
  if (isPage && cited.some(({ pages }) => pages.includes(Number(quantity.text)))) return "";
  const ofPlace = countsPlace || namesPlace.test(asked.text);
  const among = cited.flatMap((witness) => (ofPlace ? witness.places : witness.quantities));
  const declared = cited.flatMap((witness) => witness.declared);
  const held = stands(quantity, among, declared, isRounded);
  if (held === "yes" || (held === "no" && named(quantity, text, asked, cited))) return "";
  return held === "no"
    ? `${quantity.text} does not stand in ${where}`
    : `${quantity.text} stands in ${where} with another unit`;
}

/** “Three” without a unit may count what the passage lists. */
const isLoose = ({ word, unit }: Quantity): boolean => word && unit === "";

/**
 * Holds the numbers of a statement against the passages it cites. `isBare`: it says little but the number, so
 * that nothing else ties it to what is asked.
 */
export function numbersHeld(claim: Claim, isBare: boolean): Findings {
  const { rest, asked, cited, where } = claim;
  const text = normalize(rest);
  const isRounded = approximation.test(rest);
  let doubt = "";
  for (const quantity of quantitiesIn(text)) {
    // "one" is as often a pronoun.
    if (quantity.word && quantity.readings[0] === 1 && quantity.scale === 1) continue;
    // A number of the question is its condition ("more than 50"), but a year where the passage tells of
    // another makes it that year's fact.
    const isGiven =
      asked.numbers.has(quantity.text) &&
      !(isYear(quantity.text) && ofAnotherYear(contentTerms(rest), cited, withSpan(quantity.text, asked)));
    const lack = numberLack(quantity, text, isRounded, claim);
    if (lack === "") {
      if (isBare && !isGiven && standsLoose(quantity, text, claim))
        return { lack: `${quantity.text} stands in ${where}, but with nothing of what is asked`, doubt };
      continue;
    }
    if (!isLoose(quantity) && !isGiven) return { lack, doubt };
    doubt = lack;
  }
  return { lack: "", doubt };
}
