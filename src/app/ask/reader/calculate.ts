import { findingChunk } from "../../../core/answers/tool.ts";
import { z } from "../../../core/schema.ts";
import { addTo, type CalendarUnit, dayOf, daysBetween, isoDay } from "../../../language/time/calendar.ts";
import { datesIn } from "../../../language/time/dates.ts";
import { type ReaderTool, readerTool } from "../../../pipeline/answer/steps/tool.ts";
import { evaluate } from "../../../tools/calculator/evaluate.ts";
import { grouped, plainNumbers } from "../../../tools/calculator/numbers.ts";

const input = z.strictObject({
  expression: z
    .string()
    .min(1)
    .max(500)
    .describe(
      "Arithmetic such as (1478.45 - 1814.70) / 1814.70 * 100, with units if needed: 4 bar to psi; or one step with ISO dates: 2026-08-03 - 6 weeks, 2026-08-03 - 2026-06-22.",
    ),
});

const iso = "(\\d{4}-\\d\\d-\\d\\d)";
/** A date, plus or minus a duration or minus another date. */
const dated = new RegExp(
  `^\\s*${iso}\\s*([+-])\\s*(?:${iso}|(\\d{1,5})\\s*(day|week|month|year)s?)\\s*$`,
  "i",
);
const units: Readonly<Record<string, CalendarUnit>> = { day: "d", week: "wk", month: "mo", year: "y" };

const dayIn = (text: string) => {
  const [date] = datesIn(text).dates[0] ?? [];
  return date === undefined ? null : dayOf(date);
};

/** The result of an expression over dates; null for any other. */
function dateResult(expression: string): string | null {
  const [, first = "", sign, second, amount, unit = ""] = dated.exec(expression) ?? [];
  const from = dayIn(first);
  if (from === null) return null;
  if (second !== undefined) {
    const other = dayIn(second);
    return other === null || sign === "+" ? null : `${daysBetween(other, from)} days`;
  }
  const by = units[unit.toLowerCase()];
  if (by === undefined) return null;
  return isoDay(addTo(from, (sign === "-" ? -1 : 1) * Number(amount), by));
}

/** The value of an expression, and the expression as it was computed. @throws TOOL_INVALID, TOOL_REFUSED */
function computed(expression: string, precision: number) {
  const day = dateResult(expression);
  if (day !== null) return { plain: expression, equals: "=", value: day };
  const plain = plainNumbers(expression) ?? expression;
  const { number, unit, exact } = evaluate(plain, precision);
  const value = `${grouped(number)}${unit === "" ? "" : ` ${unit}`}`;
  return { plain, equals: exact ? "=" : "≈", value };
}

/** Significant digits of a result. */
const precision = 12;

/** The value of an expression; null if it has none. */
export function resultOf(expression: string): string | null {
  try {
    return computed(expression, precision).value;
  } catch {
    return null;
  }
}

/** The tool that calculates exactly. */
export function calculateTool(): ReaderTool {
  let ordinal = 0;
  return readerTool(
    "calculate",
    "Calculate an arithmetic expression exactly.",
    input,
    async ({ expression }) => {
      const { plain, equals, value } = computed(expression, precision);
      const text = `${plain} ${equals} ${value}`;
      const finding = { text, source: "Calculator", section: plain, contentType: "paragraph" } as const;
      const chunk = findingChunk(finding, "calculator", 100 + ordinal++);
      return { decided: `calculating ${text}`, hits: [{ chunk, score: 1, via: "fused" }] };
    },
  );
}
