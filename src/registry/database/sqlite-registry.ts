import { AsyncLocalStorage } from "node:async_hooks";
import type { Database, PreparedStatement } from "../database.ts";
import type { SqliteFile } from "./sqlite.ts";

/** A transaction while its work runs. */
interface Transaction {
  /** Resolves when it has ended, however. */
  readonly ended: Promise<void>;
}

/**
 * A registry in a file of SQLite. The engine answers at once; what is not of the transaction that is open
 * waits until it has ended, so that no other work of this process gets into it.
 */
export function openSqliteRegistry(file: SqliteFile): Database {
  const transactions = new AsyncLocalStorage<Transaction>();
  let open: Transaction | undefined;
  /** The transaction that another caller has open. Whoever waits for it looks again at once when it ends. */
  const others = (): Transaction | undefined => (open === transactions.getStore() ? undefined : open);
  const statement: Database["statement"] = <Row>(sql: string): PreparedStatement<Row> => {
    const its = file.statement<Row>(sql);
    const inTurn = async <T>(work: () => T): Promise<T> => {
      for (let other = others(); other !== undefined; other = others()) await other.ended;
      return work();
    };
    return {
      get: (...parameters) => inTurn(() => its.get(...parameters)),
      all: (...parameters) => inTurn(() => its.all(...parameters)),
      run: (...parameters) => inTurn(() => its.run(...parameters)),
    };
  };
  const transaction =
    (begin: string) =>
    async <T>(work: () => T | Promise<T>): Promise<T> => {
      for (let other = others(); other !== undefined; other = others()) await other.ended;
      if (open !== undefined) return work();
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const own: Transaction = { ended };
      open = own;
      try {
        file.statement(begin).run();
        try {
          const result = await transactions.run(own, work);
          file.statement("COMMIT").run();
          return result;
        } catch (error) {
          if (file.isInTransaction()) file.statement("ROLLBACK").run();
          throw error;
        }
      } finally {
        open = undefined;
        end();
      }
    };
  const write = transaction("BEGIN IMMEDIATE");
  return {
    kind: "sqlite",
    place: file.path,
    version: () =>
      `SQLite ${file.statement<{ version: string }>("SELECT sqlite_version() AS version").get()?.version ?? ""}`,
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
    close: () => file.close(),
    [Symbol.dispose]: () => file.close(),
  };
}
