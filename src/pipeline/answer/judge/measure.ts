import { type Code, codeKeysOf, codesIn, namesIn } from "../../../language/names.ts";
import { quantitiesIn, stands } from "../../../language/quantities.ts";
import { longFormOf } from "../../../language/synonyms.ts";
import { isStopWord, normalize, stem, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import { withFirstPages } from "./names.ts";
import { isNegated } from "./polarity.ts";
import type { Witness } from "./witness.ts";

/**
 * Whether words in a row start with the letters of an acronym; small words between them need not count: `bill
 * of materials`, `lock-out and tag-out`.
 */
export function spellsOut(acronym: string, raw: readonly string[]): boolean {
  const [first = "", ...rest] = acronym;
  const spells = (letters: readonly string[], at: number): boolean => {
    const [letter, ...further] = letters;
    const word = raw[at];
    if (letter === undefined) return true;
    if (word === undefined) return false;
    return (word[0] === letter && spells(further, at + 1)) || (isStopWord(word) && spells(letters, at + 1));
  };
  return raw.some((word, at) => word[0] === first && spells(rest, at + 1));
}

/** The acronyms of a text that its question has too. */
const acronymsOf = (text: string, asked: Question): readonly string[] =>
  (text.match(/(?<![\p{L}\p{N}])\p{Lu}{3,6}(?![\p{L}\p{N}'’])/gu) ?? []).filter((acronym) =>
    asked.text.includes(acronym),
  );

/** Whether a word is an acronym, one of several or in a compound: not the `ceo` of `service order`. */
const isWritten = (acronym: string, word: string): boolean =>
  word.includes(acronym) ||
  [acronym, `${acronym}s`].some((form) => form.toLowerCase() === word.toLowerCase());

/** Whether passages have an acronym or spell it out; a tool's finding may leave it out. */
const isHeld = (acronym: string, witnesses: readonly Witness[]): boolean =>
  witnesses.some(
    (witness) =>
      witness.finding ||
      witness.raw.some((word) => isWritten(acronym, word)) ||
      spellsOut(
        acronym.toLowerCase(),
        witness.raw.map((word) => word.toLowerCase()),
      ),
  );

/** Capitals that are a currency or count time, and no measure. */
const noMeasure = /^(?:USD|EUR|GBP|JPY|CHF|CNY|VND|FY|Q[1-4])$/;

/**
 * The measure of a question (`EBITDA`) that a statement with a figure repeats, while nothing it cites has or
 * spells it out; of a total, while no passage does and what is cited has no table, which may be named elsewhere. ""
 * for none.
 */
export function missingMeasure(
  text: string,
  asked: Question,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): string {
  const isTotal = asked.kind === "total";
  if ((asked.kind !== "number" && !isTotal) || !/\p{N}/u.test(text)) return "";
  if (isTotal && cited.some(({ tables }) => tables.length > 0)) return "";
  const witnesses = isTotal ? everywhere : cited;
  return (
    acronymsOf(text, asked).find((acronym) => !noMeasure.test(acronym) && !isHeld(acronym, witnesses)) ?? ""
  );
}

/**
 * An acronym that a statement took from the question and that no passage has, spells out or has the long form
 * of; "" for none. Other names may stand for what a passage calls “it”, and figures are of tables whose name
 * stands on another page, unless the statement names somebody or something beside its question.
 */
export function absentAcronym(text: string, asked: Question, everywhere: readonly Witness[]): string {
  const isFigureAlone = /\p{N}/u.test(text) && namesIn(text).every((name) => asked.text.includes(name));
  if (isFigureAlone) return "";
  const hasLongForm = (acronym: string): boolean => {
    const long = longFormOf(acronym.toLowerCase()).map(stem);
    const held = long.filter((root) => everywhere.some(({ words }) => words.has(root)));
    return held.length * 2 > long.length;
  };
  return (
    acronymsOf(text, asked).find((acronym) => !isHeld(acronym, everywhere) && !hasLongForm(acronym)) ?? ""
  );
}

/** A code of a statement that no passage has, the question's own among them; "" for none. */
export function absentCode(statement: string, everywhere: readonly Witness[]): string {
  const codes = codesIn(statement);
  if (codes.length === 0) return "";
  const known = new Set(everywhere.flatMap(({ heads, text }) => [...codeKeysOf(`${heads}\n${text}`)]));
  return codes.find(({ key }) => !known.has(key))?.text ?? "";
}

/** The letters that a code shares with the others of its series: `hp` of `HP-300`. */
const seriesOf = ({ key }: Code): string => /^\p{L}+/u.exec(key)?.[0] ?? "";

/**
 * A code of a statement, or of its question where it names none, that what is cited has not, while it names another
 * one of its series: the torque of `HP-300` in the manual of the `HP-200`. The first page of its document may have it,
 * unless it denies something of it (`does not cover the HP-300`). "" for none.
 */
export function codeOfSeries(
  statement: string,
  asked: Question,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): string {
  if (cited.some(({ finding }) => finding)) return "";
  const own = codesIn(statement);
  const codes = own.length > 0 ? own : codesIn(asked.text);
  const said = cited.map(({ heads, text }) => `${heads}\n${text}`).join("\n");
  const first = withFirstPages(cited, everywhere).filter((witness) => !cited.includes(witness));
  const affirmed = first.flatMap(({ sentences }) => sentences.filter((sentence) => !isNegated(sentence)));
  const held = codeKeysOf([said, ...affirmed].join("\n"));
  const series = new Set(codesIn(said).map(seriesOf));
  const isForeign = (code: Code): boolean => !held.has(code.key) && series.has(seriesOf(code));
  const foreign = codes.filter(isForeign);
  // Of a question's codes the statement may be about any one.
  const isOther = own.length > 0 || foreign.length === codes.length;
  return isOther ? (foreign[0]?.text ?? "") : "";
}

/**
 * The words by which a statement says numbers that its passages have in digits or in another language, with their
 * units: `eight weeks` over “8 Wochen”.
 */
export function wordsOfNumbers(statement: string, cited: readonly Witness[]): readonly string[] {
  const text = normalize(statement);
  return quantitiesIn(text).flatMap((quantity) => {
    const isHeld = cited.some(
      ({ quantities, declared }) => stands(quantity, quantities, declared, false) === "yes",
    );
    const [, unit = ""] = /^[ -](\p{L}+)/u.exec(text.slice(quantity.at + quantity.text.length)) ?? [];
    return isHeld ? words(`${quantity.text} ${quantity.unit === "" ? "" : unit}`) : [];
  });
}
