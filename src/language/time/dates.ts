import { languages, parseWords } from "../languages.ts";
import { superscriptsToPowers } from "../terms.ts";

/** A date, as complete as the text gives it; `month` 1–12. */
export interface CalendarDate {
  readonly year: number | null;
  readonly month: number;
  readonly day: number | null;
  /** As written. */
  readonly text: string;
}

const months = "january|february|march|april|may|june|july|august|september|october|november|december".split(
  "|",
);
/** English names of months and their short forms, in lower case, as alternatives of a pattern. */
export const englishMonths = `${months.join("|")}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec`;
const month = `(${englishMonths})\\.?`;
const day = "(\\d{1,2})(?:st|nd|rd|th)?";
const year = "(\\d{4})";

type Read = (groups: readonly string[]) => readonly Omit<CalendarDate, "text">[];

/** The number of a month by its English name or first three letters; 0 for none. */
export const monthOf = (name = ""): number =>
  name === "" ? 0 : months.findIndex((known) => known.startsWith(name.slice(0, 3).toLowerCase())) + 1;
/** `January` for 1. */
export const monthName = (number: number): string =>
  (months[number - 1] ?? "").replace(/^./, (letter) => letter.toUpperCase());
const numberOf = (digits = ""): number | null => (digits === "" ? null : Number(digits));

/** Month names in languages other than English → their number. */
const others = new Map(
  languages.flatMap(({ months: named }) =>
    parseWords(named).flatMap((names, at) => names.split("|").map((name) => [name, at + 1] as const)),
  ),
);
const otherMonth = `(${[...others.keys()].join("|")})\\.?`;

/** Places in the patterns of a language. */
const places: Readonly<Record<string, string>> = {
  day: "(\\d{1,2})",
  month: "(\\d{1,2})",
  year,
  name: otherMonth,
};

/** The ways to write a date that languages have of their own. */
const dated = languages.flatMap(({ dates = [] }) =>
  dates.map((form): readonly [RegExp, Read] => {
    const named = Array.from(form.matchAll(/<(\w+)>/g), ([, name]) => name);
    const source = form.replace(/<(\w+)>/g, (place, name: string) => places[name] ?? place);
    const read: Read = (groups) => {
      const at = (name: string): string => groups[named.indexOf(name)] ?? "";
      const month = others.get(at("name")) ?? Number(at("month"));
      return [{ year: numberOf(at("year")), month, day: numberOf(at("day")) }];
    };
    return [new RegExp(source, "gu"), read];
  }),
);

/** Ways to write a date, most complete first; an ambiguous day/month pair is read both ways. */
const forms: readonly (readonly [RegExp, Read])[] = [
  [/\b(\d{4})-(\d{2})-(\d{2})\b/g, ([y, m, d]) => [{ year: Number(y), month: Number(m), day: Number(d) }]],
  [
    /\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\b/g,
    ([a, b, y]) => [
      { year: Number(y), month: Number(b), day: Number(a) },
      { year: Number(y), month: Number(a), day: Number(b) },
    ],
  ],
  ...dated,
  [
    new RegExp(`(?<!\\d)(\\d{1,2})(?:\\.|er)? ?${otherMonth}(?:,? ${year})?(?![\\p{L}\\d])`, "gu"),
    ([d, m, y]) => [{ year: numberOf(y), month: others.get(m ?? "") ?? 0, day: Number(d) }],
  ],
  [
    new RegExp(`(?<!\\p{L})${otherMonth} ${year}(?!\\d)`, "gu"),
    ([m, y]) => [{ year: Number(y), month: others.get(m ?? "") ?? 0, day: null }],
  ],
  [
    new RegExp(`\\b${day} (?:of )?${month}(?:,? ${year})?\\b`, "g"),
    ([d, m, y]) => [{ year: numberOf(y), month: monthOf(m), day: Number(d) }],
  ],
  [
    new RegExp(`\\b${month} ${day}(?:,? ${year})?(?!\\d)\\b`, "g"),
    ([m, d, y]) => [{ year: numberOf(y), month: monthOf(m), day: Number(d) }],
  ],
  [
    new RegExp(`\\b${month},? ${year}\\b`, "g"),
    ([m, y]) => [{ year: Number(y), month: monthOf(m), day: null }],
  ],
];

/**
 * Every date of a text in common forms, in digits or with month names of any language, and the text without
 * them.
 */
export function datesIn(text: string): {
  readonly dates: readonly (readonly CalendarDate[])[];
  readonly rest: string;
} {
  const dates: (readonly CalendarDate[])[] = [];
  let rest = superscriptsToPowers(text).normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
  for (const [pattern, read] of forms) {
    rest = rest.replace(pattern, (...match: unknown[]) => {
      const groups = match.slice(1, -2).map((group) => (typeof group === "string" ? group : ""));
      const readings = read(groups).filter(
        (date) => date.month >= 1 && date.month <= 12 && (date.day ?? 1) >= 1 && (date.day ?? 1) <= 31,
      );
      if (readings.length === 0) return String(match[0]);
      dates.push(readings.map((reading) => ({ ...reading, text: String(match[0]) })));
      return " ";
    });
  }
  return { dates, rest };
}

const monthNamed = new RegExp(`(?<![\\p{L}])(?:${month}|${otherMonth})(?![\\p{L}])`, "gu");
/** `2026-08`, and the same with a day. */
const monthInDigits = /(?<!\d)(?:19|20)\d\d-(0[1-9]|1[0-2])(?!\d)/g;

/** Every month of a text, 1–12, with or without a day or year, named in any language or in digits. */
export function monthsIn(text: string): ReadonlySet<number> {
  const lower = text.normalize("NFKC").toLowerCase();
  const named = Array.from(lower.matchAll(monthNamed), ([, english, other]) =>
    english === undefined ? (others.get(other ?? "") ?? 0) : monthOf(english),
  );
  const inDigits = Array.from(lower.matchAll(monthInDigits), ([, digits]) => Number(digits));
  const dated = datesIn(text).dates.flatMap((readings) => readings.map((date) => date.month));
  return new Set([...named, ...inDigits, ...dated]);
}

/** Whether a date in one of its readings is among others. */
export const isAmongDates = (readings: readonly CalendarDate[], dates: readonly CalendarDate[]): boolean =>
  readings.some((reading) => dates.some((date) => sameDate(reading, date)));

/** Whether two dates agree: the same month, and the same day and year as far as both give them. */
export function sameDate(left: CalendarDate, right: CalendarDate): boolean {
  const agree = (a: number | null, b: number | null): boolean => a === null || b === null || a === b;
  return left.month === right.month && agree(left.day, right.day) && agree(left.year, right.year);
}
