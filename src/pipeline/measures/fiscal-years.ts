import type { Chunk } from "../../core/documents/chunk.ts";
import { withoutRows } from "../../core/documents/table-text.ts";

/** Whether a text mentions fiscal years, whose names companies choose. */
export const mentionsFiscalYear = (text: string): boolean =>
  /\b(?:fiscal|financial year|FY\W?\d)/i.test(text);

const winter = String.raw`(?:January|February) \d{1,2},`;
const end = String.raw`\b[Ee]nd(?:ed|ing|s) (?:on )?`;
/**
 * A year's name and its end: `fiscal 2022 … ended January 28, 2023`, `ended January 28, 2023 (“fiscal
 * 2022”)`.
 */
const namesWithEnd = [
  new RegExp(
    String.raw`\bfiscal (?:year )?(?<name>20\d\d)\b[^.;]{0,40}?${end}${winter} (?<end>20\d\d)\b`,
    "gi",
  ),
  new RegExp(
    String.raw`${end}${winter} (?<end>20\d\d)\b[^.;]{0,40}?\bfiscal (?:year )?(?<name>20\d\d)\b`,
    "gi",
  ),
];
/** Days on which periods of a report end. */
const ended = new RegExp(String.raw`${end}(?<month>\p{Lu}\p{Ll}{2,8}) \d{1,2},`, "gu");
const named = /\bfiscal (?:year )?(20\d\d)\b/gi;
const winterYear = new RegExp(String.raw`\b${winter} (20\d\d)\b`, "g");

/** Years from a fiscal year's name to the year it ended in, wherever a text gives both: `[0, 1]`. */
function toldShifts(text: string): readonly number[] {
  return namesWithEnd
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(([whole]) => !/\b(?:compared|from|versus|vs|over|than|prior|previous)\b/i.test(whole))
    .map(({ groups }) => Number(groups?.["end"]) - Number(groups?.["name"]))
    .filter((shift) => shift === 0 || shift === 1);
}

/** The most frequent member; undefined for an empty list. */
function mostFrequent(years: readonly number[]): number | undefined {
  const counts = [...Map.groupBy(years, (year) => year)].map(([year, all]) => [year, all.length] as const);
  return counts.sort(([, one], [, other]) => other - one)[0]?.[0];
}

/**
 * Whether the name two years before the most frequent end year is more frequent than that end year: reports
 * compare a year with the one before.
 */
function isNamedByStart(text: string): boolean {
  const end = mostFrequent(Array.from(text.matchAll(winterYear), ([, year]) => Number(year)));
  const names = Array.from(text.matchAll(named), ([, year]) => Number(year));
  const count = (year: number): number => names.filter((name) => name === year).length;
  return end !== undefined && count(end - 2) > count(end);
}

/**
 * Offset from a fiscal year's name to the year it ends in: 1 if years that end in January or February are
 * named after the year they began in (`fiscal 2022`, ended January 28, 2023), otherwise 0.
 */
export function fiscalYearOffset(chunks: readonly Chunk[]): 0 | 1 {
  const text = chunks.map((chunk) => withoutRows(chunk.text)).join("\n");
  const months = Array.from(text.matchAll(ended), ({ groups }) => groups?.["month"] ?? "");
  const winters = months.filter((month) => /^(?:January|February)$/.test(month)).length;
  if (winters * 2 <= months.length) return 0;
  const shifts = toldShifts(text);
  if (shifts.length === 0) return isNamedByStart(text) ? 1 : 0;
  return shifts.filter((shift) => shift === 1).length * 2 > shifts.length ? 1 : 0;
}
