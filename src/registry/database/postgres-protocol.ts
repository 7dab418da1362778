import type { PostgresAddress } from "./address.ts";

/** Start data of the connection's thread. */
export interface WorkerData {
  readonly address: PostgresAddress;
  readonly limits: WorkerLimits;
  /** One number: 0 while an answer is awaited, 1 when it is there. */
  readonly signal: Int32Array;
}

/** All in milliseconds. */
export interface WorkerLimits {
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

export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** A statement with its parameters. */
export interface Query {
  readonly text: string;
  /** Prepared under this name once per connection. */
  readonly name: string;
  readonly values: readonly SqlValue[];
}

export type Request =
  | (Query & {
      readonly type: "query";
      /** Begins a transaction with this statement; absent: within one, or on its own. */
      readonly begin?: Mode;
      /** Whether the statement may be sent again after a lost connection: nothing can have come of it. */
      readonly again: boolean;
    })
  /** Statements of a transaction in one message, with its end where they are the last. */
  | {
      readonly type: "batch";
      readonly queries: readonly Query[];
      readonly begin?: Mode;
      readonly commit: boolean;
    }
  /** Several statements without parameters. */
  | { readonly type: "script"; readonly text: string; readonly begin?: Mode }
  /** Ends a transaction without keeping anything; not answered. */
  | { readonly type: "rollback" }
  | { readonly type: "close" };

/** An error of PostgreSQL, of the network, or of the thread. */
export interface WorkerFailure {
  /** SQLSTATE, a code of Node such as ECONNREFUSED, or "". */
  readonly code: string;
  readonly message: string;
  /** Whether the connection was lost inside a transaction. */
  readonly within: boolean;
}

/** The last change of a table: the id of the transaction that made it. */
export interface WorkerChange {
  readonly name: string;
  readonly changed_by: string;
}

/** The last changes of the tables that are watched, as a connection sees them. */
export interface Changes {
  /** Which connection since the thread began. */
  readonly connection: number;
  readonly tables: readonly WorkerChange[];
}

export type WorkerReply =
  | {
      readonly type: "done";
      readonly rows: readonly unknown[];
      /** Of each statement, in order. */
      readonly changes: readonly number[];
      readonly connection: number;
      /** Of the state that a transaction reads which began with this request. */
      readonly seen?: readonly WorkerChange[];
    }
  | { readonly type: "failed"; readonly failure: WorkerFailure };

/** A request that no thread is blocked for. */
export interface Later {
  readonly number: number;
  readonly request: Extract<Request, { type: "query" | "batch" }>;
}

export interface LaterReply {
  readonly number: number;
  readonly reply: WorkerReply;
}

export const changesSql = "SELECT name, changed_by::text AS changed_by FROM ragctl_changes";
