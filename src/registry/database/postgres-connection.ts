import { toRegistryError } from "./postgres-errors.ts";
import type { Mode, Query, Request, WorkerReply } from "./postgres-protocol.ts";
import type { Key, Memory } from "./postgres-query-cache.ts";
import type { Link } from "./postgres-thread.ts";

/** The state of a transaction, which begins with its first statement. */
interface State {
  mode: Mode | undefined;
  begun: boolean;
  /** Statements of a write that wait for the next one whose answer is wanted, or for its end. */
  waiting: Waiting[];
  /** A read that is answered from memory; `missed` where that has not all of it. */
  recall: "no" | "yes" | "missed";
}

/** A statement that was not sent yet; what it changed is set when it is answered. */
interface Waiting {
  readonly query: Query;
  changes: number;
}

type Done = Extract<WorkerReply, { type: "done" }>;

/** Statements that are sent together at most. */
const mostWaiting = 100;

/** Sends statements, those of a transaction together. */
export interface Sending {
  readonly within: () => boolean;
  /** Runs PostgreSQL's own SQL. */
  readonly script: (text: string) => void;
  /**
   * The rows of a statement, which is sent with what begins its transaction and waits in it; with a key, a
   * read is answered from memory where that holds. `again`: it may be sent again after a lost connection.
   */
  readonly rows: (query: Query, again: boolean, key?: Key) => readonly unknown[];
  /** Within a write: adds a statement, which is sent when its changes are asked for, or with what follows. */
  readonly run: (query: Query) => { readonly changes: number };
  readonly transaction: <T>(mode: Mode, work: () => T) => T;
  /** Sends a write-behind as a whole, and does not block. */
  readonly posted: (queries: readonly Query[]) => Promise<void>;
}

/** Rows of an answer. @throws what `failed` makes of an error */
export function rowsOf<Row>(reply: WorkerReply, place: string): readonly Row[] {
  if (reply.type === "failed") throw toRegistryError(reply.failure, place, "statement");
  // The caller declares the columns of its own SQL.
  return reply.rows as readonly Row[];
}

/** Statements within the state of a connection; `flush` sends what waits, with the commit. */
function openStatements(
  state: State,
  link: Link,
  memory: Memory,
  place: string,
): Pick<Sending, "script" | "rows" | "run"> & { readonly flush: (commit: boolean) => void } {
  const remembered = (key: Key | undefined): readonly unknown[] | undefined => {
    const holds = key !== undefined && state.mode === "read" && (state.begun || state.recall !== "no");
    const rows = holds ? memory.get(key) : undefined;
    if (rows !== undefined || state.recall === "no") return rows;
    state.recall = "missed";
    throw new Error("not in memory");
  };
  const sent = (request: Extract<Request, { type: "query" | "script" | "batch" }>): Done => {
    const begin = state.mode !== undefined && !state.begun ? { begin: state.mode } : {};
    state.begun = state.mode !== undefined;
    const reply = link.call({ ...request, ...begin });
    const commits = request.type === "batch" && request.commit;
    if (reply.type === "failed")
      throw toRegistryError(reply.failure, place, commits ? "commit" : "statement");
    if (reply.seen !== undefined) memory.see({ connection: reply.connection, tables: reply.seen });
    return reply;
  };
  /** Sends what waits, and another statement after it. */
  const flush = (commit: boolean, last?: Query): Done => {
    const { waiting } = state;
    state.waiting = [];
    const queries = [...waiting.map(({ query }) => query), ...(last === undefined ? [] : [last])];
    const reply = sent({ type: "batch", queries, commit });
    for (const [index, each] of waiting.entries()) each.changes = reply.changes[index] ?? 0;
    return reply;
  };
  const script = (text: string): void => {
    if (state.waiting.length > 0) flush(false);
    sent({ type: "script", text });
  };
  const rows: Sending["rows"] = (query, again, key) => {
    const known = remembered(key);
    if (known !== undefined) return known;
    const reply = state.waiting.length > 0 ? flush(false, query) : sent({ type: "query", ...query, again });
    if (key !== undefined && state.mode === "read") memory.set(key, reply.rows);
    return reply.rows;
  };
  const run: Sending["run"] = (query) => {
    if (state.recall !== "no") remembered(undefined);
    const own: Waiting = { query, changes: 0 };
    if (state.waiting.push(own) >= mostWaiting || state.mode === "read") flush(false);
    return {
      get changes() {
        if (state.waiting.includes(own)) flush(false);
        return own.changes;
      },
    };
  };
  return { script, rows, run, flush };
}

/** Creates the connection to a server; `isCurrent`: whether a read may be answered from memory. */
export function createConnection(
  link: Link,
  memory: Memory,
  place: string,
  isCurrent: () => boolean,
): Sending {
  const state: State = { mode: undefined, begun: false, waiting: [], recall: "no" };
  const { flush, ...statements } = openStatements(state, link, memory, place);
  /** A part that must not be lost makes all of its transaction so. */
  const part = (mode: Mode): void => {
    if (state.mode !== "write-behind" || mode !== "write") return;
    if (state.begun) statements.script("SET LOCAL synchronous_commit = on");
    state.mode = "write";
  };
  const end = (mode: Mode): void => {
    if (mode === "read" && state.begun) link.tell({ type: "rollback" });
    else if (state.begun || state.waiting.length > 0) flush(true);
  };
  const whole = <T>(mode: Mode, work: () => T): T => {
    state.mode = mode;
    try {
      const result = work();
      end(mode);
      return result;
    } catch (error) {
      if (state.begun) link.tell({ type: "rollback" });
      throw error;
    } finally {
      Object.assign(state, { mode: undefined, begun: false, waiting: [] } satisfies Partial<State>);
    }
  };
  /** What a read returns where all of it is in memory. */
  const recalled = <T>(work: () => T): { readonly value: T } | undefined => {
    state.recall = "yes";
    try {
      const value = whole("read", work);
      return hasMissed() ? undefined : { value };
    } catch (error) {
      if (hasMissed()) return undefined;
      throw error;
    } finally {
      state.recall = "no";
    }
  };
  const hasMissed = (): boolean => state.recall === "missed";
  return {
    within: () => state.mode !== undefined,
    ...statements,
    transaction(mode, work) {
      if (state.mode !== undefined) {
        part(mode);
        return work();
      }
      const known = mode === "read" && isCurrent() ? recalled(work) : undefined;
      return known === undefined ? whole(mode, work) : known.value;
    },
    async posted(queries) {
      rowsOf(await link.later({ type: "batch", queries, begin: "write-behind", commit: true }), place);
    },
  };
}
