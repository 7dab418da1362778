import { AsyncLocalStorage } from "node:async_hooks";
import type { Filter, VectorStore } from "../../../src/core/retrieval.ts";
import type { Database } from "../../../src/registry/database.ts";

/** What has been asked for: rows the registry gave, contents a store counted, statements by their text. */
export interface Bill {
  rows: number;
  contents: number;
  /** Transactions that change something, and exclude other writers. */
  writes: number;
  readonly statements: Map<string, Asked>;
}

/** A statement: how often it was asked, and its parameters the last time. */
interface Asked {
  readonly times: number;
  readonly parameters: readonly unknown[];
}

export const emptyBill = (): Bill => ({ rows: 0, contents: 0, writes: 0, statements: new Map() });

/** A registry that notes every statement, and the rows it gives. */
export function billed(registry: Database, bill: Bill): Database {
  const within = new AsyncLocalStorage<true>();
  const counted = async <T>(write: () => Promise<T>): Promise<T> => {
    if (within.getStore() === undefined) bill.writes += 1;
    return within.run(true, write);
  };
  const note = (sql: string, parameters: readonly unknown[]): void => {
    bill.statements.set(sql, { times: (bill.statements.get(sql)?.times ?? 0) + 1, parameters });
  };
  return {
    ...registry,
    write: (work) => counted(() => registry.write(work)),
    writeBehind: (work) => counted(() => registry.writeBehind(work)),
    post(statements) {
      for (const [sql, ...parameters] of statements) note(sql, parameters);
      return counted(() => registry.post(statements));
    },
    statement<Row>(sql: string) {
      const statement = registry.statement<Row>(sql);
      const noted = (parameters: readonly unknown[]): readonly unknown[] => {
        note(sql, parameters);
        return parameters;
      };
      return {
        async get(...parameters) {
          bill.rows += 1;
          return statement.get(...noted(parameters));
        },
        async all(...parameters) {
          const rows = await statement.all(...noted(parameters));
          bill.rows += rows.length;
          return rows;
        },
        run: (...parameters) => counted(() => registry.write(() => statement.run(...noted(parameters)))),
      };
    },
  };
}

interface Plan {
  readonly detail: string;
  readonly sql: string;
}

/** How SQLite finds the rows of the statements asked at least so often: lines of its plan, each with its statement. */
export async function plansOf(registry: Database, bill: Bill, leastTimes = 1): Promise<readonly Plan[]> {
  const often = [...bill.statements].filter(([, { times }]) => times >= leastTimes);
  return (
    await Promise.all(
      often.map(async ([sql, { parameters }]) =>
        (
          await registry.statement<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)
        ).map(({ detail }) => ({ detail, sql })),
      ),
    )
  ).flat();
}

function contentsOf(filter: Filter): number {
  return "field" in filter && "in" in filter ? filter.in.length : 1;
}

/** A store that notes how many contents it is asked to count. */
export function countedStore(store: VectorStore, bill: Bill): VectorStore {
  return {
    ...store,
    async count(collection, filter) {
      bill.contents += contentsOf(filter);
      return store.count(collection, filter);
    },
  };
}
