import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { asRagctlError } from "../../core/errors.ts";
import type { Database, PreparedStatement } from "../database.ts";
import type { SqliteFile } from "./sqlite.ts";

type Version = { readonly name: string };

/** How often a statement looks whether another connection has given the lock up, ms. */
const pollMs = 10;

/**
 * A registry in a file of SQLite. The engine answers at once; what is not of the transaction that is open
 * waits until it has ended, so that no other work of this process gets into it. Another connection, which
 * may be of this process too, is waited for up to `busyTimeoutMs` without blocking the thread.
 */
export function openSqliteRegistry(file: SqliteFile, busyTimeoutMs: number): Database {
  file.statement("PRAGMA busy_timeout = 0").get();
  const transactions = new AsyncLocalStorage<object>();
  const waiting: (() => void)[] = [];
  let open: object | undefined;
  const wake = (): void => waiting.shift()?.();
  /** Waits while another caller has a transaction open, then runs `work` at once. */
  const inTurn = async <T>(work: () => T): Promise<T> => {
    let isWoken = false;
    for (; open !== undefined && open !== transactions.getStore(); isWoken = true)
      await new Promise<void>((go) => (isWoken ? waiting.unshift(go) : waiting.push(go)));
    try {
      return work();
    } finally {
      if (isWoken && open === undefined) wake();
    }
  };
  const patient = async <T>(work: () => T, until?: number): Promise<T> => {
    try {
      return await inTurn(work);
    } catch (error) {
      until ??= performance.now() + busyTimeoutMs;
      if (asRagctlError(error).code !== "REGISTRY_BUSY" || performance.now() > until) throw error;
    }
    return sleep(pollMs).then(() => patient(work, until));
  };
  const statement: Database["statement"] = <Row>(sql: string): PreparedStatement<Row> => {
    const its = file.statement<Row>(sql);
    return {
      get: (...parameters) => patient(() => its.get(...parameters)),
      all: (...parameters) => patient(() => its.all(...parameters)),
      run: (...parameters) => patient(() => its.run(...parameters)),
    };
  };
  const transaction =
    (begin: string) =>
    async <T>(work: () => T | Promise<T>): Promise<T> => {
      const own = {};
      await patient(() => {
        if (open !== undefined) return;
        file.statement(begin).run();
        open = own;
      });
      if (open !== own) return work();
      try {
        const result = await transactions.run(own, work);
        file.statement("COMMIT").run();
        return result;
      } finally {
        open = undefined;
        wake(); // Whoever waits goes on in a later turn, also where this cannot be rolled back.
        if (file.isInTransaction()) file.statement("ROLLBACK").run();
      }
    };
  const write = transaction("BEGIN IMMEDIATE");
  return {
    kind: "sqlite",
    place: file.path,
    version: () => `SQLite ${file.statement<Version>("SELECT sqlite_version() AS name").get()?.name ?? ""}`,
    now: async () => Date.now(),
    statement,
    read: transaction("BEGIN"),
    write,
    writeBehind: write,
    current: (work) => work(),
    refresh: async () => undefined,
    post: (posted) =>
      write(async () => {
        for (const [sql, ...parameters] of posted) await statement(sql).run(...parameters);
      }),
    check: async () => {
      const lines = await statement<{ quick_check: string }>("PRAGMA quick_check").all();
      return lines.map((row) => row.quick_check).filter((line) => line !== "ok");
    },
    close: async () => file.close(),
    [Symbol.dispose]: () => file.close(),
  };
}
