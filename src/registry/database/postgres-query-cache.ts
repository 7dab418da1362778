import { lruBySize } from "../../core/lazy.ts";
import type { Changes, SqlValue } from "./postgres-protocol.ts";

/**
 * What statements answered, each for as long as no table that it names has changed. A trigger notes at each
 * table which transaction changed it last, so that an answer is as good as the state that was seen last.
 */
export interface Memory {
  /** Names a question to a SELECT; undefined for one whose answer cannot be remembered. */
  keyOf(sql: string, name: string, values: readonly SqlValue[]): Key | undefined;
  /** The rows of an answer that holds in the state seen last. */
  get(key: Key): readonly unknown[] | undefined;
  /** Keeps an answer of the state seen last. */
  set(key: Key, rows: readonly unknown[]): void;
  /** Tells looks from one another that were asked for before and after a change. */
  turn(): number;
  /** Takes note of a state; `asked` is the turn in which it was asked for, if others were served since. */
  see(changes: Changes, asked?: number): void;
  /** A statement of this process writes: no answer holds until a state is seen that was asked for later. */
  forget(): void;
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

/** Creates a memory, which keeps nothing before it is told what to watch. */
export function createQueryCache(): Memory {
  const [all, kept] = [new Set<string>(), new Set<string>()];
  const tablesOf = new Map<string, readonly string[]>();
  const answers = lruBySize<string, Answer>(mostRows, ({ rows }) => rows.length + 1);
  let [connection, turn] = [0, 0];
  let changes: ReadonlyMap<string, string> | undefined;
  /** Every word that is a relation's name counts, also where it is a column. */
  const tables = (sql: string): readonly string[] => {
    const known = tablesOf.get(sql) ?? [...new Set(sql.match(/\w+/g))].filter((word) => all.has(word));
    tablesOf.set(sql, known);
    return known;
  };
  /** Undefined where a table has no note, which says nothing. */
  const stateOf = ({ tables: named }: Key): string | undefined =>
    named.every((table) => changes?.has(table))
      ? `${connection} ${named.map((table) => changes?.get(table)).join(" ")}`
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
    get(key) {
      const [answer, state] = [answers.get(key.text), stateOf(key)];
      return state !== undefined && answer?.state === state ? answer.rows : undefined;
    },
    set(key, rows) {
      const state = stateOf(key);
      if (state === undefined || rows.length > mostOfAnswer) return;
      for (const row of rows) Object.freeze(row);
      answers.set(key.text, { state, rows });
    },
    turn: () => turn,
    see(seen, asked) {
      if (asked === undefined) turn += 1;
      else if (asked !== turn) return;
      connection = seen.connection;
      changes = new Map(seen.tables.map(({ name, changed_by }) => [name, changed_by]));
    },
    forget() {
      changes = undefined;
      turn += 1;
    },
    watch(relations, watched) {
      tablesOf.clear();
      for (const name of relations) all.add(name);
      for (const name of watched) kept.add(name);
    },
    isWatched: (sql) => tables(sql).some((table) => kept.has(table)),
  };
}
