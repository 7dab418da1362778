import type { JsonObject } from "../../core/json.ts";
import type { Rows, TableSchema } from "../../tables/schema.ts";

export type Dialect = "sqlite" | "postgresql";

export interface QueryLimits {
  readonly rows: number;
  readonly timeoutMs: number;
  /** Total size of all cells. */
  readonly bytes: number;
  /** Maximum length of one cell. */
  readonly cellCharacters: number;
}

/** A source that only answers SELECT statements. */
export interface SqlSource extends AsyncDisposable {
  readonly dialect: Dialect;
  /** Its name in citations, e.g. `plant.sqlite`. */
  readonly name: string;
  /** The tables that may be queried; `skip` is called for each that cannot be read. */
  schema(signal: AbortSignal, skip: (table: string, reason: string) => void): Promise<readonly TableSchema[]>;
  /** The text must have passed the guard. @throws TOOL_TIMEOUT, TOOL_FAILED */
  query(sql: string, limits: QueryLimits, signal: AbortSignal): Promise<Rows>;
  /** The source of a result's rows: file, and cells or table; `sql` has passed the guard. */
  provenance(
    sql: string,
    tables: readonly string[],
    limits: QueryLimits,
    signal: AbortSignal,
  ): Promise<readonly Provenance[]>;
}

export interface Provenance {
  readonly source: string;
  /** e.g. `Pumps!A2:D9`, or the SQL for a database. */
  readonly section: string;
  readonly details: JsonObject;
}
