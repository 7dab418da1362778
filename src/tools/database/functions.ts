import type BetterSqlite3 from "better-sqlite3";

/** Whether a text matches a pattern of LIKE: `%` any characters, `_` one. Goes back to the last `%` only. */
function isLike(pattern: readonly string[], text: readonly string[]): boolean {
  let [at, place, star, resume] = [0, 0, -1, 0];
  while (place < text.length) {
    if (pattern[at] === "%") {
      star = at++;
      resume = place;
    } else if (pattern[at] === text[place] || pattern[at] === "_") {
      at++;
      place++;
    } else if (star >= 0) {
      at = star + 1;
      place = ++resume;
    } else return false;
  }
  return pattern.slice(at).every((sign) => sign === "%");
}

const folded = (value: unknown): readonly string[] => [...String(value).normalize("NFC").toLowerCase()];

/** The middle of numbers, or the mean of the two in the middle; null for none. */
function medianOf(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** Makes comparisons of texts know letters beyond ASCII, and adds `median`. */
export function addFunctions(database: BetterSqlite3.Database): void {
  const given = { deterministic: true } as const;
  const change = (by: (text: string) => string) => (value: unknown) =>
    value === null ? null : by(String(value));
  database.function(
    "lower",
    given,
    change((text) => text.toLowerCase()),
  );
  database.function(
    "upper",
    given,
    change((text) => text.toUpperCase()),
  );
  // SQLite's own, of three arguments, stays for ESCAPE.
  database.function("like", given, (pattern: unknown, text: unknown) =>
    pattern === null || text === null ? null : Number(isLike(folded(pattern), folded(text))),
  );
  database.aggregate("median", {
    ...given,
    start: (): number[] => [],
    step(numbers: number[], value: unknown) {
      if (typeof value === "number" || typeof value === "bigint") numbers.push(Number(value));
    },
    result: medianOf,
  });
}
