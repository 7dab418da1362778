import { z } from "zod";
import { plural } from "./plural.ts";

type Issue = Parameters<NonNullable<NonNullable<Parameters<typeof z.config>[0]>["customError"]>>[0];

/** Names of kinds of values in messages. */
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
  if (Number.isNaN(value)) return "text that is not a number";
  return kinds[typeof value] ?? typeof value;
}

/** What minimum and maximum count, by type; numbers have no unit. */
const units: Readonly<Record<string, string>> = {
  string: "character",
  array: "item",
  set: "item",
  map: "item",
};

type IssueOf<Code extends Issue["code"]> = Extract<Issue, { readonly code: Code }>;

function wrongType({ expected, input }: IssueOf<"invalid_type">): string {
  if (input === undefined) return "is missing";
  if (expected === "int" && typeof input === "number") return "must be a whole number";
  return `must be ${kinds[expected] ?? expected}, not ${kindOf(input)}`;
}

function wrongValue({ input, values }: IssueOf<"invalid_value">): string {
  const allowed = values.map((value) => JSON.stringify(value) ?? String(value));
  const wanted = allowed.length === 1 ? `must be ${allowed[0]}` : `must be one of ${allowed.join(", ")}`;
  return input === undefined ? `is missing; it ${wanted}` : wanted;
}

function unknownKeys({ keys }: IssueOf<"unrecognized_keys">): string {
  const names = keys.map((key) => JSON.stringify(key)).join(", ");
  return `has ${keys.length === 1 ? "an unknown field" : "unknown fields"} ${names}`;
}

function sized(origin: string, bound: string, limit: number | bigint): string {
  if (origin === "string" && bound === "at least" && limit === 1) return "must not be empty";
  const unit = units[origin];
  return unit === undefined
    ? `must be ${bound} ${limit}`
    : `must have ${bound} ${plural(Number(limit), unit)}`;
}

/**
 * What is wrong with a value, to follow its path: `model: is missing`. Undefined leaves the library's own
 * words. Every schema of ragctl uses it; a message stated in a schema takes precedence.
 */
function reason(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return wrongType(issue);
    case "invalid_value":
      return wrongValue(issue);
    case "unrecognized_keys":
      return unknownKeys(issue);
    case "too_small":
      return sized(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "too_big":
      return sized(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "invalid_union":
      return issue.input === undefined ? "is missing" : "has none of the allowed forms";
    default:
      return undefined;
  }
}

z.config({ customError: reason });

/**
 * The JSON Schema (draft 2020-12) of the output, or with `input` of the input; without constraints that say
 * nothing. `override` changes the schema of each member.
 */
export function jsonSchema(
  schema: z.ZodType,
  io: "input" | "output" = "output",
  override: z.core.ToJSONSchemaParams["override"] = () => undefined,
): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, {
    io,
    override(each) {
      withoutDefaults(each.jsonSchema);
      override(each);
    },
  });
}

/** Leaves out the bounds of a safe integer, and that names are strings. */
function withoutDefaults(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  delete schema.propertyNames;
}

/** The values of a schema, which nobody changes. */
export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** Door to the schema library: everything that checks data from outside imports it from here. */
export { z };

/** The first three faults of a check, each with the field it is about. */
export function formatZodIssues(error: z.ZodError): string {
  const lines = error.issues
    .slice(0, 3)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  const more = error.issues.length - lines.length;
  return `${lines.join("; ")}${more > 0 ? ` (and ${more} more)` : ""}`;
}
