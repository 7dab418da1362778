import { sanitize } from "../core/text.ts";

/** Members with numbers from a tool or a caller, which are not rounded. */
const verbatim: ReadonlySet<string> = new Set(["data", "arguments"]);

/**
 * A number without the noise of floating point: times (`_ms`) to 3 decimals, other fractions to 6 significant
 * digits.
 */
export function tidyNumber(name: string, value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  return Number(name.endsWith("_ms") ? value.toFixed(3) : value.toPrecision(6));
}

/**
 * A JSON value as printed on every surface: numbers without floating-point noise, except below `data` and
 * `arguments`, and texts without control characters, unless `text` converts them otherwise.
 */
export const roundForOutput = (value: unknown, text = sanitize): unknown => member(value, text, "", false);

function member(value: unknown, text: typeof sanitize, name: string, isVerbatim: boolean): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") return isVerbatim ? value : tidyNumber(name, value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => member(item, text, name, isVerbatim));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      text(key),
      member(each, text, key, isVerbatim || verbatim.has(key)),
    ]),
  );
}
