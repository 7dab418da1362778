import { randomUUID } from "node:crypto";
import type { Database } from "../database.ts";
import { unknownNameError } from "../rows.ts";

/** Values of a row by their columns. */
export type Columns = Readonly<Record<string, string | number | null>>;

/** A table whose rows have an `id` (UUID), a `created_at` and a name that people call them by. */
export interface RowKind {
  /** In messages, e.g. `agent`. */
  readonly kind: string;
  readonly table: string;
  /** SQL of a row's name. Default: its column `name`. */
  readonly name?: string;
  /** SQL of the order of rows. Default: by name, whatever its case. */
  readonly order?: string;
  /** SQL of the rows with their columns. Default: the whole table. */
  readonly select?: string;
  /** SQL for the permissions about the row of an id, which are removed with it. */
  readonly rules?: string;
  /** Hint of the error for a name that no row has. */
  readonly hint?: (names: readonly string[]) => string;
}

interface NamedRow {
  readonly id: string;
}

export interface NamedRows<Row extends NamedRow> {
  all(): readonly Row[];
  names(): readonly string[];
  /** By id or name; case does not matter. */
  find(reference: string): Row | undefined;
  /** As `find`. @throws NOT_FOUND with the nearest name */
  get(reference: string): Row;
  /**
   * Adds a row, with an id and the time, unless its key is there; its id, or undefined where nothing was
   * added. Within a `write` of the caller.
   */
  insert(columns: Columns): string | undefined;
  /** Within a `write` of the caller. */
  update(id: string, columns: Columns): void;
  /**
   * Updates a row to what `columnsOf` makes of it, in one transaction. @throws NOT_FOUND, and what
   * `columnsOf` throws
   */
  change(reference: string, columnsOf: (row: Row) => Columns): void;
  /**
   * Removes the row with the rules about it, so that a later one of its name inherits nothing, in one
   * transaction. @throws NOT_FOUND
   */
  remove(reference: string): void;
}

const insertSql = (table: string, columns: readonly string[]): string =>
  `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((column) => `:${column}`).join(", ")})
   ON CONFLICT DO NOTHING`;

/** Creates the rows of one kind. */
export function createNamedRepository<Row extends NamedRow>(
  database: Database,
  kind: RowKind,
  now: () => Date,
): NamedRows<Row> {
  const { table, name = "name", order = `lower(${name})`, select = `SELECT * FROM ${table}` } = kind;
  const names = () =>
    database
      .read(() =>
        database.statement<{ name: string }>(`SELECT ${name} AS name FROM ${table} ORDER BY ${order}`).all(),
      )
      .map((row) => row.name);
  const find = (reference: string): Row | undefined =>
    database.read(() =>
      database
        .statement<Row>(
          `${select} WHERE id = lower(:reference) OR lower(${name}) = lower(:reference) LIMIT 1`,
        )
        .get({ reference: reference.normalize("NFC") }),
    );
  const get = (reference: string): Row => {
    const row = find(reference);
    if (row !== undefined) return row;
    throw unknownNameError(kind.kind, reference, names(), kind.hint);
  };
  const update = (id: string, columns: Columns): void => {
    const settings = Object.keys(columns).map((column) => `${column} = :${column}`);
    database.statement(`UPDATE ${table} SET ${settings.join(", ")} WHERE id = :id`).run({ ...columns, id });
  };
  return {
    names,
    find,
    all: () => database.read(() => database.statement<Row>(`${select} ORDER BY ${order}`).all()),
    get,
    insert(columns) {
      const values = { id: randomUUID(), ...columns, created_at: now().toISOString() };
      const { changes } = database.statement(insertSql(table, Object.keys(values))).run(values);
      return changes > 0 ? values.id : undefined;
    },
    update,
    change(reference, columnsOf) {
      database.write(() => {
        const row = get(reference);
        update(row.id, columnsOf(row));
      });
    },
    remove(reference) {
      database.write(() => {
        const { id } = get(reference);
        if (kind.rules !== undefined)
          database.statement(`DELETE FROM permissions WHERE ${kind.rules}`).run(id);
        database.statement(`DELETE FROM ${table} WHERE id = ?`).run(id);
      });
    },
  };
}
