import type { Chunk } from "../../core/documents/chunk.ts";
import { sentences } from "../../language/sentences.ts";
import { amountSeriesIn, type Series, yearSeriesIn } from "../../language/time/series.ts";
import type { YearCell, YearRow } from "./year-tables.ts";

/** Whether a line may have amounts of several years. */
const hasYears = /(?:19|20)\d\d\D{1,8}(?:19|20)\d\d/;
/** Longest sentence that is read, in characters. */
const longest = 400;

/** What introduces a series of years, up to its end: `for the years ended December 31,`, `as of June 30,`. */
const beforeYears =
  /(?:^|[\s,])(?:for|in|during|at|as of|of|on)(?: (?:each of|the|our|both|two|three|four|five|fiscal|financial|calendar|years?|periods?|ended|ending|end|january|february|march|april|may|june|july|august|september|october|november|december|\d{1,2}),?){0,12}\s?$/i;
/** Times of a sentence that no whole year is: `the three months ended`, `the fourth quarter`. */
const partOfYear =
  /\b(?:months?|quarters?|weeks?|half|interim|cumulative|aggregate of|as adjusted|pro forma)\b/i;
/** What opens an aside on a part of the amounts, up to the years: `which includes … of $2.7 billion`. */
const aside = /,?\s(?:which includes?|including|of which)\s/i;
/** Words that only say that something came to an amount. */
const reporting =
  /\b(?:was|were|is|are|totall?ed|totall?ing|amounted to|aggregated|equall?ed|we|our|its|had|have|recogni[sz]ed|recorded|incurred|reported|approximately|about|respectively|remained|as follows|in the amounts? of)\b/gi;

/** What else is said of the same, behind its amounts. */
const further = /\srespectively,? and (?:is|are|was|were|has|have)\s/i;

/** A text up to where a pattern begins; whole where it does not. */
function upTo(text: string, pattern: RegExp): string {
  const at = text.search(pattern);
  return at < 0 ? text : text.slice(0, at);
}

/** An amount as the cell of a table; undefined where a point may part thousands. */
function cellOf(member: string): YearCell | undefined {
  const [, digits = "", fraction = "", percent] =
    /(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,6}))?\s?(%|percent)?/.exec(member) ?? [];
  if (/^(?:19|20)\d\d$/.test(member.trim())) return undefined;
  const isThousands = fraction.length === 3 && !digits.includes(",") && percent === undefined;
  if (digits === "" || isThousands || /\d\D+\d/.test(member.replace(/(?<=\d)[.,](?=\d)/g, "")))
    return undefined;
  const value = Number(`${digits.replaceAll(",", "")}.${fraction || 0}`);
  return { value, text: member.trim(), digits: fraction.length, isPercent: percent !== undefined };
}

const scaleOf = (member: string): string =>
  /(thousand|million|billion)/i.exec(member)?.[1]?.toLowerCase() ?? "";

/** The scale of amounts that have the same one, or share that of the last; null for others. */
function commonScale(members: readonly string[]): string | null {
  const scales = members.map(scaleOf);
  const last = scales.at(-1) ?? "";
  return scales.every((scale) => scale === last) || scales.slice(0, -1).every((scale) => scale === "")
    ? last
    : null;
}

const isOverlapping = (left: Series, right: Series): boolean =>
  left.at < right.at + right.length && right.at < left.at + left.length;

/** What a sentence says beside its amounts and its years, without what only joins these. */
function labelOf(text: string, amounts: Series, years: Series): string {
  const [first, second] = years.at < amounts.at ? [years, amounts] : [amounts, years];
  const cut = (part: string, next: Series): string =>
    next === years ? upTo(part.replace(beforeYears, " "), aside) : part;
  const label = [
    cut(text.slice(0, first.at), first),
    cut(text.slice(first.at + first.length, second.at), second),
    text.slice(second.at + second.length),
  ]
    .join(" ")
    .replace(reporting, " ")
    .replace(/[\s,.:;$€£]+/g, " ")
    .trim()
    .replace(/^(?:the|an?|of) /i, "")
    .replace(/ of$/i, "");
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`;
}

function rowOf(sentence: string, chunk: Chunk): YearRow | undefined {
  const text = upTo(sentence.replace(/\s+/g, " ").replace(/ (?=[,.;])/g, ""), further);
  const [years, ...otherYears] = yearSeriesIn(text);
  if (years === undefined || otherYears.length > 0 || partOfYear.test(text)) return undefined;
  const from = text.search(aside);
  const isAside = ({ at }: Series): boolean => from >= 0 && at > from && at < years.at;
  const [amounts, ...others] = amountSeriesIn(text).filter(
    (one) => !isOverlapping(one, years) && !isAside(one),
  );
  const named = years.members.map(Number);
  if (amounts === undefined || others.length > 0 || amounts.members.length !== named.length) return undefined;
  const scale = commonScale(amounts.members);
  const cells = amounts.members.map(cellOf);
  const isWhole = new Set(named).size === named.length && beforeYears.test(text.slice(0, years.at));
  if (scale === null || !isWhole) return undefined;
  const known = cells.flatMap((cell, at) => (cell === undefined ? [] : [[named[at] ?? 0, cell] as const]));
  if (known.length < named.length) return undefined;
  const label = labelOf(text, amounts, years);
  if (label === "" || /\d/.test(label)) return undefined;
  const around = [...chunk.headings, text].join("\n");
  return { label, around, text: sentence.trim(), cells: new Map(known), scale, chunk };
}

/**
 * Amounts of several years that a sentence tells of one thing, as the rows of a table: `Depreciation was $4.9,
 * $6.4 and $8.8 billion for 2015, 2016 and 2017.` The label is all that it says beside amounts and years.
 * Sentences are understood in English.
 */
export function saidRows(chunks: readonly Chunk[]): readonly YearRow[] {
  return chunks.flatMap((chunk) =>
    chunk.text
      .split("\n")
      .filter((line) => !line.includes(" | ") && hasYears.test(line))
      .flatMap((line) => sentences(line))
      .filter((sentence) => sentence.length <= longest && hasYears.test(sentence))
      .flatMap((sentence) => rowOf(sentence, chunk) ?? []),
  );
}
