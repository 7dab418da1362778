import type { PostgresAddress } from "./address.ts";

/** Start data of the connection's thread. */
export interface ThreadData {
  readonly address: PostgresAddress;
  readonly limits: Limits;
  /** One number: 0 while an answer is awaited, 1 when it is there. */
  readonly signal: Int32Array;
}

/** All in milliseconds. */
export interface Limits {
  /** How long a writer waits for another. */
  readonly lockMs: number;
  /** How long one statement may take. */
  readonly statementMs: number;
}

/**
 * How a transaction begins. A write excludes every other one of the same registry; a write-behind is
 * confirmed before it is on disk.
 */
export type Mode = "read" | "write" | "write-behind";

export type Value = string | number | bigint | boolean | Uint8Array | null;

export type Request =
  | {
      readonly type: "query";
      readonly text: string;
      /** Prepared under this name once per connection. */
      readonly name: string;
      readonly values: readonly Value[];
      /** Begins a transaction with this statement; absent: within one, or on its own. */
      readonly begin?: Mode;
      /** Whether the statement may be sent again after a lost connection: nothing can have come of it. */
      readonly again: boolean;
    }
  /** Several statements without parameters. */
  | { readonly type: "script"; readonly text: string; readonly begin?: Mode }
  | { readonly type: "commit" }
  /** Ends a transaction without keeping anything; not answered. */
  | { readonly type: "rollback" }
  | { readonly type: "close" };

/** An error of PostgreSQL, of the network, or of the thread. */
export interface Failure {
  /** SQLSTATE, a code of Node such as ECONNREFUSED, or "". */
  readonly code: string;
  readonly message: string;
  /** Whether the connection was lost inside a transaction. */
  readonly within: boolean;
}

export type Reply =
  | { readonly type: "done"; readonly rows: readonly unknown[]; readonly changes: number }
  | { readonly type: "failed"; readonly failure: Failure };
