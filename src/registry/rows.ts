import { RagctlError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { z } from "../core/schema.ts";

/** A JSON object as a JSON column holds it. */
export type JsonObject = Readonly<Record<string, unknown>>;

const jsonObject = z.record(z.string(), z.unknown());

/** Text of a JSON column as an object; any other JSON value becomes `{}`, which an operator's edit could have left. */
export function objectOf(text: string): JsonObject {
  const parsed = jsonObject.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : {};
}

/** The row that `reference` names by id or name (case does not matter). @throws NOT_FOUND with the nearest name and the known ones */
export function named<T extends { readonly id: string; readonly name: string }>(kind: string, reference: string, rows: readonly T[]): T {
  const wanted = reference.toLowerCase();
  const row = rows.find(({ id, name }) => id === wanted || name.toLowerCase() === wanted);
  if (row !== undefined) return row;
  const names = rows.map(({ name }) => name);
  const near = nearest(reference, names);
  throw new RagctlError("NOT_FOUND", `there is no ${kind} "${reference}"${near === undefined ? "" : `; did you mean "${near}"?`}`, {
    hint: names.length === 0 ? "ragctl agents seed fills the registry" : `there are: ${names.join(", ")}`,
  });
}
