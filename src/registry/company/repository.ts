import { randomUUID } from "node:crypto";
import type { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { insertRows, nameTakenError, unknownNameError, updateRow } from "../rows.ts";
import {
  type AnyRow,
  codecOf,
  type JsonMembers,
  type RowDefinition,
  type RowOf,
  type Stored,
  type Values,
} from "./row.ts";

/** Members that are texts, by which rows are found. */
type TextsOf<Row> = {
  readonly [Member in keyof Row as Row[Member] extends string ? Member : never]?: Row[Member];
};

/** The rows of one kind. */
export interface RowRepository<Row, Input, Patch, Item = Input> {
  /** In order; those with these texts, whatever their case, where some are given. @throws CONFIG_INVALID for a JSON column that cannot be read */
  list(only?: TextsOf<Row>): Promise<readonly Row[]>;
  /** As a file states them, without ids and times. @throws CONFIG_INVALID */
  items(): Promise<readonly Item[]>;
  /** Of all, also of those that cannot be read. */
  names(): Promise<readonly string[]>;
  /** By id or name; case does not matter. */
  find(reference: string): Promise<Row | undefined>;
  /** As `find`. @throws NOT_FOUND with the nearest name, CONFIG_INVALID */
  get(reference: string): Promise<Row>;
  /** Id of the row of that id or name. @throws NOT_FOUND */
  idOf(reference: string): Promise<string>;
  /** @throws USAGE_INVALID that names the field, or for a name that is taken */
  add(input: Input): Promise<Row>;
  /** Adds a row unless one of its name is there; true when it was added. @throws USAGE_INVALID */
  insertIfAbsent(input: Input): Promise<boolean>;
  /** Adds a row, or gives the one of its name every member. @throws USAGE_INVALID */
  put(input: Input): Promise<void>;
  /** Changes the members that are named. @throws NOT_FOUND, USAGE_INVALID that names the field */
  set(reference: string, patch: Patch): Promise<Row>;
  /** Removes the row with the rules about it. @throws NOT_FOUND */
  remove(reference: string): Promise<undefined>;
}

/** The rows that a definition declares. */
export type Repository<Definition> =
  Definition extends RowDefinition<infer Schema, infer Json, infer Key>
    ? RowRepository<
        RowOf<Schema, Json>,
        z.input<Schema>,
        Partial<Omit<z.input<Schema>, Key>>,
        z.output<Schema>
      >
    : never;

/** The rows of one kind as they lie in their table. Writes are within a `write` of the caller. */
function openTable(database: Database, row: AnyRow, codec: ReturnType<typeof codecOf>) {
  const { table, name: kind, rules } = row;
  const { select, nameSql } = codec;
  const order = row.order ?? `lower(${nameSql})`;
  const names = async (): Promise<readonly string[]> => {
    const rows = database.statement<{ name: string }>(
      `SELECT ${nameSql} AS name FROM ${table} ORDER BY ${order}`,
    );
    return (await rows.all()).map(({ name }) => name);
  };
  const find = (reference: string): Promise<Stored | undefined> =>
    database
      .statement<Stored>(
        `${select} WHERE id = lower(:reference) OR lower(${nameSql}) = lower(:reference) LIMIT 1`,
      )
      .get({ reference: reference.normalize("NFC") });
  return {
    names,
    find,
    all: (only: Values = {}) =>
      database.statement<Stored>(`${select} ${codec.whereSql(only)} ORDER BY ${order}`).all(only),
    async get(reference: string): Promise<Stored> {
      const stored = await find(reference);
      if (stored !== undefined) return stored;
      throw unknownNameError(kind, reference, await names(), row.hint);
    },
    /** Adds a row, with an id and the time, unless its name is there; its id where it was added. */
    async insert(values: Values): Promise<string | undefined> {
      const createdAt = new Date(await database.now()).toISOString();
      const columns = { id: randomUUID(), ...codec.columnsOf(values), created_at: createdAt };
      if ((await insertRows(database, table, [columns], "ON CONFLICT DO NOTHING")) === 0) return undefined;
      await putWords(columns.id, values, row, database);
      return columns.id;
    },
    async update(id: string, values: Values): Promise<void> {
      const columns = codec.columnsOf(values);
      if (Object.keys(columns).length > 0) await updateRow(database, table, id, columns);
      await putWords(id, values, row, database);
    },
    async remove(id: string): Promise<void> {
      if (rules !== undefined) await database.statement(rulesSql(table, kind, rules)).run(id);
      await database.statement(`DELETE FROM ${table} WHERE id = ?`).run(id);
    },
  };
}

/** Creates the rows of one kind in a registry, whose clock says when each was added. */
export function createRowRepository<Schema extends z.ZodObject, Json extends JsonMembers, Key extends string>(
  database: Database,
  row: RowDefinition<Schema, Json, Key>,
): Repository<RowDefinition<Schema, Json, Key>>;
export function createRowRepository(database: Database, row: AnyRow): RowRepository<Values, Values, Values> {
  const codec = codecOf(row);
  const rows = openTable(database, row, codec);
  const idOf = async (reference: string): Promise<string> => String((await rows.get(reference))["id"]);
  const get = async (reference: string): Promise<Values> => codec.valueOf(await rows.get(reference));
  const insert = async (input: Values): Promise<string | undefined> => {
    const values = codec.added(input);
    return database.write(() => rows.insert(values));
  };
  const change = (reference: string, patch: Values): Promise<string> =>
    database.write(async () => {
      const before = await rows.get(reference);
      const id = String(before["id"]);
      await rows.update(id, codec.changed(before, patch));
      return id;
    });
  return {
    names: rows.names,
    async list(only) {
      const all = await rows.all(only);
      return all.map(codec.valueOf);
    },
    async items() {
      const all = await rows.all();
      return all.map(codec.itemOf);
    },
    async find(reference) {
      const stored = await rows.find(reference);
      return stored && codec.valueOf(stored);
    },
    get,
    idOf,
    async add(input) {
      const id = await insert(input);
      if (id !== undefined) return get(id);
      const label = codec.labelOf(input);
      throw nameTakenError(row.name, label, `ragctl ${row.name}s set ${label} …`);
    },
    async insertIfAbsent(input) {
      const id = await insert(input);
      return id !== undefined;
    },
    put: (input) =>
      database.write(async () => {
        const id = await insert(input);
        if (id === undefined) await change(codec.nameOf(input), codec.withoutKey(input));
      }),
    async set(reference, patch) {
      const id = await change(reference, patch);
      return get(id);
    },
    remove: (reference) =>
      database.write(async () => {
        await rows.remove(await idOf(reference));
        return undefined;
      }),
  };
}

/** For an id: the rules that name the row. */
const rulesSql = (table: string, kind: string, place: "subject" | "resource"): string =>
  `DELETE FROM permissions WHERE ${place}_kind = '${kind}' AND lower(${place}) = (SELECT lower(name) FROM ${table} WHERE id = ?)`;

/** Replaces the words of a row that are named. Within a `write` of the caller. */
async function putWords(
  id: string,
  values: Values,
  { words = {} }: AnyRow,
  database: Database,
): Promise<void> {
  for (const [member, { table, owner, word }] of Object.entries(words)) {
    const named = values[member];
    if (!Array.isArray(named)) continue;
    await database.statement(`DELETE FROM ${table} WHERE ${owner} = ?`).run(id);
    const insert = database.statement(`INSERT INTO ${table} (${owner}, ${word}) VALUES (?, ?)`);
    for (const each of named) await insert.run(id, each);
  }
}
