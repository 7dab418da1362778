import { lruBySize } from "../../core/lazy.ts";
import type { SqlValue } from "./dialect.ts";

/** The last change of each watched table: the id of the transaction that made it. */
export type Changes = ReadonlyMap<string, string>;

/** What tells the state of the tables: a trigger notes at each table which transaction changed it last. */
export const changesSql = "SELECT name, changed_by::text AS changed_by FROM ragctl_changes";

/** The rows of `changesSql`. */
export const changesOf = (rows: readonly unknown[]): Changes =>
  // The caller declares the columns of its own SQL.
  new Map((rows as { name: string; changed_by: string }[]).map((row) => [row.name, row.changed_by]));

/** What statements answered, each for as long as no table that it names has changed. */
export interface QueryCache {
  /** Names a question to a SELECT; undefined for one whose answer cannot be remembered. */
  keyOf(sql: string, name: string, values: readonly SqlValue[]): Key | undefined;
  /** The rows of an answer that holds where `changes` were the last. */
  get(key: Key, changes: Changes): readonly unknown[] | undefined;
  /** Keeps an answer that was read where `changes` were the last. */
  set(key: Key, changes: Changes, rows: readonly unknown[]): void;
  /** From now on answers about these tables are kept. `relations`: all tables and views of the schema. */
  watch(relations: readonly string[], watched: readonly string[]): void;
  /** Whether a statement names a table whose answers are remembered. */
  isWatched(sql: string): boolean;
}

/** A question to a statement. */
export interface Key {
  readonly text: string;
  /** The tables it names. */
  readonly tables: readonly string[];
}

interface Answer {
  readonly state: string;
  readonly rows: readonly unknown[];
}

/** Rows that are kept: those of all tables of rules, and of the documents of some hundred searches. */
const mostRows = 50_000;
/** The most of one answer. */
const mostOfAnswer = 1000;
/** Longest parameters of a question that is remembered, characters of JSON. */
const longestKey = 20_000;

/** Creates a memory, which is empty until `watch`. `lost`: how many connections were, after which nothing counts. */
export function createQueryCache(lost: () => number): QueryCache {
  const [all, kept] = [new Set<string>(), new Set<string>()];
  const tablesOf = new Map<string, readonly string[]>();
  const answers = lruBySize<string, Answer>(mostRows, ({ rows }) => rows.length + 1);
  /** Every word that is a relation's name counts, also where it is a column. */
  const tables = (sql: string): readonly string[] => {
    const known = tablesOf.get(sql) ?? [...new Set(sql.match(/\w+/g))].filter((word) => all.has(word));
    tablesOf.set(sql, known);
    return known;
  };
  /** Undefined where a table has no note, which says nothing. */
  const stateOf = ({ tables: named }: Key, changes: Changes): string | undefined =>
    named.every((table) => changes.has(table))
      ? `${lost()} ${named.map((table) => changes.get(table)).join(" ")}`
      : undefined;
  return {
    keyOf(sql, name, values) {
      const named = tables(sql);
      const isKept = named.length > 0 && named.every((table) => kept.has(table));
      const isPlain = !values.some((value) => typeof value === "bigint" || value instanceof Uint8Array);
      if (!isKept || !isPlain) return undefined;
      const text = `${name} ${JSON.stringify(values)}`;
      return text.length > longestKey ? undefined : { text, tables: named };
    },
    get(key, changes) {
      const [answer, state] = [answers.get(key.text), stateOf(key, changes)];
      return state !== undefined && answer?.state === state ? answer.rows : undefined;
    },
    set(key, changes, rows) {
      const state = stateOf(key, changes);
      if (state === undefined || rows.length > mostOfAnswer) return;
      for (const row of rows) Object.freeze(row);
      answers.set(key.text, { state, rows });
    },
    watch(relations, watched) {
      tablesOf.clear();
      for (const name of relations) all.add(name);
      for (const name of watched) kept.add(name);
    },
    isWatched: (sql) => tables(sql).some((table) => kept.has(table)),
  };
}
