import type { JsonObject } from "../core/json.ts";
import { quantitiesIn } from "../language/quantities.ts";
import { normalize } from "../language/terms.ts";
import { plainNumber } from "./calculator/numbers.ts";

/** Origin of a value in a call: the conversation, the schema, retrieved text, or only the model. */
export type Origin = "question" | "schema" | "documents" | "model";

export interface ArgumentOrigin {
  /** e.g. `city` or `items.0`. */
  readonly path: string;
  readonly value: string;
  readonly origin: Origin;
}

export interface ArgumentSources {
  readonly question: string;
  /** Earlier messages of the conversation. */
  readonly history: readonly string[];
  /** Retrieved text, whether or not the model saw it. */
  readonly retrieved: readonly string[];
  readonly parameters: JsonObject;
}

const pieces = (text: string): readonly string[] =>
  (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/\d[\d.,]*\d|\d|[\p{L}\p{M}]+/gu) ?? []
  ).map((piece) => (/^\d/.test(piece) ? (plainNumber(piece) ?? piece) : piece));

/** Values that a schema itself gives: defaults, constants and enumerations, anywhere in it. */
function stated(schema: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== "object" || schema === null) return found;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "default" || key === "const") found.add(JSON.stringify(value));
    else if (key === "enum" && Array.isArray(value))
      for (const item of value) found.add(JSON.stringify(item));
    else stated(value, found);
  }
  return found;
}

function* leaves(
  value: unknown,
  path: string,
): Generator<{ readonly path: string; readonly value: unknown }> {
  if (typeof value === "object" && value !== null) {
    for (const [key, part] of Object.entries(value))
      yield* leaves(part, path === "" ? key : `${path}.${key}`);
  } else yield { path, value };
}

/**
 * The origin of every text and number of a call. A value comes from a text if all of its words and numbers
 * occur there.
 */
export function argumentOrigins(
  given: JsonObject,
  { question, history, retrieved, parameters }: ArgumentSources,
): readonly ArgumentOrigin[] {
  const own = new Set(pieces([question, ...history].join("\n")));
  const foreign = new Set(pieces(retrieved.join("\n")));
  const fixed = stated(parameters);
  const origins: ArgumentOrigin[] = [];
  for (const { path, value } of leaves(given, "")) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const words = pieces(String(value));
    const missing = words.filter((word) => !own.has(word));
    const origin: Origin = fixed.has(JSON.stringify(value))
      ? "schema"
      : missing.length === 0
        ? "question"
        : missing.some((word) => foreign.has(word))
          ? "documents"
          : "model";
    origins.push({ path, value: String(value), origin });
  }
  return origins;
}

/**
 * The arguments with a value that occurs in retrieved text but not in the question, the history or the
 * schema; such a call needs `permissions.arguments_from_documents: true`.
 */
export function findUntrustedArgs(given: JsonObject, sources: ArgumentSources): readonly ArgumentOrigin[] {
  return argumentOrigins(given, sources).filter(({ origin }) => origin === "documents");
}

/**
 * Whether a call computes only with numbers that neither the conversation nor the retrieved text has: the
 * result of an invented calculation would be shown as a finding.
 */
export function hasUnsourcedNumbers(
  given: JsonObject,
  { question, history, retrieved }: Omit<ArgumentSources, "parameters">,
): boolean {
  const valuesOf = (text: string): readonly number[] =>
    quantitiesIn(normalize(text)).flatMap(({ readings, scale }) =>
      readings.map((reading) => reading * scale),
    );
  const said = new Set(valuesOf([question, ...history, ...retrieved].join("\n")));
  const used = [...leaves(given, "")].flatMap(({ value }) => valuesOf(String(value)));
  return used.length > 0 && !used.some((value) => said.has(value));
}
