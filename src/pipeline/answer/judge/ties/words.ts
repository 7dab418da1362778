import { legalForms, nearlyEqual } from "../../../../language/names.ts";
import { quantitiesIn, stands } from "../../../../language/quantities.ts";
import { formsOfPeople } from "../../../../language/synonyms.ts";
import { isNumber, isStopWord, normalize, squash, words } from "../../../../language/terms.ts";
import { sameDate } from "../../../../language/time/dates.ts";
import type { Claim } from "../claim.ts";
import type { Witness } from "../witness.ts";

/** Why a date of a statement is unsupported: no cited passage has it. Null otherwise. */
export function missingDate({ asked, dates, cited, where }: Claim): string | null {
  const held = cited.flatMap((witness) => witness.dates);
  const date = dates.find(
    (readings) => !readings.some((reading) => held.some((other) => sameDate(reading, other))),
  );
  return date === undefined ? null : asked.notes.judged.absent(date[0]?.text ?? "", where);
}

/**
 * Whether consecutive words spell out an acronym; small words between them may be skipped: `bill of
 * materials`, `lock-out and tag-out`.
 */
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

/**
 * Parts of a name that neither the witnesses nor the question have; an acronym matches the words it
 * abbreviates and vice versa.
 */
function unknownParts(name: string, witnesses: readonly Witness[], known: ReadonlySet<string>): string[] {
  const parts = name.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const joined = squash(name);
  if (joined.length >= 5 && witnesses.some((witness) => witness.squashed.includes(joined))) return [];
  const initials = parts.map((part) => part[0]?.toUpperCase()).join("");
  if (parts.length >= 2 && witnesses.some((witness) => witness.raw.includes(initials))) return [];
  const isKnown = (root: string): boolean =>
    known.has(root) ||
    witnesses.some((w) => w.words.has(root) || [...w.words].some((word) => nearlyEqual(word, root)));
  return parts.filter((part) => {
    if (legalForms.test(part)) return false;
    if ([part, ...formsOfPeople(part)].some((form) => words(form).every(isKnown))) return false;
    return !(/^\p{Lu}{2,6}$/u.test(part) && witnesses.some((witness) => spellsOut(part, witness.raw)));
  });
}

/** Whether passages join part of a name to the word before or after it: `BestBuy` for `Best Buy`. */
function isGlued(part: string, statement: string, witnesses: readonly Witness[]): boolean {
  const all: readonly string[] = statement.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const at = all.indexOf(part);
  const pairs = [`${all[at - 1] ?? ""}${part}`, `${part}${all[at + 1] ?? ""}`].map(squash);
  return pairs.some(
    (pair) => pair.length >= 5 && witnesses.some(({ raw }) => raw.some((word) => squash(word) === pair)),
  );
}

/** Why a name of a statement is unsupported: part of it is in no passage. Null otherwise. */
export function missingName({ text, names, cited, asked, where }: Claim): string | null {
  const parts = names.flatMap((name) => unknownParts(name, cited, asked.known));
  const unknown = new Set(parts.filter((part) => !isGlued(part, text, cited)));
  return unknown.size === 0 ? null : asked.notes.judged.absent([...unknown].join(", "), where);
}

/**
 * Number words and units of a statement whose numbers the passages write in digits or another language:
 * `eight weeks` for “8 Wochen”.
 */
export function wordsOfNumbers({ text: statement, cited }: Claim): readonly string[] {
  const text = normalize(statement);
  return quantitiesIn(text).flatMap((quantity) => {
    const isHeld = cited.some(
      ({ quantities, declared }) => stands(quantity, quantities, declared, false) === "yes",
    );
    const [, unit = ""] = /^[ -](\p{L}+)/u.exec(text.slice(quantity.at + quantity.text.length)) ?? [];
    return isHeld ? words(`${quantity.text} ${quantity.unit === "" ? "" : unit}`) : [];
  });
}

/**
 * Share of the words an answer adds to its question that the cited passages must have: below the first it is
 * unsupported, below the second partial.
 */
const wordSupport = { unsupported: 0.34, supported: 0.5 } as const;

/**
 * The words that a statement adds and the passages lack, if they support less than `least` of them; null
 * otherwise.
 */
function lacking({ text, terms, names, asked, cited, where, granted }: Claim, least: number): string | null {
  const acronyms = (text.match(/\b\p{Lu}{2,6}\b/gu) ?? []).filter((acronym) =>
    cited.some((witness) => spellsOut(acronym, witness.raw)),
  );
  const recognised = new Set([...words([...names, ...acronyms].join(" ")), ...granted()]);
  const added = terms.filter((term) => !asked.known.has(term));
  // If the statement adds nothing, its numbers are the question's.
  const counted = added.length > 0 ? added : terms.filter((term) => !isNumber(term));
  const isHeld = (term: string): boolean =>
    isNumber(term) ||
    recognised.has(term) ||
    cited.some(
      (w) => w.words.has(term) || (term.length >= 5 && [...w.words].some((word) => nearlyEqual(word, term))),
    );
  const weigh = (of: readonly string[]): number =>
    of.reduce((sum, term) => sum + (isNumber(term) ? 2 : 1), 0);
  const missing = counted.filter((term) => !isHeld(term));
  const share = counted.length === 0 ? 1 : 1 - weigh(missing) / weigh(counted);
  return share < least ? asked.notes.judged.silent(where, missing.slice(0, 5).join(", ")) : null;
}

/** Why a statement is unsupported: the passages have hardly any of the words it adds to its question. */
export const missingWords = (claim: Claim): string | null => lacking(claim, wordSupport.unsupported);

/** Why a statement is doubtful: the passages lack many of the words it adds. */
export const doubtfulWords = (claim: Claim): string | null => lacking(claim, wordSupport.supported);
