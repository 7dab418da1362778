import type { DocumentTable } from "../core/documents/document.ts";

/** One sheet or table of an ingested document that the caller may read. */
export interface SheetTable extends DocumentTable {
  readonly documentId: string;
  /** File name as cited, e.g. `equipment_data.xlsx`. */
  readonly sourceName: string;
}

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

/** A table to create in memory. */
export interface LoadedTable {
  readonly name: string;
  readonly columns: readonly Pick<Column, "name" | "type">[];
  /** `id` becomes the row's rowid: its row number in the sheet. */
  readonly rows: readonly { readonly id: number; readonly cells: readonly Cell[] }[];
}

/** Whether a column holds numbers. */
export const isNumeric = (column: Pick<Column, "type">): boolean =>
  column.type === "integer" || column.type === "real";

/** Whether a column has years: integers without a unit, with samples in a plausible range. */
export const isYearColumn = (column: Column, { columns, samples }: TableSchema): boolean =>
  column.type === "integer" &&
  column.unit === "" &&
  samples.length > 0 &&
  samples.every((row) => {
    const cell = row[columns.indexOf(column)];
    return typeof cell === "number" && cell >= 1500 && cell <= 2100;
  });

/** The result of a query. */
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

/** The rows behind a figure are told only up to this number. */
export const fewRows = 10;
