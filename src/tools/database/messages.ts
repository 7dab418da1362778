import type { Cell, QueryLimits, Rows } from "./source.ts";

/** A table to be made in memory. */
export interface LoadedTable {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: "integer" | "real" | "text" | "date" | "other";
  }[];
  /** `id` becomes the row's rowid: its row number in the sheet. */
  readonly rows: readonly { readonly id: number; readonly cells: readonly Cell[] }[];
}

/** Where the process takes its data from: a file that is only read, or tables given to it. */
export type Opened = { readonly path: string } | { readonly tables: readonly LoadedTable[] };

/** A table as SQLite describes it. */
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

/** What a database holds, and what of it cannot be read. */
export interface Description {
  readonly tables: readonly DescribedTable[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export type SqliteRequest = { readonly id: number; readonly limits: QueryLimits } & (
  | { readonly kind: "open"; readonly data: Opened }
  | { readonly kind: "describe"; readonly tables: readonly string[] }
  | { readonly kind: "query"; readonly sql: string }
);

export type SqliteReply = { readonly id: number } & (
  | { readonly value: Rows | Description | null }
  | { readonly error: { readonly message: string; readonly code: string } }
);
