import type { Chunk } from "../../core/documents/chunk.ts";
import { withoutEnd } from "../../core/text.ts";
import { sentences } from "../../language/sentences.ts";
import { amountSeriesIn, type Series, yearSeriesIn } from "../../language/time/series.ts";
import { type NumberCell, numberOf } from "../tables/amounts.ts";
import type { YearRow } from "./year-rows.ts";

/** Longest sentence that is read, in characters. */
const longest = 400;

const month =
  "(?:january|february|march|april|may|june|july|august|september|october|november|december)\\s\\d{1,2},?";
const wholeYears =
  "(?:the\\s)?(?:(?:two|three|four|five)\\s)?(?:fiscal\\s|financial\\s|calendar\\s)?years?(?:\\s(?:ended|ending))?";
/** What stands before a series of whole years: `for the years ended December 31,`, `in fiscal`. */
const beforeYears = new RegExp(
  `(?:^|[\\s,])(?:for|in|during|at|as of|on)(?:\\s(?:${wholeYears}))?(?:\\sfiscal)?(?:\\s${month})?\\s?$`,
  "i",
);
/** What may follow the years: nothing, a mark, or what they come to; they are no part of a name. */
const afterYears = /^\s?(?:$|[,.;:]|(?:was|were|is|are|totall?ed|amounted|aggregated|equall?ed|of)\s)/i;
/** What something comes to, before its amounts. */
const beforeAmounts =
  /(?:^|\s)(?:was|were|is|are|totall?ed|totall?ing|amounted to|aggregated|equall?ed|had|recogni[sz]ed|recorded|incurred|reported|of)(?:\s(?:approximately|about))?\s?$/i;
/** What opens an aside on a part of the amounts, up to the years: `which includes … of $2.7 billion`. */
const aside = /,?\s(?:which includes?|including|of which)\s/i;
/** Words that only say that something came to an amount. */
const reporting =
  /(?<!\p{L})(?:was|were|is|are|totall?ed|totall?ing|amounted to|aggregated|equall?ed|we|our|its|^the company|had|have|recogni[sz]ed|recorded|incurred|reported|approximately|about|respectively|remained|as follows|of|in)(?!\p{L})/giu;
/** Sections that are not about the whole of a company as it goes on. */
const apart =
  /discontinued|pro forma|parent|subsidiar|segment|guarantor|predecessor|unconsolidated|joint venture/i;

const scaleOf = (member: string): string =>
  /(thousand|million|billion)\s*$/i.exec(member)?.[1]?.toLowerCase() ?? "";
const currencyOf = (member: string): string => /\p{Sc}/u.exec(member)?.[0] ?? "";

/** What amounts are in. */
interface Unit {
  readonly scale: string;
  readonly isPercent: boolean;
}

/** The unit that all members have, or that the last one has for all; null where it cannot be told. */
function commonUnit(members: readonly string[], cells: readonly NumberCell[]): Unit | null {
  const last = members.at(-1) ?? "";
  const scale = scaleOf(last);
  const isPercent = cells.at(-1)?.isPercent === true;
  const currencies = new Set(members.map(currencyOf).filter((currency) => currency !== ""));
  const isSame = members.every(
    (member, at) => scaleOf(member) === scale && cells[at]?.isPercent === isPercent,
  );
  // `$4.9, $6.4 and $8.8 billion`, but not `$950,000 and $1.1 million`.
  const isShared = cells.every(
    ({ value, digits, isPercent: own }, at) =>
      at === cells.length - 1 ||
      (scaleOf(members[at] ?? "") === "" &&
        !own &&
        Math.abs(value) < 1000 &&
        digits === cells.at(-1)?.digits),
  );
  const isMixed = currencies.size > 1 || (isPercent && currencies.size > 0);
  return (isSame || isShared) && !isMixed ? { scale, isPercent } : null;
}

/** The amounts of a series as cells of a table; null where one is not exactly one number. */
function cellsOf({ members }: Series): { readonly cells: readonly NumberCell[]; readonly unit: Unit } | null {
  if (members.some((member) => /^(?:19|20)\d\d$/.test(member.trim()))) return null;
  const cells = members.flatMap((member) => {
    const plain = member.replace(/\s?percent$/i, "%").replace(/\s?(?:thousand|million|billion)\s*$/i, "");
    return numberOf(plain) ?? [];
  });
  const unit = cells.length === members.length ? commonUnit(members, cells) : null;
  return unit && { cells: cells.map((cell) => ({ ...cell, isPercent: unit.isPercent })), unit };
}

const isOverlapping = (left: Series, right: Series): boolean =>
  left.at < right.at + right.length && right.at < left.at + left.length;

interface Pairs {
  readonly years: Series;
  readonly amounts: Series;
}

/** The years of a sentence and as many amounts; null where it has others beside them, or they are no pairs. */
function pairsOf(text: string): Pairs | null {
  const [years, ...otherYears] = yearSeriesIn(text);
  if (years === undefined || otherYears.length > 0) return null;
  const from = text.search(aside);
  const isAside = ({ at }: Series): boolean => from >= 0 && at > from && at < years.at;
  const [amounts, ...others] = amountSeriesIn(text).filter(
    (one) => !isOverlapping(one, years) && !isAside(one),
  );
  if (amounts === undefined || others.length > 0 || amounts.members.length !== years.members.length)
    return null;
  const isPlaced =
    new Set(years.members).size === years.members.length &&
    beforeYears.test(text.slice(0, years.at)) &&
    afterYears.test(text.slice(years.at + years.length)) &&
    beforeAmounts.test(text.slice(0, amounts.at));
  return isPlaced ? { years, amounts } : null;
}

/** What a sentence says beside its amounts and its years, in one place; "" where it says more. */
function labelOf(text: string, { years, amounts }: Pairs): string {
  const [first, second] = years.at < amounts.at ? [years, amounts] : [amounts, years];
  const part = (from: number, to: number, next: Series | null): string => {
    const said = next === years ? text.slice(from, to).replace(beforeYears, " ") : text.slice(from, to);
    // An aside stands between the amounts and the years.
    const cut = from > 0 && next === years ? said.search(aside) : -1;
    const own = (cut < 0 ? said : said.slice(0, cut)).replace(reporting, (word, at: number, whole: string) =>
      /^(?:of|in)$/i.test(word) && /\p{L}/u.test(whole.slice(0, at)) && /\p{L}/u.test(whole.slice(at + 2))
        ? word
        : " ",
    );
    return withoutEnd(own.replace(/^[\s,.:;]+/, ""), /[\s,.:;]/).replace(/\s+/g, " ");
  };
  const parts = [
    part(0, first.at, first),
    part(first.at + first.length, second.at, second),
    part(second.at + second.length, text.length, null),
  ].filter((each) => each !== "");
  const [label = ""] = parts;
  return parts.length === 1 ? label.replace(/^(?:the|an?|of|in) /i, "") : "";
}

/** How many things a label joins, each of which an amount may be of. */
const joined = (label: string): number => label.split(/,|(?<!\p{L})(?:and|or)(?!\p{L})/iu).length;

/**
 * Whether a sentence may tell each amount of another thing: `A and B were $5 and $3, respectively, in 2021 and
 * 2020`.
 */
function isAmbiguous(text: string, label: string, { years, amounts }: Pairs): boolean {
  if (joined(label) !== amounts.members.length) return false;
  const isOne = /\s(?:was|is)(?:\s(?:approximately|about))?\s?$/i.test(text.slice(0, amounts.at));
  const end = Math.max(years.at, amounts.at);
  return /respectively/i.test(text.slice(0, end)) || (!isOne && !/respectively/i.test(text.slice(end)));
}

function rowOf(sentence: string, chunk: Chunk): YearRow | undefined {
  const text = sentence
    .replace(/\s+/g, " ")
    .replace(/ (?=[,.;])/g, "")
    .trim();
  const pairs = /^[^\p{L}]*\p{Lu}/u.test(text) ? pairsOf(text) : null;
  const read = pairs && cellsOf(pairs.amounts);
  if (read === null || pairs === null) return undefined;
  const label = labelOf(text, pairs);
  if (label === "" || /[\d()]/.test(label)) return undefined;
  if (isAmbiguous(text, label, pairs)) return undefined;
  const isAbout = /(?<!\p{L})(?:approximately|about)(?!\p{L})/iu.test(text.slice(0, pairs.amounts.at));
  const when = text.slice(Math.max(0, pairs.years.at - 40), pairs.years.at);
  return {
    label: `${label.slice(0, 1).toUpperCase()}${label.slice(1)}${isAbout ? " (approximately)" : ""}`,
    around: [...chunk.headings, beforeYears.exec(when)?.[0] ?? ""].join("\n"),
    text: sentence.trim(),
    cells: new Map(
      pairs.years.members.flatMap((each, at) => {
        const cell = read.cells[at];
        return cell === undefined ? [] : [[Number(each), cell] as const];
      }),
    ),
    scale: read.unit.scale,
    isSaid: true,
    chunk,
  };
}

/** Whether a text may have amounts of several years. */
const mayTell = (text: string): boolean => /(?:19|20)\d\d\D{1,8}(?:19|20)\d\d/.test(text);

/** The end of a sentence that may be an abbreviation within one: `U.S.`, `Inc.` */
const abbreviated = /(?:\p{Lu}|(?<!\p{L})(?:[Ii]nc|[Cc]orp|[Ll]td|[Cc]o|[Nn]o|approx|incl|excl))\.$/u;
/** A line that is no running text. */
const isHeading = (line: string): boolean => line.length <= 100 && !/[.;:]\s*$/.test(line);

/** The sentences of a chunk that may tell a row, whole. */
function tellingSentences({ text }: Chunk): readonly string[] {
  // A sentence may run over lines; its beginning must be there.
  const lines = text.replace(/(?<![.:;!?|])\n(?=\p{Ll})/gu, " ").split("\n");
  const end = lines.findIndex((line) => isHeading(line) && apart.test(line));
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .filter((line) => !line.includes(" | ") && mayTell(line))
    .flatMap((line) => {
      const all = sentences(line);
      return all.filter((_, at) => at === 0 || !abbreviated.test(all[at - 1]?.trimEnd() ?? ""));
    })
    .filter((sentence) => sentence.length <= longest && mayTell(sentence));
}

/**
 * Amounts of several years that a sentence tells of one thing, as the rows of a table: `Depreciation was $4.9,
 * $6.4 and $8.8 billion for 2015, 2016 and 2017.` The label is all that it says beside amounts, years and an
 * aside. Sentences are understood in English.
 */
export function saidRows(chunks: readonly Chunk[]): readonly YearRow[] {
  return chunks
    .filter(({ text, headings }) => mayTell(text) && !apart.test(headings.join("\n")))
    .flatMap((chunk) => tellingSentences(chunk).flatMap((sentence) => rowOf(sentence, chunk) ?? []));
}
