import type { JsonObject } from "../../core/json.ts";

export type Cell = string | number | null;

export interface Column {
  /** As SQL names it. */
  readonly name: string;
  /** As its document or its owner names it, unit included; equals `name` where there is no other. */
  readonly title: string;
  readonly type: "integer" | "real" | "text" | "date" | "other";
  /** Unit of the numbers, e.g. `PSI`, `%`, `USD`; "" for none. */
  readonly unit: string;
  /** Distinct texts that occur, up to a bound, for finding values that a question names. */
  readonly values: readonly string[];
}

export interface TableSchema {
  readonly name: string;
  /** e.g. `equipment_data.xlsx › Pumps`. */
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  /** First rows, at most three. */
  readonly samples: readonly (readonly Cell[])[];
}

export type Dialect = "sqlite" | "postgresql";

export interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Rows there were beside those above. */
  readonly omitted: number;
  /** False when counting stopped early: there are at least `omitted` more. */
  readonly omittedIsExact: boolean;
  /** Cells cut to the size limit. */
  readonly cellsCut: number;
}

export interface QueryLimits {
  readonly rows: number;
  readonly timeoutMs: number;
  /** Size of all cells together. */
  readonly bytes: number;
  /** Characters of one cell. */
  readonly cellCharacters: number;
}

/** Something that answers SELECT statements and nothing else. */
export interface SqlSource extends AsyncDisposable {
  readonly dialect: Dialect;
  /** What a citation names, e.g. `plant.sqlite`. */
  readonly name: string;
  /** The tables that may be asked; `skip` is told of each that cannot be read. */
  schema(signal: AbortSignal, skip: (table: string, reason: string) => void): Promise<readonly TableSchema[]>;
  /** The text has passed the guard. @throws TOOL_TIMEOUT, TOOL_FAILED */
  query(sql: string, limits: QueryLimits, signal: AbortSignal): Promise<Rows>;
  /** Where the rows of a result came from: file, and cells or table; `sql` has passed the guard. */
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

/** Three texts a prompt or a message shows of a column type. */
export const numeric = (column: Pick<Column, "type">): boolean =>
  column.type === "integer" || column.type === "real";
