import type { CalendarDate } from "./dates.ts";

/** A date with its year, month and day. */
export interface Day {
  readonly year: number;
  /** 1–12. */
  readonly month: number;
  readonly day: number;
}

/** Canonical units of durations that move a date by whole days. */
const calendarUnits = ["d", "wk", "mo", "y"] as const;
export type CalendarUnit = (typeof calendarUnits)[number];

/** Whether a canonical unit is one of them. */
export const isCalendarUnit = (unit: string): unit is CalendarUnit =>
  calendarUnits.some((each) => each === unit);

const millisecondsOfDay = 86_400_000;

const timeOf = ({ year, month, day }: Day): number => Date.UTC(year, month - 1, day);

function dayAt(time: number): Day {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Whether a date exists: not 30 February. */
export const isValidDate = (date: Day): boolean => isoDay(dayAt(timeOf(date))) === isoDay(date);

/** A date as a day; null if its day or year is missing or it does not exist. */
export function dayOf({ year, month, day }: CalendarDate): Day | null {
  if (year === null || day === null) return null;
  const date = { year, month, day };
  return isValidDate(date) ? date : null;
}

/** `2026-08-03`. */
export const isoDay = ({ year, month, day }: Day): string =>
  `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;

/**
 * The day that many days, weeks, months or years later, or earlier for a negative amount. A month later than 31 January is
 * the last day of February.
 */
export function addTo(date: Day, amount: number, unit: CalendarUnit): Day {
  if (unit === "d" || unit === "wk")
    return dayAt(timeOf(date) + amount * (unit === "wk" ? 7 : 1) * millisecondsOfDay);
  const months = date.year * 12 + date.month - 1 + amount * (unit === "y" ? 12 : 1);
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  const last = dayAt(Date.UTC(year, month, 0)).day;
  return { year, month, day: Math.min(date.day, last) };
}

/** Days from one day to another; negative if the other is earlier. */
export const daysBetween = (from: Day, to: Day): number =>
  Math.round((timeOf(to) - timeOf(from)) / millisecondsOfDay);
