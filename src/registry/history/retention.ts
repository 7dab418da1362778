import type { Database } from "../database.ts";

/** How much of the history is past its time, or was removed. */
export interface ExpiredHistory {
  /** Questions and ingests. */
  readonly runs: number;
  /** Jobs that are done or cancelled. */
  readonly jobs: number;
}

/**
 * How long the history is kept. A run goes with its phases and its replay record. A job that waits, runs or
 * is dead is never removed: it may still be done.
 */
export interface Retention {
  /** What `expire` would remove. */
  expired(): ExpiredHistory;
  /**
   * Removes everything that is past its time, a batch a transaction, so that other writers get their turn.
   */
  expire(): ExpiredHistory;
  /** Removes one batch, the oldest first, as a part of a transaction that writes anyway. */
  expireSome(): ExpiredHistory;
}

export interface RetentionOptions {
  /** Days since a run began or a job ended; 0 keeps all. */
  readonly keepDays: number;
  /** Runs of each kind, and jobs, that go in one transaction. Default 200. */
  readonly batch?: number;
  /** Default: the clock of the database, ms since 1970. */
  readonly now?: () => number;
}

const dayMs = 86_400_000;
const nothing: ExpiredHistory = { runs: 0, jobs: 0 };

/** Where rows that may go are found, each by an index on its time. */
const expirable = {
  ask_runs: "ask_runs WHERE started_at < :before",
  ingest_runs: "ingest_runs WHERE started_at < :before",
  jobs: "jobs WHERE state IN ('done', 'cancelled') AND ended_at < :before",
} as const;
type Expirable = keyof typeof expirable;

function count(database: Database, table: Expirable, before: string): number {
  const row = database.statement<{ rows: number }>(`SELECT count(*) AS rows FROM ${expirable[table]}`);
  return row.get({ before })?.rows ?? 0;
}

/** Ids of the oldest rows that may go. */
function oldest(database: Database, table: Expirable, before: string, limit: number): string {
  const time = table === "jobs" ? "ended_at" : "started_at";
  const rows = database
    .statement<{ id: string }>(`SELECT id FROM ${expirable[table]} ORDER BY ${time} LIMIT :limit`)
    .all({ before, limit });
  return JSON.stringify(rows.map(({ id }) => id));
}

function remove(database: Database, table: Expirable, before: string, limit: number): number {
  const ids = oldest(database, table, before, limit);
  if (ids === "[]") return 0;
  const within = "IN (SELECT value FROM json_each(?))";
  if (table !== "jobs") database.statement(`DELETE FROM phase_metrics WHERE run_id ${within}`).run(ids);
  return database.statement(`DELETE FROM ${table} WHERE id ${within}`).run(ids).changes;
}

/** Access to the retention of a registry's history. */
export function createRetentionPolicy(
  database: Database,
  { keepDays, batch = 200, now = database.now }: RetentionOptions,
): Retention {
  const before = (): string => new Date(now() - keepDays * dayMs).toISOString();
  const each = (countOf: (table: Expirable) => number): ExpiredHistory => ({
    runs: countOf("ask_runs") + countOf("ingest_runs"),
    jobs: countOf("jobs"),
  });
  const expireBatch = (time: string): ExpiredHistory => each((table) => remove(database, table, time, batch));
  return {
    expired: () =>
      keepDays === 0 ? nothing : database.read(() => each((table) => count(database, table, before()))),
    expire() {
      if (keepDays === 0) return nothing;
      const time = before();
      let [runs, jobs] = [0, 0];
      for (;;) {
        const gone = database.write(() => expireBatch(time));
        if (gone.runs + gone.jobs === 0) return { runs, jobs };
        runs += gone.runs;
        jobs += gone.jobs;
      }
    },
    expireSome: () => (keepDays === 0 ? nothing : expireBatch(before())),
  };
}
