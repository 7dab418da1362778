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
  expired(): Promise<ExpiredHistory>;
  /**
   * Removes everything that is past its time, a batch a transaction, so that other writers get their turn.
   */
  expire(): Promise<ExpiredHistory>;
  /** Removes one batch, the oldest first, as a part of a transaction that writes anyway. */
  expireSome(): Promise<ExpiredHistory>;
}

export interface RetentionOptions {
  /** Days since a run began or a job ended; 0 keeps all. */
  readonly keepDays: number;
  /** Runs of each kind, and jobs, that go in one transaction. Default 200. */
  readonly batch?: number;
  /** Default: the clock of the database, ms since 1970. */
  readonly now?: () => number | Promise<number>;
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

async function count(database: Database, table: Expirable, before: string): Promise<number> {
  const row = database.statement<{ rows: number }>(`SELECT count(*) AS rows FROM ${expirable[table]}`);
  return (await row.get({ before }))?.rows ?? 0;
}

/** Ids of the oldest rows that may go. */
async function oldest(database: Database, table: Expirable, before: string, limit: number): Promise<string> {
  const time = table === "jobs" ? "ended_at" : "started_at";
  const rows = await database
    .statement<{ id: string }>(`SELECT id FROM ${expirable[table]} ORDER BY ${time} LIMIT :limit`)
    .all({ before, limit });
  return JSON.stringify(rows.map(({ id }) => id));
}

async function remove(database: Database, table: Expirable, before: string, limit: number): Promise<number> {
  const ids = await oldest(database, table, before, limit);
  if (ids === "[]") return 0;
  const within = "IN (SELECT value FROM json_each(?))";
  if (table !== "jobs") await database.statement(`DELETE FROM phase_metrics WHERE run_id ${within}`).run(ids);
  return (await database.statement(`DELETE FROM ${table} WHERE id ${within}`).run(ids)).changes;
}

/** Access to the retention of a registry's history. */
export function createRetentionPolicy(
  database: Database,
  { keepDays, batch = 200, now = database.now }: RetentionOptions,
): Retention {
  const before = async (): Promise<string> => new Date((await now()) - keepDays * dayMs).toISOString();
  const each = async (countOf: (table: Expirable) => Promise<number>): Promise<ExpiredHistory> => ({
    runs: (await countOf("ask_runs")) + (await countOf("ingest_runs")),
    jobs: await countOf("jobs"),
  });
  const expireBatch = (time: string): Promise<ExpiredHistory> =>
    each((table) => remove(database, table, time, batch));
  return {
    async expired() {
      if (keepDays === 0) return nothing;
      const time = await before();
      return database.read(() => each((table) => count(database, table, time)));
    },
    async expire() {
      if (keepDays === 0) return nothing;
      const time = await before();
      let [runs, jobs] = [0, 0];
      for (;;) {
        const gone = await database.write(() => expireBatch(time));
        if (gone.runs + gone.jobs === 0) return { runs, jobs };
        runs += gone.runs;
        jobs += gone.jobs;
      }
    },
    expireSome: async () => (keepDays === 0 ? nothing : expireBatch(await before())),
  };
}
