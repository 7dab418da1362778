import { setTimeout as sleep } from "node:timers/promises";
import type {
  ClaimWait,
  Delivery,
  Job,
  JobTable,
  Queue,
  QueueTransport,
} from "../../core/documents/queue.ts";
import { asRagctlError, type ErrorCode, RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { type ReadMessage, toQueueMessage } from "./queue-messages.ts";

/** How long a worker looks at messages alone, ms. */
const sweepMs = 5000;

/** How long a message is waited for while the registry has jobs anyway, ms. */
const eagerMs = 200;

/** How long a broker that does not answer is left alone, ms. */
const restMs = 5000;

/**
 * How long a worker looks for messages at least: longer before the first, because joining the others takes
 * seconds. ms.
 */
const lookMs = { first: 10_000, later: 1000 };

/** Jobs that are given to the broker at once. */
const batch = 500;

/** Errors that say that a message can never become a job. */
const poison: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "USAGE_INVALID",
  "PERMISSION_DENIED",
  "NOT_FOUND",
]);

export interface CarriedQueueParts {
  readonly jobs: JobTable;
  readonly transport: () => Promise<QueueTransport>;
  /** @throws USAGE_INVALID, PERMISSION_DENIED, NOT_FOUND for a message that can never become a job */
  readonly read: (delivery: Delivery, log: Run["log"]) => Promise<ReadMessage>;
}

/**
 * A queue whose jobs are rows of the registry and whose messages go through a broker. The rows hold the work,
 * its principal and its state; a message only wakes a worker, which then takes that job, or a more urgent
 * one. So a lost message costs only time, a repeated one does nothing, and write access to the topic allows
 * no more than waking workers.
 */
export function brokeredQueue(parts: CarriedQueueParts): Queue {
  const { jobs, transport } = parts;
  const send = async (list: readonly Job[]): Promise<void> => {
    for (let start = 0; start < list.length; start += batch) {
      const some = list.slice(start, start + batch);
      await (await transport()).send(some.map(toQueueMessage));
      await jobs.markSent(some.map(({ id }) => id));
    }
  };
  const bury = async (job: Job): Promise<void> => {
    const { key, value } = toQueueMessage(job);
    if (job.error !== null) await (await transport()).bury({ key, value: Buffer.from(value) }, job.error);
  };
  return {
    ...jobs,
    async push(messages) {
      const added = await jobs.push(messages);
      await send(added).catch((error: unknown) => {
        throw kept(asRagctlError(error), added.length);
      });
      return added;
    },
    claim: openClaim(
      jobs,
      openWakening(parts, async () => send(await jobs.unsent(batch))),
    ),
    async fail(id, worker, error, cause) {
      const job = await jobs.fail(id, worker, error, cause);
      // Its row records the same; those who watch the topic see it once the broker answers.
      if (job.state === "dead") await bury(job).catch(() => undefined);
      return job;
    },
    async retry(reference) {
      const job = await jobs.retry(reference);
      // A worker that looks for jobs without a message finds it where the broker does not answer.
      await send([job]).catch(() => undefined);
      return job;
    },
    async status() {
      const [status, unsent] = await Promise.all([jobs.status(), jobs.unsentCount()]);
      const lag = await transport()
        .then((each) => each.lag())
        .catch(() => null);
      return { ...status, transport: "kafka", unsent, lag };
    },
  };
}

function kept(error: RagctlError, count: number): RagctlError {
  const those = count === 1 ? "the job is" : `${count} jobs are`;
  const { code, message, hint = "" } = error;
  return new RagctlError(code, `${message}; ${those} stored and sent later`, {
    hint: `${hint === "" ? "" : `${hint}; `}workers also run jobs that were not sent`,
    cause: error,
  });
}

/** The broker as a worker uses it: one that does not answer is warned of once and left alone for a while. */
interface Wakening {
  /** Gives the broker what it was not given. */
  resend(run: ClaimWait["run"]): Promise<void>;
  /** The next message; undefined after `waitMs` without one. */
  receive(waitMs: number, run: ClaimWait["run"]): Promise<Delivery | undefined>;
  /** Takes the job that a message leads to, or a more urgent one; undefined where there is nothing to do. */
  follow(
    delivery: Delivery,
    take: (id: string) => Promise<Job | undefined>,
    run: ClaimWait["run"],
  ): Promise<Job | undefined>;
  /** How long a worker looks for messages at least, ms. */
  lookMs(): number;
  /** Whether nothing waits at the broker, or it does not answer. */
  isEmpty(run: ClaimWait["run"]): Promise<boolean>;
}

/** The job for a message, if it is due; a message that can never become one goes to the dead letters. */
async function dueJob(
  delivery: Delivery,
  { jobs, transport, read }: CarriedQueueParts,
  log: Run["log"],
): Promise<string | undefined> {
  try {
    const message = await read(delivery, log);
    if (message.kind === "foreign") await jobs.accept(message.id, message.message);
    else await jobs.get(message.id);
    return (await jobs.isDue(message.id)) ? message.id : undefined;
  } catch (thrown) {
    const error = asRagctlError(thrown);
    if (!poison.has(error.code)) throw error;
    await (await transport()).bury(delivery, error);
    log.warn(`a message became a dead letter: ${error.message}`);
    return undefined;
  }
}

function openWakening(parts: CarriedQueueParts, resend: () => Promise<void>): Wakening {
  const { transport } = parts;
  let restsUntil = 0;
  let hasWarned = false;
  let hasReceived = false;
  const rests = (): boolean => Date.now() < restsUntil;
  const rest = (error: unknown, { signal, log }: ClaimWait["run"]): void => {
    signal.throwIfAborted();
    const { code, message } = asRagctlError(error);
    if (code !== "NETWORK_UNAVAILABLE") throw error;
    restsUntil = Date.now() + restMs;
    if (!hasWarned) log.warn(`${message}; taking jobs from the registry meanwhile`);
    hasWarned = true;
  };
  return {
    lookMs: () => (rests() ? 0 : hasReceived ? lookMs.later : lookMs.first),
    async isEmpty(run) {
      if (rests()) return true;
      try {
        return (await (await transport()).lag()) === 0;
      } catch (error) {
        rest(error, run);
        return true;
      }
    },
    resend: async (run) => (rests() ? undefined : resend().catch((error: unknown) => rest(error, run))),
    async receive(waitMs, run) {
      if (!rests()) {
        try {
          const delivery = await (await transport()).receive(waitMs, run.signal);
          hasReceived ||= delivery !== undefined;
          return delivery;
        } catch (error) {
          rest(error, run);
        }
      }
      await sleep(waitMs, undefined, { signal: run.signal });
      return undefined;
    },
    async follow(delivery, take, run) {
      try {
        const id = await dueJob(delivery, parts, run.log);
        const job = id === undefined ? undefined : await take(id);
        await delivery.settle();
        return job;
      } catch (error) {
        await delivery.giveBack();
        rest(error, run);
        return undefined;
      }
    },
  };
}

/**
 * Claims jobs by their messages, and without a message from the registry: jobs of workers that died, failures
 * whose pause is over, and all jobs while the broker is down or rebalances its topic.
 */
function openClaim(jobs: JobTable, broker: Wakening): Queue["claim"] {
  let sweptAt = Number.NEGATIVE_INFINITY;
  // Whether the registry holds jobs that no message leads to here: then it is asked as soon as no message
  // waits.
  let isEager = true;
  const sweep = async (worker: string, leaseMs: number, { run }: ClaimWait): Promise<Job | undefined> => {
    sweptAt = Date.now();
    await broker.resend(run);
    const job = await jobs.take(worker, leaseMs);
    isEager = job !== undefined;
    return job;
  };
  const patienceMs = (until: number): number => (isEager ? eagerMs : Math.min(until - Date.now(), sweepMs));
  return async (worker, leaseMs, wait) => {
    // From time to time a message gives way to the job that has waited longest.
    const take = (id: string) =>
      Date.now() - sweptAt < sweepMs ? jobs.take(worker, leaseMs, id) : sweep(worker, leaseMs, wait);
    if (wait.ms === 0 && (await broker.isEmpty(wait.run))) return sweep(worker, leaseMs, wait);
    const until = Date.now() + Math.max(wait.ms, broker.lookMs());
    let isSwept = false;
    do {
      const delivery = await broker.receive(patienceMs(until), wait.run);
      const job = await (delivery === undefined
        ? sweep(worker, leaseMs, wait)
        : broker.follow(delivery, take, wait.run));
      if (job !== undefined) return job;
      isSwept = delivery === undefined;
    } while (Date.now() < until);
    // Messages that lead to nothing can take all of the time; jobs may wait all the same.
    return isSwept ? undefined : sweep(worker, leaseMs, wait);
  };
}
