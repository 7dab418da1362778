import type { Cell, LoadedTable, Rows } from "../../tables/schema.ts";
import type { QueryLimits } from "./source.ts";

/** The data of the process: a read-only file, or tables sent to it, with statements that make views of them. */
export type OpenedTables =
  | { readonly path: string }
  | { readonly tables: readonly LoadedTable[]; readonly views?: readonly string[] };

/** SQLite's description of a table. */
export interface DescribedTable {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly declared: string;
    readonly values: readonly string[];
  }[];
  readonly rowCount: number;
  readonly samples: readonly (readonly Cell[])[];
}

/** The tables of a database, and those that cannot be read. */
export interface Description {
  readonly tables: readonly DescribedTable[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export type SqliteRequest = { readonly id: number; readonly limits: QueryLimits } & (
  | { readonly kind: "open"; readonly data: OpenedTables }
  | { readonly kind: "describe"; readonly tables: readonly string[] }
  | { readonly kind: "query"; readonly sql: string }
);

export type SqliteReply = { readonly id: number } & (
  | { readonly value: Rows | Description | null }
  | { readonly error: { readonly message: string; readonly code: string } }
);
