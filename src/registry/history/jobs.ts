import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  FailureCause,
  Job,
  JobMessage,
  JobProgress,
  JobState,
  JobTable,
  QueueStatus,
} from "../../core/documents/queue.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Database } from "../database.ts";

export interface JobsOptions {
  /** Attempts after which a job is dead. Default 5. */
  readonly maxAttempts?: number;
  /** Pause before the second attempt, ms; doubles with every further one, up to an hour. Default 5000. */
  readonly backOffMs?: number;
  /** Default: the clock of the database, ms since 1970: those of the workers may differ. */
  readonly now?: () => number | Promise<number>;
}

type Row = Omit<Job, "error" | "progress" | "notBefore"> & {
  readonly error: string | null;
  readonly progress: string;
  readonly notBeforeMs: number;
};

const longestPauseMs = 3_600_000;
const untouched: JobProgress = { files: 0, totalFiles: 0, pages: 0, chunks: 0, failed: 0, etaMs: null };

/** The error and progress columns hold JSON written by this file. */
function jobOf({ error, progress, notBeforeMs, ...row }: Row): Job {
  return {
    ...row,
    notBefore: row.state === "waiting" && notBeforeMs > 0 ? new Date(notBeforeMs).toISOString() : null,
    error: error === null ? null : (JSON.parse(error) as Job["error"]),
    progress: { ...untouched, ...(JSON.parse(progress) as Partial<JobProgress>) },
  };
}

const columns = `id, document_path AS documentPath, department, target_collection AS targetCollection, instance, principal, priority,
    queued_at AS timestamp, state, attempts, worker, not_before_ms AS notBeforeMs, started_at AS startedAt, ended_at AS endedAt, error, progress`;
const select = `SELECT ${columns} FROM jobs`;

/** Context of the functions below. */
interface Context extends Required<JobsOptions> {
  readonly database: Database;
}

/**
 * The queue of a registry: every step is one transaction that excludes other writers, so that processes and
 * machines need no other lock.
 */
export function createJobRepository(database: Database, options: JobsOptions = {}): JobTable {
  const { maxAttempts = 5, backOffMs = 5000, now = database.now } = options;
  const context: Context = { database, maxAttempts, backOffMs, now };
  return {
    push: (messages) =>
      database.write(async () => {
        const jobs: Job[] = [];
        for (const message of messages) jobs.push(await insert(database, message));
        return jobs;
      }),
    async claim(worker, leaseMs, { ms, run }) {
      const job = await database.writeBehind(() => take(context, worker, leaseMs));
      if (job === undefined) await sleep(ms, undefined, { signal: run.signal });
      return job;
    },
    take: async (worker, leaseMs, first) => database.writeBehind(() => take(context, worker, leaseMs, first)),
    async renew(id, worker, leaseMs, progress) {
      const { changes } = await database.writeBehind(async () =>
        database
          .statement(
            "UPDATE jobs SET lease_until_ms = ?, progress = ? WHERE id = ? AND worker = ? AND state = 'running'",
          )
          .run((await now()) + leaseMs, JSON.stringify(progress), id, worker),
      );
      return changes === 1;
    },
    async complete(id, worker, progress) {
      await database.write(async () =>
        database
          .statement(
            "UPDATE jobs SET state = 'done', error = NULL, ended_at = ?, progress = ? WHERE id = ? AND worker = ? AND state = 'running'",
          )
          .run(await isoTime(now), JSON.stringify(progress), id, worker),
      );
    },
    fail: async (id, worker, error, cause) =>
      database.write(async () => fail(context, await byId(database, id), worker, error, cause)),
    async release(id, worker) {
      await database
        .statement(
          "UPDATE jobs SET state = 'waiting', attempts = attempts - 1 WHERE id = ? AND worker = ? AND state = 'running'",
        )
        .run(id, worker);
    },
    async list(states = [], limit = 100) {
      const rows = database.statement<Row>(
        `${select} WHERE :states = '[]' OR state IN (SELECT value FROM json_each(:states)) ORDER BY state NOT IN ('running', 'waiting'), state, priority DESC, queued_at, rowid LIMIT :limit`,
      );
      return (await rows.all({ states: JSON.stringify(states), limit })).map(jobOf);
    },
    get: async (reference) => database.read(() => find(database, reference)),
    cancel: async (reference) => database.write(async () => cancel(context, await find(database, reference))),
    retry: async (reference) => database.write(async () => retry(database, await find(database, reference))),
    ...openOutbox(context),
    status: async () => database.read(() => statusOf(context)),
  };
}

/** The part of the table that a broker needs. */
function openOutbox({
  database,
  now,
}: Context): Pick<JobTable, "accept" | "isDue" | "unsent" | "unsentCount" | "markSent"> {
  return {
    async accept(id, message) {
      await database.write(() => insert(database, message, id));
    },
    isDue: async (id) =>
      database.read(
        async () =>
          (await database
            .statement("SELECT 1 FROM jobs WHERE id = ? AND state = 'waiting' AND not_before_ms <= ?")
            .get(id, await now())) !== undefined,
      ),
    async unsent(limit) {
      const rows = database.statement<Row>(
        `${select} WHERE state = 'waiting' AND sent_at IS NULL ORDER BY priority DESC, queued_at, rowid LIMIT ?`,
      );
      return (await rows.all(limit)).map(jobOf);
    },
    async unsentCount() {
      const row = database.statement<{ jobs: number }>(
        "SELECT count(*) AS jobs FROM jobs WHERE state = 'waiting' AND sent_at IS NULL",
      );
      return (await row.get())?.jobs ?? 0;
    },
    async markSent(ids) {
      await database
        .statement("UPDATE jobs SET sent_at = ? WHERE id IN (SELECT value FROM json_each(?))")
        .run(await isoTime(now), JSON.stringify(ids));
    },
  };
}

async function isoTime(now: Context["now"]): Promise<string> {
  return new Date(await now()).toISOString();
}

async function byId(database: Database, id: string): Promise<Job> {
  const row = await database.statement<Row>(`${select} WHERE id = ?`).get(id);
  if (row === undefined)
    throw new RagctlError("NOT_FOUND", `there is no job "${id}"`, {
      hint: "`ragctl queue list` shows every job",
    });
  return jobOf(row);
}

/** By id or unique prefix of 4 characters or more. @throws NOT_FOUND */
async function find(database: Database, reference: string): Promise<Job> {
  const whole = await database.statement<Row>(`${select} WHERE id = ?`).get(reference);
  if (whole !== undefined) return jobOf(whole);
  const rows = await database
    .statement<Row>(`${select} WHERE length(:r) >= 4 AND substr(id, 1, length(:r)) = :r LIMIT 2`)
    .all({ r: reference });
  const [row] = rows;
  if (row !== undefined && rows.length === 1) return jobOf(row);
  const message =
    row === undefined ? `there is no job "${reference}"` : `"${reference}" matches several jobs`;
  throw new RagctlError("NOT_FOUND", message, { hint: "`ragctl queue list` shows every job with its id" });
}

async function insert(database: Database, message: JobMessage, id: string = randomUUID()): Promise<Job> {
  const { documentPath, department, targetCollection, instance, principal, priority, timestamp } = message;
  await database
    .statement(
      "INSERT INTO jobs (id, document_path, department, target_collection, instance, principal, priority, queued_at, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting') ON CONFLICT (id) DO NOTHING",
    )
    .run(id, documentPath, department, targetCollection, instance, principal, priority, timestamp);
  return byId(database, id);
}

const due = "state = 'waiting' AND not_before_ms <= :time";

/** Of the most urgent jobs that are due the one named, else the oldest; each part is found by an index. */
const nextJob = `coalesce(
    (SELECT id FROM jobs WHERE id = :first AND ${due} AND priority = (SELECT priority FROM jobs WHERE ${due} ORDER BY priority DESC LIMIT 1)),
    (SELECT id FROM jobs WHERE ${due} ORDER BY priority DESC, queued_at, rowid LIMIT 1))`;

async function take(context: Context, worker: string, leaseMs: number, first = ""): Promise<Job | undefined> {
  const { database } = context;
  const time = await context.now();
  await reclaim(context, time);
  const row = await database
    .statement<Row>(
      `UPDATE jobs SET state = 'running', worker = :worker, attempts = attempts + 1, lease_until_ms = :until, started_at = :iso, ended_at = NULL, progress = '{}'
       WHERE id = ${nextJob} RETURNING ${columns}`,
    )
    .get({ worker, until: time + leaseMs, iso: new Date(time).toISOString(), time, first });
  return row === undefined ? undefined : jobOf(row);
}

/** Jobs whose worker let its lease run out wait again; that it died counts as an attempt. */
async function reclaim({ database, maxAttempts }: Context, time: number): Promise<void> {
  const silent = await database
    .statement<Pick<Job, "id" | "worker" | "attempts">>(
      "SELECT id, worker, attempts FROM jobs WHERE state = 'running' AND lease_until_ms < ?",
    )
    .all(time);
  const end = database.statement(
    "UPDATE jobs SET state = ?, not_before_ms = ?, ended_at = ?, error = ? WHERE id = ?",
  );
  for (const { id, worker, attempts } of silent) {
    const dead = attempts >= maxAttempts;
    const error = { code: "JOB_FAILED", message: `its worker ${worker} disappeared` };
    await end.run(
      dead ? "dead" : "waiting",
      time,
      dead ? new Date(time).toISOString() : null,
      JSON.stringify(error),
      id,
    );
  }
}

/** The job waits for its next attempt, or is dead; a job that this worker no longer holds is unchanged. */
async function fail(
  context: Context,
  job: Job,
  worker: string,
  error: Job["error"],
  cause: FailureCause,
): Promise<Job> {
  const { database, maxAttempts, backOffMs, now } = context;
  if (job.worker !== worker || job.state !== "running") return job;
  const isOutage = cause === "outage";
  const dead = cause === "final" || (!isOutage && job.attempts >= maxAttempts);
  const pause = Math.min(longestPauseMs, backOffMs * 2 ** (job.attempts - 1));
  await database
    .statement(
      "UPDATE jobs SET state = ?, error = ?, attempts = ?, not_before_ms = ?, ended_at = ? WHERE id = ?",
    )
    .run(
      dead ? "dead" : "waiting",
      JSON.stringify(error),
      isOutage ? job.attempts - 1 : job.attempts,
      dead ? 0 : (await now()) + pause,
      dead ? await isoTime(now) : null,
      job.id,
    );
  return byId(database, job.id);
}

async function cancel({ database, now }: Context, { id, state }: Job): Promise<Job> {
  if (state !== "waiting" && state !== "running") {
    throw new RagctlError("USAGE_INVALID", `job ${id} has already ended (${state})`, {
      hint: "`ragctl queue list` shows waiting jobs",
    });
  }
  await database
    .statement("UPDATE jobs SET state = 'cancelled', ended_at = ? WHERE id = ?")
    .run(await isoTime(now), id);
  return byId(database, id);
}

async function retry(database: Database, { id, state }: Job): Promise<Job> {
  if (state !== "dead" && state !== "cancelled") {
    throw new RagctlError("USAGE_INVALID", `job ${id} is ${state}: nothing to retry`, {
      hint: "`ragctl queue list --state dead` shows failed jobs",
    });
  }
  await database
    .statement(
      "UPDATE jobs SET state = 'waiting', attempts = 0, not_before_ms = 0, worker = '', ended_at = NULL, sent_at = NULL WHERE id = ?",
    )
    .run(id);
  return byId(database, id);
}

/** Time over which the rate is taken, minutes. */
const rateMinutes = 5;

async function statusOf({ database, now }: Context): Promise<QueueStatus> {
  const rows = await database
    .statement<{ state: JobState; jobs: number }>("SELECT state, count(*) AS jobs FROM jobs GROUP BY state")
    .all();
  const counts = new Map(rows.map(({ state, jobs }) => [state, jobs]));
  const oldest = (
    await database
      .statement<{ queuedAt: string | null }>(
        "SELECT min(queued_at) AS queuedAt FROM jobs WHERE state = 'waiting'",
      )
      .get()
  )?.queuedAt;
  const time = await now();
  const since = new Date(time - rateMinutes * 60_000).toISOString();
  const ended = (
    await database
      .statement<{ jobs: number }>(
        "SELECT count(*) AS jobs FROM jobs WHERE state IN ('done', 'dead') AND ended_at >= ?",
      )
      .get(since)
  )?.jobs;
  const of = (state: JobState): number => counts.get(state) ?? 0;
  return {
    transport: "registry",
    states: {
      waiting: of("waiting"),
      running: of("running"),
      done: of("done"),
      dead: of("dead"),
      cancelled: of("cancelled"),
    },
    oldestWaitingMs: typeof oldest === "string" ? Math.max(0, time - Date.parse(oldest)) : null,
    endedPerMinute: (ended ?? 0) / rateMinutes,
    unsent: 0,
    lag: null,
  };
}
