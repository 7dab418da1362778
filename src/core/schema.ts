import { z } from "zod";

type Issue = Parameters<NonNullable<NonNullable<Parameters<typeof z.config>[0]>["customError"]>>[0];

/** Kinds of values as people call them. */
const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
  null: "nothing",
};

/** Value that came, by its kind. */
function kindOf(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  return kinds[typeof value] ?? typeof value;
}

/** The names of what is measured by a minimum or maximum; numbers have none. */
const units: Readonly<Record<string, string>> = {
  string: " characters",
  array: " entries",
  set: " entries",
  map: " entries",
};

/**
 * What is wrong with a value, to follow its place: `model: is missing`. Undefined leaves the library's own words.
 * Every schema of ragctl speaks through it; a message that a schema states itself comes first.
 */
function reason(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "int" && typeof issue.input === "number") return "must be a whole number";
      return issue.input === undefined
        ? "is missing"
        : `must be ${kinds[issue.expected] ?? issue.expected}, not ${kindOf(issue.input)}`;
    case "invalid_value": {
      const values = issue.values.map((value) => JSON.stringify(value) ?? String(value));
      const wanted = values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
      return issue.input === undefined ? `is missing; it ${wanted}` : wanted;
    }
    case "unrecognized_keys":
      return `has no ${issue.keys.length === 1 ? "field" : "fields"} ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
    case "too_small":
      if (issue.origin === "string" && issue.minimum === 1) return "must not be empty";
      return `must ${issue.inclusive === false ? "be more than" : "be at least"} ${issue.minimum}${units[issue.origin] ?? ""}`;
    case "too_big":
      return `must ${issue.inclusive === false ? "be less than" : "be at most"} ${issue.maximum}${units[issue.origin] ?? ""}`;
    case "invalid_union":
      return issue.input === undefined ? "is missing" : "has none of the forms it may have";
    default:
      return undefined;
  }
}

z.config({ customError: reason });

/** Door to the schema library: everything that checks data from outside imports it from here. */
export { z };
