import { RagctlError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { didYouMean } from "../core/nearest.ts";
import { listed } from "../core/plural.ts";
import { formatZodIssues, z } from "../core/schema.ts";
import type { Database } from "./database.ts";

/** A row of any table. */
export type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

/** The column of a member: `createdAt` → `created_at`. */
export const columnName = (member: string): string =>
  member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Inserts rows with the same members, each in its column, by one statement; how many were written. `conflict`
 * says what becomes of a row whose key is taken.
 */
export async function insertRows(
  target: Database,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  conflict = "",
): Promise<number> {
  const members = Object.keys(rows[0] ?? {});
  const columns = members.map(columnName).join(", ");
  const values = rows.map(() => `(${members.map(() => "?").join(", ")})`).join(", ");
  const { changes } = await target
    .statement(`INSERT INTO ${table} (${columns}) VALUES ${values} ${conflict}`)
    .run(...rows.flatMap((row) => members.map((member) => row[member])));
  return changes;
}

/** Inserts a row, or changes all of the one with the same `key` but the time when it was created. */
export async function putRow(
  target: Database,
  table: string,
  key: readonly string[],
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  const changed = Object.keys(row).filter((member) => !key.includes(member) && member !== "createdAt");
  const values = changed.map(columnName).map((column) => `${column} = excluded.${column}`);
  const conflict = `ON CONFLICT (${key.map(columnName).join(", ")}) DO UPDATE SET ${values.join(", ")}`;
  await insertRows(target, table, [row], conflict);
}

/** Changes these members of the row with an id. */
export async function updateRow(
  target: Database,
  table: string,
  id: string,
  members: Readonly<Record<string, unknown>>,
): Promise<void> {
  const values = Object.keys(members).map((member) => `${columnName(member)} = :${member}`);
  await target.statement(`UPDATE ${table} SET ${values.join(", ")} WHERE id = :id`).run({ ...members, id });
}

/** SQL for the rows that `:reference` names: by id, or by its beginning of 4 characters or more. */
export const referredClause =
  "(id = :reference OR (length(:reference) >= 4 AND substr(id, 1, length(:reference)) = :reference))";

/** Of the first two rows of `referredClause`, that with the whole id or the only one. @throws NOT_FOUND */
export function onlyReferred<T extends { readonly id: string }>(
  kind: string,
  reference: string,
  rows: readonly T[],
  hint: string,
): T {
  const [row] = rows;
  if (row !== undefined && (rows.length === 1 || row.id === reference)) return row;
  const message =
    row === undefined ? `there is no ${kind} "${reference}"` : `"${reference}" matches several ${kind}s`;
  throw new RagctlError("NOT_FOUND", message, { hint });
}

/** Any object of JSON. */
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.unknown());

/** The location of a JSON column, for the message when it cannot be read. */
export interface JsonPlace {
  readonly table: string;
  /** Display name of the row. */
  readonly row: string;
  readonly column: string;
  /** Command that sets the column again. */
  readonly repair: string;
}

/**
 * Text of a JSON column as what `schema` says. @throws CONFIG_INVALID that names table, row and column, with
 * the command that mends it
 */
export function jsonOf<T>(text: string, schema: z.ZodType<T>, place: JsonPlace): T {
  const fail = (reason: string, cause?: unknown) =>
    new RagctlError(
      "CONFIG_INVALID",
      `table ${place.table}, row "${place.row}": column ${place.column} is not valid: ${reason}`,
      {
        hint: `set it again: ${place.repair}`,
        cause,
      },
    );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw fail("it is not JSON", cause);
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw fail(formatZodIssues(checked.error));
}

/**
 * `value` as `schema` says; `hint` says where that is described.
 * @throws USAGE_INVALID that names `what` and the field
 */
export function parseRow<T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: string,
  hint = "docs/reference/registry.md lists the fields with an example; nothing was changed",
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new RagctlError("USAGE_INVALID", `${what} is not valid: ${formatZodIssues(result.error)}`, { hint });
}

/**
 * The row that `reference` names by id or name (case does not matter). @throws NOT_FOUND with the nearest
 * name and the known ones
 */
export function findByNameOrId<T extends { readonly id: string; readonly name: string }>(
  kind: string,
  reference: string,
  rows: readonly T[],
): T {
  const folded = reference.toLowerCase();
  const row = rows.find(({ id, name }) => id === folded || name.toLowerCase() === folded);
  if (row !== undefined) return row;
  throw unknownNameError(
    kind,
    reference,
    rows.map(({ name }) => name),
  );
}

/** NOT_FOUND with a suggestion; `names` are those visible to the asker. */
export function unknownNameError(
  kind: string,
  reference: string,
  names: readonly string[],
  hint: (names: readonly string[]) => string = available,
): RagctlError {
  return new RagctlError(
    "NOT_FOUND",
    `there is no ${kind} "${sanitizeForMessage(reference)}"${didYouMean(reference, names)}`,
    { hint: hint(names) },
  );
}

const available = (names: readonly string[]): string =>
  names.length === 0 ? "`ragctl agents seed` fills the registry" : `available: ${listed(names, 20)}`;

/** USAGE_INVALID for a name that is taken, as it is shown. */
export function nameTakenError(kind: string, name: string, setCommand: string): RagctlError {
  return new RagctlError(
    "USAGE_INVALID",
    `there is already ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} ${name}`,
    { hint: `change it with: ${setCommand}` },
  );
}

/** Typed text for messages: without terminal control characters, at most 100 characters. */
export function sanitizeForMessage(text: string): string {
  return text.slice(0, 100).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "?");
}
