import { z } from "../../core/schema.ts";
import { columnName, jsonOf, parseRow } from "../rows.ts";
import { strictRow, withoutDefaults } from "./definitions.ts";

/** A row of a table by its columns. */
export type Stored = Readonly<Record<string, string | number | null>>;
/** A row by its members. */
export type Values = Readonly<Record<string, unknown>>;

/** A member kept as JSON: what is read of it, and the options of the command `set` that mend it. */
interface JsonMember {
  readonly schema: z.ZodType;
  readonly repair: string;
}

/** A member kept as words in a table of its own: its columns for the row's id and for a word. */
interface WordTable {
  readonly table: string;
  readonly owner: string;
  readonly word: string;
}

export type JsonMembers = Readonly<Record<string, JsonMember>>;

/** One kind of row, declared once: its columns, its checks, its item in a file and its changes follow. */
export interface RowDefinition<Schema extends z.ZodObject, Json extends JsonMembers, Key extends string> {
  /** In messages, e.g. `agent`; with an s, the family of its commands. */
  readonly name: string;
  readonly table: string;
  /** Its members as an operator states them, in the order of a file. Booleans are kept as 0 and 1. */
  readonly schema: Schema;
  /** Members that people call it by, with `/` between them; they never change. */
  readonly key: readonly Key[];
  /** Columns by members, where a column is not the member in snake case. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly json: Json;
  readonly words?: Readonly<Record<string, WordTable>>;
  /** SQL of the order of rows. Default: by name, whatever its case. */
  readonly order?: string;
  /** Where permissions name it; those are removed with it, so that a later one of its name inherits nothing. */
  readonly rules?: "subject" | "resource";
  /** What messages call a new one and a change. Default: the row by its name. */
  readonly what?: { readonly added: string; readonly changed: string };
  /** Hint of the error for a name that no row has. */
  readonly hint?: (names: readonly string[]) => string;
  /**
   * Completes members that are written, each of them checked; `before` reads the row that they change.
   * @throws USAGE_INVALID for members that do not go together
   */
  settled?(next: Partial<z.output<Schema>>, what: string, before?: (member: string) => unknown): Values;
}

/** A row as its repository reads it. */
export type RowOf<Schema extends z.ZodObject, Json> = {
  /** UUID. */
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
} & {
  readonly [Member in keyof z.output<Schema>]: Member extends keyof Json
    ? Json[Member] extends { readonly schema: z.ZodType<infer Value> }
      ? Value
      : never
    : Readonly<z.output<Schema>[Member]>;
};

/** A row as its repository reads it. */
export type RowValue<Definition> =
  Definition extends RowDefinition<infer Schema, infer Json, infer _> ? RowOf<Schema, Json> : never;

/** A kind of row, whichever. */
export type AnyRow = RowDefinition<z.ZodObject, JsonMembers, string>;

/** Declares a kind of row. */
export function defineRow<Schema extends z.ZodObject, Json extends JsonMembers, Key extends string>(
  definition: RowDefinition<Schema, Json, Key>,
): RowDefinition<Schema, Json, Key> {
  return definition;
}

const isFlag = (field: unknown): boolean =>
  field instanceof z.ZodBoolean || (field instanceof z.ZodDefault && isFlag(field.unwrap()));

/** How rows lie in their table, and how they are checked before they do. */
export function codecOf(row: AnyRow) {
  const { name, table, schema, key, columns = {}, json, words = {} } = row;
  const changes = strictRow(withoutDefaults(schema.shape, key)).partial();
  const column = (member: string): string => columns[member] ?? columnName(member);
  const nameOf = (input: Values): string => key.map((member) => String(input[member])).join("/");
  const storedName = (stored: Stored): string => key.map((member) => stored[column(member)]).join("/");
  const quoted = (label: string): string => (key.length > 1 ? label : `"${label}"`);
  const read = (stored: Stored, member: string): unknown => {
    const value = stored[column(member)];
    const kept = json[member];
    if (kept !== undefined) {
      const repair = `ragctl ${name}s set ${quoted(storedName(stored))} ${kept.repair}`;
      const place = { table, row: storedName(stored), column: column(member), repair };
      return jsonOf(String(value), kept.schema, place);
    }
    if (member in words) return typeof value === "string" ? value.split(",") : [];
    return isFlag(schema.shape[member]) ? value === 1 : value;
  };
  const itemOf = (stored: Stored): Values =>
    Object.fromEntries(Object.keys(schema.shape).map((member) => [member, read(stored, member)]));
  const settled = (next: Values, what: string, before?: Stored): Values =>
    row.settled?.(next, what, before && ((member) => read(before, member))) ?? next;
  const lists = Object.entries(words).map(
    ([member, { table: list, owner, word }]) =>
      `, (SELECT string_agg(${word}, ',' ORDER BY ${word}) FROM ${list} WHERE ${owner} = ${table}.id) AS ${column(member)}`,
  );
  return {
    select: `SELECT ${table}.*${lists.join("")} FROM ${table}`,
    nameSql: key.map(column).join(" || '/' || "),
    itemOf,
    valueOf: (stored: Stored): Values => ({
      id: stored["id"],
      ...itemOf(stored),
      createdAt: stored["created_at"],
    }),
    /** SQL for rows whose texts are these, whatever their case. */
    whereSql: (texts: Values): string =>
      Object.keys(texts)
        .map(
          (member, index) => `${index === 0 ? "WHERE" : "AND"} lower(${column(member)}) = lower(:${member})`,
        )
        .join(" "),
    /** Members by their columns; what is undefined, or kept elsewhere, has none. */
    columnsOf: (values: Values): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(values)
          .filter(([member, value]) => value !== undefined && !(member in words))
          .map(([member, value]) => {
            const kept = typeof value === "boolean" ? Number(value) : value;
            return [column(member), member in json ? JSON.stringify(value) : kept];
          }),
      ),
    nameOf,
    /** As messages and commands write it. */
    labelOf: (input: Values): string => quoted(nameOf(input)),
    withoutKey: (input: Values): Values =>
      Object.fromEntries(Object.entries(input).filter(([member]) => !key.includes(member))),
    added: (input: Values): Values => {
      const what = row.what?.added ?? `${name} ${quoted(nameOf(input))}`;
      return settled(parseRow(schema, input, what), what);
    },
    changed: (before: Stored, patch: Values): Values => {
      const what = row.what?.changed ?? `${name} ${quoted(storedName(before))}`;
      return settled(parseRow(changes, patch, what), what, before);
    },
  };
}
