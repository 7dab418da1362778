import type { Question } from "../question.ts";
import type { Witness } from "./witness.ts";

/** Whether words in a row start with the letters of an acronym. */
export function spellsOut(acronym: string, raw: readonly string[]): boolean {
  return raw.some((_, at) => [...acronym].every((letter, offset) => raw[at + offset]?.[0] === letter));
}

/** Capitals that are a currency or count time, and no measure. */
const noMeasure = /^(?:USD|EUR|GBP|JPY|CHF|CNY|VND|FY|Q[1-4])$/;

/**
 * The measure of a question (`EBITDA`) that a statement with a figure repeats, while nothing it cites has or
 * spells it out; "" for none.
 */
export function missingMeasure(text: string, asked: Question, cited: readonly Witness[]): string {
  if (asked.kind !== "number" || !/\p{N}/u.test(text)) return "";
  const acronyms = text.match(/(?<![\p{L}\p{N}])\p{Lu}{3,6}(?![\p{L}\p{N}'’])/gu) ?? [];
  const isHeld = (acronym: string): boolean =>
    cited.some(
      (witness) =>
        witness.finding ||
        witness.squashed.includes(acronym.toLowerCase()) ||
        spellsOut(
          acronym.toLowerCase(),
          witness.raw.map((word) => word.toLowerCase()),
        ),
    );
  return (
    acronyms.find(
      (acronym) => !noMeasure.test(acronym) && asked.text.includes(acronym) && !isHeld(acronym),
    ) ?? ""
  );
}
