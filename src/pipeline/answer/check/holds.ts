import { alternatives } from "../../../language/languages.ts";
import { isWithinOneTypo, legalForms } from "../../../language/names.ts";
import { numberOccurrence, type Quantity } from "../../../language/quantities.ts";
import { demonyms } from "../../../language/synonyms.ts";
import { alphanumeric, isStopWord, words } from "../../../language/terms.ts";
import { type CalendarDate, sameDate } from "../../../language/time/dates.ts";
import type { Question } from "../question.ts";
import type { CheckedPassage } from "./evidence.ts";
import { codesWritten, type Value } from "./values.ts";

const approximation = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ approximations }) => approximations)})(?![\\p{L}])`,
  "iu",
);

/** How passages have a number: `unit` if only with another unit. */
function holdsNumber(
  quantity: Quantity,
  statement: string,
  cited: readonly CheckedPassage[],
): "yes" | "unit" | "no" {
  const declared = cited.flatMap((evidence) => evidence.declared);
  const isRounded = approximation.test(statement);
  const all = cited.flatMap(({ quantities }) => quantities);
  const held = numberOccurrence(quantity, all, declared, isRounded);
  if (held === "yes") return held;
  // The heading of a column gives the unit and scale of its numbers once.
  const cells = cited.flatMap(({ figures }) => figures().filter(({ table }) => table !== null));
  const isCell = cells.some(
    (cell) =>
      numberOccurrence(quantity, [cell.quantity], [...declared, ...cell.declared], isRounded) === "yes",
  );
  return isCell ? "yes" : held;
}

/** Whether a year is named by passages or the question. */
const hasYear = (year: number, cited: readonly CheckedPassage[], asked: Question): boolean =>
  asked.years.has(String(year)) ||
  cited.some(({ quantities }) => quantities.some(({ readings }) => readings.includes(year)));

/**
 * Whether passages have a date, in one place or in parts: a day and month here, the year in a heading, or a month's column
 * under a year.
 */
function holdsDate(
  readings: readonly CalendarDate[],
  cited: readonly CheckedPassage[],
  asked: Question,
): boolean {
  return readings.some((reading) => {
    const { year, month, day } = reading;
    const told = [...asked.dates.flat(), ...cited.flatMap(({ dates }) => dates)];
    if (told.some((date) => sameDate(reading, date))) return true;
    return (
      day === null &&
      cited.some(({ months }) => months.has(month)) &&
      (year === null || hasYear(year, cited, asked))
    );
  });
}

/** Whether consecutive words spell out an acronym; small words between them may be skipped. */
function spellsOut(acronym: string, raw: readonly string[]): boolean {
  const spells = (letters: readonly string[], at: number): boolean => {
    const [letter, ...further] = letters;
    const word = raw[at];
    if (letter === undefined) return true;
    if (word === undefined) return false;
    return (word[0] === letter && spells(further, at + 1)) || (isStopWord(word) && spells(letters, at + 1));
  };
  const [first = "", ...rest] = acronym;
  return raw.some((word, at) => word[0] === first && spells(rest, at + 1));
}

/** Shortest part of a name that may be inside a longer word, in letters. */
const leastInside = 4;

/** Whether passages or the question have every part of a name, in any form; legal forms do not count. */
function holdsName(name: string, cited: readonly CheckedPassage[], asked: Question): boolean {
  const parts = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const joined = alphanumeric(name);
  if (joined.length > leastInside && cited.some(({ squashed }) => squashed.includes(joined))) return true;
  const initials = parts.map((part) => part[0]?.toUpperCase()).join("");
  if (parts.length >= 2 && cited.some(({ raw }) => raw.includes(initials))) return true;
  const isKnown = (root: string): boolean =>
    asked.known.has(root) ||
    cited.some(({ words: own }) => own.has(root) || [...own].some((word) => isWithinOneTypo(word, root)));
  return parts.every((part) => {
    const inside = alphanumeric(part);
    return (
      legalForms.test(part) ||
      (inside.length >= leastInside && cited.some(({ squashed }) => squashed.includes(inside))) ||
      [part, ...demonyms(part)].some((form) => words(form).every(isKnown)) ||
      (/^\p{Lu}{2,6}$/u.test(part) && cited.some(({ raw }) => spellsOut(part, raw)))
    );
  });
}

/** Two codes that differ in their last number: `BA-001 to BA-068`. */
const lastNumber = /(?<!\d)\d+$/;

/** Whether passages have a code, or two codes between which it lies. */
function holdsCode(code: string, cited: readonly CheckedPassage[], asked: Question): boolean {
  const wanted = alphanumeric(code);
  if (asked.squashed.includes(wanted) || cited.some(({ squashed }) => squashed.includes(wanted))) return true;
  const [digits = ""] = lastNumber.exec(code) ?? [];
  const stem = digits === "" ? "" : code.slice(0, -digits.length);
  if (stem === "") return false;
  const own = Number(digits);
  return cited.some(({ text }) => {
    const numbers = codesWritten(text)
      .filter((other) => other.startsWith(stem) && /^\d+$/.test(other.slice(stem.length)))
      .map((other) => Number(other.slice(stem.length)));
    return numbers.some((number) => number <= own) && numbers.some((number) => number >= own);
  });
}

/** Whether passages have a value of a statement, or its question does: `unit` if only with another unit. */
export function checkValue(
  value: Value,
  statement: string,
  cited: readonly CheckedPassage[],
  asked: Question,
): "yes" | "unit" | "no" {
  const told = (isHeld: boolean): "yes" | "no" => (isHeld ? "yes" : "no");
  switch (value.kind) {
    case "number":
      return asked.numbers.has(value.text) ? "yes" : holdsNumber(value.quantity, statement, cited);
    case "date":
      return told(holdsDate(value.readings, cited, asked));
    case "name":
      return told(holdsName(value.text, cited, asked));
    case "code":
      return told(holdsCode(value.text, cited, asked));
  }
}
