import type { ErrorCode } from "../errors.ts";
import type { Instance } from "../retrieval.ts";
import type { Run } from "../run.ts";

/** The request for a job: the message a broker carries. */
export interface JobMessage {
  /** Absolute path of a file or folder, or a glob. */
  readonly documentPath: string;
  /** "" for none. */
  readonly department: string;
  /** A collection, or `auto`: that of the innermost folder kept in step, else the default one. */
  readonly targetCollection: string;
  readonly instance: Instance;
  /** Name of the principal whose permissions hold. */
  readonly principal: string;
  /** Highest first. */
  readonly priority: number;
  /** ISO 8601: the time of the request. */
  readonly timestamp: string;
}

/** Names of priorities, as messages of a broker have them; only our own jobs may have other numbers. */
export const priorities = { low: -1, normal: 0, high: 1 } as const;

/** `waiting` also between two attempts; `dead` after the last one, until it is retried by hand. */
export const jobStates = ["waiting", "running", "done", "dead", "cancelled"] as const;
export type JobState = (typeof jobStates)[number];

export interface JobProgress {
  readonly files: number;
  readonly totalFiles: number;
  readonly pages: number;
  readonly chunks: number;
  readonly failed: number;
  /** Milliseconds; null while unknown. */
  readonly etaMs: number | null;
}

export interface Job extends JobMessage {
  /** UUID. */
  readonly id: string;
  readonly state: JobState;
  /** Times it was begun. */
  readonly attempts: number;
  /** Name of the worker that has it, or had it last; "" for none yet. */
  readonly worker: string;
  /** ISO 8601; null for none yet. A waiting job is not begun before `notBefore`. */
  readonly notBefore: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** What ended the last attempt. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  readonly progress: JobProgress;
}

/** The waiting jobs and the throughput. */
export interface QueueStatus {
  /** Who carries jobs to workers: they ask the registry, or a broker wakes them. */
  readonly transport: "registry" | "kafka";
  readonly states: Readonly<Record<JobState, number>>;
  /** Age of the oldest waiting job, ms; null for none. */
  readonly oldestWaitingMs: number | null;
  /** Jobs done or dead a minute, over the last five minutes. */
  readonly endedPerMinute: number;
  /** Waiting jobs that the broker has not been given; 0 without one. */
  readonly unsent: number;
  /** Messages that no worker has taken; null without a broker, or where it does not answer. */
  readonly lag: number | null;
}

/** How long to wait for a job to come, at most, and for whom. */
export interface ClaimWait {
  readonly ms: number;
  readonly run: Pick<Run, "signal" | "log">;
}

/** Why an attempt failed: for good, in a way that another may mend, or because something was away. */
export type FailureCause = "final" | "passing" | "outage";

/**
 * Jobs in order of priority, then age. One job is at one worker at a time; a worker that does not renew its
 * lease loses it.
 */
export interface Queue {
  push(messages: readonly JobMessage[]): Promise<readonly Job[]>;
  /** Takes the next job for `leaseMs`; undefined when none is due or becomes due while waiting. */
  claim(worker: string, leaseMs: number, wait: ClaimWait): Promise<Job | undefined>;
  /** Keeps the job for another `leaseMs`; false when it was cancelled or given to another worker. */
  renew(id: string, worker: string, leaseMs: number, progress: JobProgress): Promise<boolean>;
  complete(id: string, worker: string, progress: JobProgress): Promise<void>;
  /**
   * Puts the job back, to be begun after a pause that doubles; after the last attempt, or one that cannot
   * help, it is dead. An attempt that failed by an outage does not count.
   */
  fail(
    id: string,
    worker: string,
    error: { readonly code: ErrorCode; readonly message: string },
    cause: FailureCause,
  ): Promise<Job>;
  /** Puts the job back at once, as if it had not been started: its worker is stopping. */
  release(id: string, worker: string): Promise<void>;
  list(states?: readonly JobState[], limit?: number): Promise<readonly Job[]>;
  /** By id or unique prefix of 4 characters or more. @throws NOT_FOUND */
  get(reference: string): Promise<Job>;
  /** A running job learns of it at its next renewal. @throws NOT_FOUND, USAGE_INVALID when it has ended */
  cancel(reference: string): Promise<Job>;
  /** Restarts a dead or cancelled job. @throws NOT_FOUND, USAGE_INVALID when it is neither */
  retry(reference: string): Promise<Job>;
  status(): Promise<QueueStatus>;
}

/** The queue as rows, with the operations that a broker needs. */
export interface JobTable extends Queue {
  /** As `claim`, without waiting; of jobs equally urgent, the one named comes first. */
  take(worker: string, leaseMs: number, first?: string): Promise<Job | undefined>;
  /** Adds a job under an id that its sender gave, unless it is there. */
  accept(id: string, message: JobMessage): Promise<void>;
  /** Whether this job waits and may be begun now. */
  isDue(id: string): Promise<boolean>;
  /** Waiting jobs that the broker has not been given, the most urgent first. */
  unsent(limit: number): Promise<readonly Job[]>;
  unsentCount(): Promise<number>;
  markSent(ids: readonly string[]): Promise<void>;
}

/** A message as the broker gave it. */
export interface Delivery {
  readonly key: string;
  readonly value: Buffer;
  /** Place in the topic, the same whenever it is given again. */
  readonly position: string;
  /** It need not be given again. One that is not settled is given again, maybe to another worker. */
  settle(): Promise<void>;
  /** It could not be dealt with now: it is to be given again. */
  giveBack(): Promise<void>;
}

/**
 * Carries messages to workers. Every method raises NETWORK_UNAVAILABLE where the broker cannot be reached.
 */
export interface QueueTransport extends AsyncDisposable {
  send(messages: readonly { readonly key: string; readonly value: string }[]): Promise<void>;
  /** The next message, possibly a redelivered one; undefined after `waitMs` without one. */
  receive(waitMs: number, signal: AbortSignal): Promise<Delivery | undefined>;
  /** Moves a message to the dead letters, with the reason, for people to inspect. */
  bury(
    message: Pick<Delivery, "key" | "value">,
    reason: { readonly code: ErrorCode; readonly message: string },
  ): Promise<void>;
  /** Messages that no worker has settled. */
  lag(): Promise<number>;
}

export type WorkerEvent =
  | { readonly type: "job-start"; readonly job: Job }
  | {
      readonly type: "job-progress";
      readonly job: Job;
      readonly progress: JobProgress;
      readonly name: string;
    }
  | { readonly type: "job-end"; readonly job: Job };
