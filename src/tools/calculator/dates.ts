import { RagctlError } from "../../core/errors.ts";
import {
  addTo,
  type Day,
  daysBetween,
  isCalendarUnit,
  isoDay,
  isValidDate,
} from "../../language/time/calendar.ts";
import { canonicalUnit } from "../../language/units.ts";

const date = String.raw`(?<![\d.-])(\d{4})-(\d{2})-(\d{2})(?![\d.-])`;
const oneDate = new RegExp(date);
/** One date minus another, with or without parentheses of its own. */
const twoDates = new RegExp(`${date} ?- ?${date}`, "g");
/** What is added to a date: `6 weeks`, `2 * 24 days`. */
const duration = /([+-]) ?(?:(\d{1,6}) ?[*×] ?)?(\d{1,6}) ?([a-zA-Z]{1,12})/g;

const invalid = (expression: string, what: string): RagctlError =>
  new RagctlError("TOOL_INVALID", `"${expression.slice(0, 80)}" ${what}`, {
    hint: "write 2021-04-12 - 10 days, 2026-01-15 + 2 * 24 days or (2026-03-01 - 2025-12-24) / 7",
  });

/** @throws TOOL_INVALID for a day that does not exist */
function dayFrom(expression: string, [year, month, day]: readonly (string | undefined)[]): Day {
  const read = { year: Number(year), month: Number(month), day: Number(day) };
  if (!isValidDate(read)) throw invalid(expression, `has no such day: ${isoDay(read)}`);
  return read;
}

const oneSpaced = (expression: string): string => expression.trim().replace(/\s+/g, " ");

/** An expression with the days between two dates in place of their difference. @throws TOOL_INVALID */
export const withDaysBetween = (expression: string): string =>
  oneSpaced(expression).replace(
    twoDates,
    (_, ...parts: string[]) =>
      `(${daysBetween(dayFrom(expression, parts.slice(3, 6)), dayFrom(expression, parts.slice(0, 3)))})`,
  );

/**
 * The day that an expression of a date and durations reaches, as `2026-06-22`; null if it has no date.
 * @throws TOOL_INVALID
 */
export function dateOf(expression: string): string | null {
  const text = oneSpaced(expression);
  const [written = "", ...parts] = oneDate.exec(text) ?? [];
  if (written === "") return null;
  const behind = text.startsWith(written) ? text.slice(written.length) : "?";
  let day = dayFrom(expression, parts);
  const rest = behind.replace(
    duration,
    (whole, sign: string, times: string | undefined, amount: string, name: string) => {
      const unit = canonicalUnit(name.toLowerCase());
      if (!isCalendarUnit(unit)) return whole;
      day = addTo(day, Number(`${sign}1`) * Number(times ?? 1) * Number(amount), unit);
      return "";
    },
  );
  if (rest.trim() !== "") throw invalid(expression, "is no date with days, weeks, months or years");
  return isoDay(day);
}
