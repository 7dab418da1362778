import { alternatives } from "../languages.ts";
import { englishMonths } from "./dates.ts";

/** Part of a year; `quarter` and `half` if the text does not say which one. */
type Part = "year" | "half" | "quarter" | "h1" | "h2" | "q1" | "q2" | "q3" | "q4";

/** The time span of a figure, as far as a text names it. */
export interface Period {
  /** Years it may be named after, mostly one; none if the text only names a part of a year. */
  readonly years: readonly number[];
  /** Null for a year alone (`in 2023`), which may refer to any part of it. */
  readonly part: Part | null;
  /** As written. */
  readonly text: string;
  /** Index in `periodText`. */
  readonly at: number;
}

/** Text normalised for finding periods; it has the length of its NFKC form. */
export const periodText = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll("’", "'");

/** A text with a sign, of one character, in place of each of some parts, such as its periods. */
export function blanked(text: string, parts: readonly Pick<Period, "at" | "text">[], sign = " "): string {
  const shown = [...text];
  for (const { at, text: part } of parts) shown.fill(sign, at, at + part.length);
  return shown.join("");
}

const fiscal = alternatives(({ periods }) => periods?.fiscal);
const quarters = [0, 1, 2, 3].map((at) => alternatives(({ periods }) => periods?.quarters[at]));
const halves = [0, 1].map((at) => alternatives(({ periods }) => periods?.halves[at]));
const spans = (["year", "half", "quarter"] as const).map((name) => ({
  name,
  words: alternatives(({ periods }) => periods?.spans?.[name]),
}));
const ended = alternatives(({ periods }) => periods?.ended);

const begin = "(?<![\\p{L}\\p{N}])";
const end = "(?![\\p{L}\\p{N}])";
/** `2023`, `'23`, `23` and `2022/23`; the last year is the one it ends in. */
const yearForm = "(?:((?:19|20)\\d\\d)\\s?[/–-]\\s?(\\d{4}|\\d\\d)|((?:19|20)\\d\\d)|'?(\\d\\d))";
const fourDigits = "((?:19|20)\\d\\d)";
/** Words allowed between the part of a year and the year. */
const link = "(?:[\\s,]{1,2}(?:of|in|for|the|des|im|von|du|de|của|năm)){0,3}[\\s,'/-]{0,2}";
const fiscalLink = `(?:(?:${fiscal})[\\s-]{0,2})?(?:(?:year|jahres?)\\s)?`;

const yearOf = ([first, second, alone, short]: readonly (string | undefined)[]): readonly number[] => {
  if (first !== undefined && second !== undefined)
    return [Number(second.length === 2 ? first.slice(0, 2) + second : second)];
  return alone === undefined ? [2000 + Number(short)] : [Number(alone)];
};

/** A period that ends in January or February is mostly in the year before, and may be named after either. */
function endYears(date: string): readonly number[] {
  const year = Number(/(?:19|20)\d\d/.exec(date)?.[0]);
  const early = /\b(?:january|jan|february|feb)\b|^\s?0?[12]\/\d|(?:19|20)\d\d-0[12]-/.test(date);
  return early ? [year, year - 1] : [year];
}

/** Interprets the groups of a match, or the whole match, as a period. */
type Read = (groups: readonly (string | undefined)[], text: string) => Pick<Period, "years" | "part">;

const partForms = [
  ...quarters.map((words, at) => ({ words, part: (["q1", "q2", "q3", "q4"] as const)[at] ?? null })),
  ...halves.map((words, at) => ({ words, part: (["h1", "h2"] as const)[at] ?? null })),
];

/** Ways to write a period, most complete first. Text matched by one is hidden from the next. */
const forms: readonly (readonly [RegExp, Read])[] = [
  ...spans.map(({ name, words }): readonly [RegExp, Read] => [
    new RegExp(
      `${begin}(?:${words}) (?:${ended})(?: on)? ([^.;:|\\n]{0,16}?(?:19|20)\\d\\d(?:-\\d\\d-\\d\\d)?)${end}`,
      "gu",
    ),
    ([date = ""]) => ({ years: endYears(date), part: name }),
  ]),
  ...partForms.flatMap(({ words, part }): readonly (readonly [RegExp, Read])[] => [
    [
      new RegExp(`${begin}(?:${words})${link}${fiscalLink}${yearForm}${end}`, "gu"),
      (groups) => ({ years: yearOf(groups), part }),
    ],
    [
      new RegExp(`${begin}(?:(?:${fiscal})\\s?)?${fourDigits}[\\s'-]{0,2}(?:${words})${end}`, "gu"),
      ([year]) => ({ years: [Number(year)], part }),
    ],
  ]),
  [
    new RegExp(`${begin}(?:${fiscal})[\\s'-]{0,2}${yearForm}${end}`, "gu"),
    (groups) => ({ years: yearOf(groups), part: "year" }),
  ],
  [
    new RegExp(`${begin}${fourDigits}[\\s-](?:${fiscal})${end}`, "gu"),
    ([year]) => ({ years: [Number(year)], part: "year" }),
  ],
  [
    new RegExp(`${begin}(?:${englishMonths})\\.?(?: \\d{1,2},?)? (?:19|20)\\d\\d${end}`, "gu"),
    (_, date) => ({ years: endYears(date), part: null }),
  ],
  ...partForms.map(({ words, part }): readonly [RegExp, Read] => [
    new RegExp(`${begin}(?:${words})${end}`, "gu"),
    () => ({ years: [], part }),
  ]),
  [
    /(?<![\p{L}\p{N}.,]|\p{L}-)((?:19|20)\d\d)(?![\p{L}\p{N}]|[.,]\d)/gu,
    ([year]) => ({ years: [Number(year)], part: null }),
  ],
];

/**
 * Years, fiscal years, halves and quarters of a text, in order and in any notation: `FY23`, `fiscal 2023`,
 * `Q3'23`, `year ended June 30, 2023`, `Geschäftsjahr 2022/23`, `quý 3 năm 2023`.
 */
export function periodsIn(text: string): Period[] {
  let rest = periodText(text);
  const read: Period[] = [];
  for (const [pattern, periodOf] of forms) {
    rest = rest.replace(pattern, (...match: unknown[]) => {
      const at = match.findIndex((part) => typeof part === "number");
      const groups = match.slice(1, at).map((group) => (typeof group === "string" ? group : undefined));
      const written = String(match[0]);
      read.push({ ...periodOf(groups, written), text: written.trim(), at: Number(match[at]) });
      return " ".repeat(written.length);
    });
  }
  return read.sort((left, right) => left.at - right.at);
}

/** Whether two parts of a year may be the same. */
function sameParts(left: Part, right: Part): boolean {
  if (left === right) return true;
  const kind = (part: Part): string => (part === "year" ? part : part[0] === "q" ? "quarter" : "half");
  return kind(left) === kind(right) && [left, right].some((part) => part === "quarter" || part === "half");
}

/**
 * Whether two periods are equal: `same` in any notation, `different` if years or parts differ, `unclear` if
 * one is a year alone and the other a part of it.
 */
export function comparePeriods(left: Period, right: Period): "same" | "different" | "unclear" {
  const isDated = left.years.length > 0 && right.years.length > 0;
  if (isDated && !left.years.some((year) => right.years.includes(year))) return "different";
  const [one, other] = [left.part ?? "year", right.part ?? "year"];
  if (sameParts(one, other)) return "same";
  return left.part === null || right.part === null ? "unclear" : "different";
}

/** Share of the year past when a part of it ends. */
const shareBy = new Map<Part | null, number>([
  ["q1", 0.25],
  ["q2", 0.5],
  ["q3", 0.75],
  ["q4", 1],
  ["h1", 0.5],
  ["h2", 1],
]);

/** The quarters and halves that are identified. */
export const partsOfYears = (periods: readonly Period[]): readonly Period[] =>
  periods.filter(({ part }) => shareBy.has(part));

const latest = new RegExp(`${begin}(?:${alternatives(({ periods }) => periods?.latest)})${end}`, "u");

/** Whether a question is about the newest of several reports. */
export const asksForLatest = (question: string): boolean => latest.test(periodText(question));

/** End of a period, in years: 2023.5 for `Q2 2023`, 2024 for `2023`; undefined if no year is named. */
export const periodEnd = ({ years, part }: Period): number | undefined =>
  years.length === 0 ? undefined : Math.max(...years) + (shareBy.get(part) ?? 1);
