import { datesIn } from "../language/time/dates.ts";

/** A cell as a date, with the time where it has one. */
interface Moment {
  readonly date: string;
  /** `HH:MM:SS`; "" for none. */
  readonly time: string;
}

/** The time at the end of a cell. A zone is not kept: a column has one, or is text. */
const clock =
  /(?:^|[T\s])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:\s?([ap])\.?m\.?)?(?:\s?(Z|UTC|[+-]\d{2}:?\d{2}))?$/i;

/** A time of day as `HH:MM:SS`; null if there is no such time. */
function timeOf([, hours = "", minutes = "", seconds = "00", half]: readonly string[]): string | null {
  const given = Number(hours);
  if (half !== undefined && (given < 1 || given > 12)) return null;
  const hour = half === undefined ? given : (given % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return [String(hour).padStart(2, "0"), minutes, seconds].join(":");
}

/** A year of two digits: 69 and 1970 are the same turn of the century that POSIX takes. */
const fullYear = (year: string): string =>
  year.length === 2 ? String(Number(year) + (Number(year) < 69 ? 2000 : 1900)) : year;

/** Year, month and day of a text; the column decides the order of `03/04/2024`. */
function dateParts(text: string, dayFirst: boolean): readonly string[] {
  const [, first = "", second = "", third = ""] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? [];
  if (first !== "") return [first, second, third];
  const [, one = "", two = "", year = ""] =
    /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text) ?? /^(\d{2})[/.](\d{2})[/.](\d{2})$/.exec(text) ?? [];
  if (one !== "") return dayFirst ? [fullYear(year), two, one] : [fullYear(year), one, two];
  if (!/\d{4}/.test(text)) return [];
  const { dates, rest } = datesIn(text.replace(/^(\d{1,2})-([A-Za-z]+)-(\d{4})$/, "$1 $2 $3"));
  const [[named] = []] = dates;
  if (dates.length !== 1 || rest.trim() !== "" || named === undefined) return [];
  return named.year === null || named.day === null ? [] : [named.year, named.month, named.day].map(String);
}

/** Longest text that may be a date. */
const longest = 40;

/** A cell as a date; null if it is none. */
function momentOf(text: string, dayFirst: boolean): Moment | null {
  if (text.length > longest || !/\d/.test(text)) return null;
  const found = clock.exec(text);
  const time = found === null ? "" : timeOf(found);
  if (time === null || found?.index === 0) return null;
  const [year = "", month = "", day = ""] = dateParts(
    text.slice(0, found?.index).replace(/,\s?$/, "").trim(),
    dayFirst,
  );
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const parsed = new Date(`${date}T00:00:00Z`);
  const exists = !Number.isNaN(parsed.getTime()) && parsed.toISOString().slice(0, 10) === date;
  return exists ? { date, time } : null;
}

/** Whether a text is a date in some order of day and month. */
export const isDate = (text: string): boolean =>
  [true, false].some((order) => momentOf(text, order) !== null);

/** Reads the dates of a column to ISO. */
export interface DateReader {
  readonly read: (text: string) => string | null;
  readonly hasTime: boolean;
}

/** Reader for a column's dates; null unless all cells are dates in an order of day and month that is clear. */
export function datesOf(filled: readonly string[]): DateReader | null {
  if (!isDate(filled[0] ?? "")) return null;
  const zones = new Set(filled.map((text) => clock.exec(text)?.[5] ?? ""));
  if (zones.size > 1) return null;
  const known = [true, false].map((dayFirst) => {
    const moments = new Map<string, Moment>();
    for (const text of new Set(filled)) {
      const moment = momentOf(text, dayFirst);
      if (moment === null) return null;
      moments.set(text, moment);
    }
    return moments;
  });
  const [one, other] = known.filter((moments) => moments !== null);
  if (one === undefined) return null;
  if (other !== undefined && [...one].some(([text, { date }]) => other.get(text)?.date !== date)) return null;
  const times = [...one.values()].flatMap(({ time }) => (time === "" ? [] : [time]));
  const digits = times.some((time) => !time.endsWith(":00")) ? 8 : 5;
  return {
    hasTime: times.length > 0,
    read(text) {
      const moment = one.get(text);
      if (moment === undefined) return null;
      return moment.time === "" ? moment.date : `${moment.date} ${moment.time.slice(0, digits)}`;
    },
  };
}

/** Times of day of a column with two digits an hour, so that they sort; null unless all cells are times. */
export function timesOf(filled: readonly string[]): ReadonlyMap<string, string> | null {
  const times = new Map<string, string>();
  for (const text of new Set(filled)) {
    const found = clock.exec(text);
    const time = found?.index === 0 && found[5] === undefined ? timeOf(found) : null;
    if (time === null) return null;
    times.set(text, time);
  }
  const digits = [...times.values()].some((time) => !time.endsWith(":00")) ? 8 : 5;
  return new Map([...times].map(([text, time]) => [text, time.slice(0, digits)]));
}
