/** Members whose numbers a tool or a caller gave: they are left as they are. */
const verbatim: ReadonlySet<string> = new Set(["data", "arguments"]);

/**
 * A number without the noise of floating point: times (`_ms`) to 3 decimals, other fractions to 6 significant
 * digits.
 */
export function tidyNumber(name: string, value: number): number {
  if (Number.isInteger(value) || !Number.isFinite(value)) return value;
  return Number(name.endsWith("_ms") ? value.toFixed(3) : value.toPrecision(6));
}

/** A JSON value with its numbers made tidy, except below `data` and `arguments`. */
export function tidy(value: unknown, name = ""): unknown {
  if (typeof value === "number") return tidyNumber(name, value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => tidy(item, name));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, verbatim.has(key) ? member : tidy(member, key)]),
  );
}
