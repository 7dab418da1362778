import type { JsonObject } from "../../core/json.ts";

export type Cell = string | number | null;

export interface Column {
  /** Its SQL name. */
  readonly name: string;
  /** Its name in the document or database, including the unit; equals `name` if there is no other. */
  readonly title: string;
  readonly type: "integer" | "real" | "text" | "date" | "other";
  /** Whether its dates have a time; absent for no. */
  readonly hasTime?: true;
  /** Unit of the numbers, e.g. `PSI`, `%`, `USD`; "" for none. */
  readonly unit: string;
  /** Distinct texts, up to a limit, for finding values that a question names. */
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
  /** Number of rows in addition to those above. */
  readonly omitted: number;
  /** False if counting stopped early: there are at least `omitted` more. */
  readonly omittedIsExact: boolean;
  /** Cells cut to the size limit. */
  readonly cellsCut: number;
}

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

/** Three texts a prompt or a message shows of a column type. */
export const numeric = (column: Pick<Column, "type">): boolean =>
  column.type === "integer" || column.type === "real";

/** The rows behind a figure are told only up to this number. */
export const fewRows = 10;
