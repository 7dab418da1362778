import { RagctlError } from "../errors.ts";

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** A time limit as typed: `800ms`, `10s`, `1.5m`. */
export const timePattern = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)$/;

/** A setting that holds a time or nothing. */
export const timeSetting = {
  pattern: /^(|\d{1,9}(\.\d{1,3})?(ms|s|m))$/,
  range: "empty, or a time such as 800ms, 10s or 2m",
} as const;

/** The milliseconds of `10s`; `what` names it in the message. @throws USAGE_INVALID */
export function parseDuration(text: string, what: string): number {
  const [, amount, unit = ""] = timePattern.exec(text.trim()) ?? [];
  const value = Number(amount) * (unitMs[unit] ?? Number.NaN);
  if (value > 0) return value;
  throw new RagctlError("USAGE_INVALID", `${what} "${text.slice(0, 40)}" is not a time`, {
    hint: "use a time such as 800ms, 10s or 2m",
  });
}
