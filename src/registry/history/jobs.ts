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
import { insertRows, onlyReferred, referredClause, updateRow } from "../rows.ts";

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
const listSql = `${select} WHERE :states = '[]' OR state IN (SELECT value FROM json_each(:states))
  ORDER BY state NOT IN ('running', 'waiting'), state, priority DESC, queued_at, rowid LIMIT :limit`;
/** A job that its worker still holds. */
const held = "id = :id AND worker = :worker AND state = 'running'";

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
      const update = database.statement(
        `UPDATE jobs SET lease_until_ms = :until, progress = :progress WHERE ${held}`,
      );
      const { changes } = await database.writeBehind(async () =>
        update.run({ until: (await now()) + leaseMs, progress: JSON.stringify(progress), id, worker }),
      );
      return changes === 1;
    },
    async complete(id, worker, progress) {
      const update = database.statement(
        `UPDATE jobs SET state = 'done', error = NULL, ended_at = :time, progress = :progress WHERE ${held}`,
      );
      await database.write(async () =>
        update.run({ time: await isoTime(now), progress: JSON.stringify(progress), id, worker }),
      );
    },
    fail: async (id, worker, error, cause) =>
      database.write(async () => fail(context, await byId(database, id), worker, error, cause)),
    async release(id, worker) {
      await database
        .statement(`UPDATE jobs SET state = 'waiting', attempts = attempts - 1 WHERE ${held}`)
        .run({ id, worker });
    },
    async list(states = [], limit = 100) {
      const rows = database.statement<Row>(listSql);
      return (await rows.all({ states: JSON.stringify(states), limit })).map(jobOf);
    },
    get: (reference) => find(database, reference),
    cancel: async (reference) => database.write(async () => cancel(context, await find(database, reference))),
    retry: async (reference) => database.write(async () => retry(database, await find(database, reference))),
    ...openOutbox(context),
    status: () => statusOf(context),
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
    async isDue(id) {
      const row = database.statement(`SELECT 1 FROM jobs WHERE id = :id AND ${due}`);
      return (await row.get({ id, time: await now() })) !== undefined;
    },
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
  // Only a search by prefix reads every job.
  const rows = await database.statement<Row>(`${select} WHERE ${referredClause} LIMIT 2`).all({ reference });
  return jobOf(onlyReferred("job", reference, rows, "`ragctl queue list` shows every job with its id"));
}

async function insert(database: Database, message: JobMessage, id: string = randomUUID()): Promise<Job> {
  const { documentPath, department, targetCollection, instance, principal, priority, timestamp } = message;
  const job = { documentPath, department, targetCollection, instance, principal, priority };
  const row = { id, ...job, queuedAt: timestamp, state: "waiting" };
  await insertRows(database, "jobs", [row], "ON CONFLICT (id) DO NOTHING");
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
  for (const { id, worker, attempts } of silent) {
    const dead = attempts >= maxAttempts;
    await updateRow(database, "jobs", id, {
      state: dead ? "dead" : "waiting",
      notBeforeMs: time,
      endedAt: dead ? new Date(time).toISOString() : null,
      error: JSON.stringify({ code: "JOB_FAILED", message: `its worker ${worker} disappeared` }),
    });
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
  return change(database, job.id, {
    state: dead ? "dead" : "waiting",
    error: JSON.stringify(error),
    attempts: isOutage ? job.attempts - 1 : job.attempts,
    notBeforeMs: dead ? 0 : (await now()) + pause,
    endedAt: dead ? await isoTime(now) : null,
  });
}

/** Changes these members of a job. */
async function change(
  database: Database,
  id: string,
  members: Readonly<Record<string, unknown>>,
): Promise<Job> {
  await updateRow(database, "jobs", id, members);
  return byId(database, id);
}

async function cancel({ database, now }: Context, { id, state }: Job): Promise<Job> {
  if (state !== "waiting" && state !== "running") {
    throw new RagctlError("USAGE_INVALID", `job ${id} has already ended (${state})`, {
      hint: "`ragctl queue list` shows waiting jobs",
    });
  }
  return change(database, id, { state: "cancelled", endedAt: await isoTime(now) });
}

async function retry(database: Database, { id, state }: Job): Promise<Job> {
  if (state !== "dead" && state !== "cancelled") {
    throw new RagctlError("USAGE_INVALID", `job ${id} is ${state}: nothing to retry`, {
      hint: "`ragctl queue list --state dead` shows failed jobs",
    });
  }
  const fresh = { state: "waiting", attempts: 0, notBeforeMs: 0, worker: "", endedAt: null, sentAt: null };
  return change(database, id, fresh);
}

/** Time over which the rate is taken, minutes. */
const rateMinutes = 5;

async function statusOf({ database, now }: Context): Promise<QueueStatus> {
  const time = await now();
  const rows = await database
    .statement<{ state: JobState; jobs: number; oldest: string; ended: number }>(
      `SELECT state, count(*) AS jobs, min(queued_at) AS oldest, count(CASE WHEN ended_at >= ? THEN 1 END) AS ended
       FROM jobs GROUP BY state`,
    )
    .all(new Date(time - rateMinutes * 60_000).toISOString());
  const states = new Map(rows.map((row) => [row.state, row]));
  const of = (state: JobState): number => states.get(state)?.jobs ?? 0;
  const oldest = states.get("waiting")?.oldest;
  const ended = (states.get("done")?.ended ?? 0) + (states.get("dead")?.ended ?? 0);
  return {
    transport: "registry",
    states: {
      waiting: of("waiting"),
      running: of("running"),
      done: of("done"),
      dead: of("dead"),
      cancelled: of("cancelled"),
    },
    oldestWaitingMs: oldest === undefined ? null : Math.max(0, time - Date.parse(oldest)),
    endedPerMinute: ended / rateMinutes,
    unsent: 0,
    lag: null,
  };
}
