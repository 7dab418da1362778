import { alternatives, capitalizesNouns } from "./languages.ts";
import { isStopWord, normalize } from "./terms.ts";

/** Words of a name for the kind of organisation, which do not identify it. */
export const legalForms =
  /^(?:corporation|corp|inc|incorporated|company|co|ltd|llc|plc|gmbh|ag|kg|group|holdings?|university|the|of|and|for)$/i;

/** Capitalised, but no names. */
const calendar =
  /^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)$/;

/** A date format: `YYYY-MM-DD`, `JJJJ-MM-TT`. */
const dateForm = /^(?:[YJA]{2,4}|MM|[DTJ]{2})(?:-(?:[YJA]{2,4}|MM|[DTJ]{2})){2}$/;

/** A numbered place in a document: `Page 5`, `Figure 2`. */
const place = new RegExp(`(?<!\\p{L})(?:${alternatives(({ places }) => places)})(?=\\s?\\(?\\p{N})`, "giu");

/** Whether capitals indicate names in a text: not if most of it is in capitals. */
function hasLowerCase(text: string): boolean {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  return words.length < 3 || words.filter((word) => /\p{Ll}/u.test(word)).length * 3 > words.length;
}

/**
 * Capitalised sequences inside sentences: names of companies, people, places. The first word of a sentence
 * does not count, nor does a single word where every noun is capitalised. `hasCapitalNouns`: for a text too
 * short to tell.
 */
export function namesIn(question: string, hasCapitalNouns = capitalizesNouns(question)): string[] {
  if (!hasLowerCase(question)) return [];
  const names: string[] = [];
  const fewest = hasCapitalNouns ? 2 : 1;
  const pattern =
    /(^|[.?!:"“(]\s*|\s)((?:\p{Lu}[\p{L}\p{M}\p{N}&-]*)(?:\s+\p{Lu}[\p{L}\p{M}\p{N}&-]*)*)('s|’s)?/gu;
  for (const match of question
    .trim()
    .replace(place, (name) => name.toLowerCase())
    .matchAll(pattern)) {
    const starts = match[1] === "" || /[.?!:"“(]/.test(match[1] ?? "");
    const run = (match[2] ?? "").split(/\s+/);
    const kept = (starts ? run.slice(1) : run).filter(
      (word) =>
        !/^(?:FY|Q)?\d+$/.test(normalize(word).replaceAll(" ", "")) &&
        !calendar.test(word) &&
        !dateForm.test(word) &&
        !isStopWord(word),
    );
    const core = kept.filter((word) => !legalForms.test(word));
    const acronym = core.length === 1 && /^[\p{Lu}\p{N}&]+$/u.test(core[0] ?? "");
    // A single acronym is as often a technical term (EBITDA, USD) as a name, unless it has a possessive.
    if (
      core.length > 0 &&
      kept.length >= fewest &&
      (!acronym || match[3] !== undefined || kept.length > core.length)
    )
      names.push(core.join(" "));
  }
  return [...new Set(names)];
}

/** Capitals and digits that form a period or an amount rather than a code. */
const noCode =
  /^(?:(?:FY|CY|F|Q|H)\p{N}{1,4}|[QH]\p{N}(?:19|20)\p{N}{2}|(?:USD|EUR|GBP|JPY|CHF|CNY|VND)\p{N}+)$/u;
const code = /(?<![\p{L}\p{N}])(\p{Lu}{1,5})[-‑–]?(\p{N}{1,8})(?!\p{N})/gu;
const codeAsFound = /(?<![\p{L}\p{N}])(\p{L}{1,5})[-‑–\s_/.]?(\p{N}{1,8})(?!\p{N})/gu;

const codeKey = (letters: string, digits: string): string => `${letters}${digits}`.toLowerCase();

/** Code of a part, fault or model: `E12`, `P-103`. */
export interface Code {
  /** As written. */
  readonly text: string;
  /** Normalised for comparison. */
  readonly key: string;
}

/** The codes of a text, in order. */
export const codesIn = (text: string): readonly Code[] =>
  [...text.normalize("NFKC").matchAll(code)].flatMap(([text, letters = "", digits = ""]) =>
    noCode.test(`${letters}${digits}`) ? [] : [{ text, key: codeKey(letters, digits) }],
  );

/** Anything in a text that may be a spelling of a code, `e 12` or `P_103`, normalised for comparison. */
export const codeKeysOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.normalize("NFKC").matchAll(codeAsFound)].map(([, letters = "", digits = ""]) =>
      codeKey(letters, digits),
    ),
  );

/**
 * Equal except for one typo: a letter wrong, missing, extra, or misplaced. Words under five letters must be
 * equal.
 */
export function isWithinOneTypo(left: string, right: string): boolean {
  if (left === right) return true;
  if (
    left.length >= 5 &&
    left[0] === right[0] &&
    left.length === right.length &&
    [...left].sort().join("") === [...right].sort().join("")
  )
    return true;
  if (Math.min(left.length, right.length) < 5 || Math.abs(left.length - right.length) > 1) return false;
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end))
    end += 1;
  const a = left.slice(start, left.length - end);
  const b = right.slice(start, right.length - end);
  return (
    (a.length <= 1 && b.length <= 1) || (a.length === 2 && b.length === 2 && a[0] === b[1] && a[1] === b[0])
  );
}
