import type { ErrorCode } from "../errors.ts";
import type { Instance } from "../retrieval.ts";

/** What a job is asked by: the message a broker carries. */
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
  /** ISO 8601: when it was asked for. */
  readonly timestamp: string;
}

/** `waiting` also between two attempts; `dead` after the last one, until it is retried by hand. */
export const jobStates = ["waiting", "running", "done", "dead", "cancelled"] as const;
export type JobState = (typeof jobStates)[number];

export interface JobProgress {
  readonly files: number;
  readonly totalFiles: number;
  readonly pages: number;
  readonly chunks: number;
  readonly failed: number;
  /** Milliseconds; null while nothing is known. */
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

/**
 * Jobs in order of priority, then age. One job is at one worker at a time; a worker that does not renew its
 * lease loses it.
 */
export interface Queue {
  push(messages: readonly JobMessage[]): Promise<readonly Job[]>;
  /** Takes the next job for `leaseMs`; undefined when none is due. */
  claim(worker: string, leaseMs: number): Promise<Job | undefined>;
  /** Keeps the job for another `leaseMs`; false when it was cancelled or given to another worker. */
  renew(id: string, worker: string, leaseMs: number, progress: JobProgress): Promise<boolean>;
  complete(id: string, worker: string, progress: JobProgress): Promise<void>;
  /**
   * Puts the job back, to be begun after a pause that doubles; after the last attempt, or one that cannot
   * help, it is dead.
   */
  fail(
    id: string,
    worker: string,
    error: { readonly code: ErrorCode; readonly message: string },
    again: boolean,
  ): Promise<Job>;
  /** Puts the job back at once, as if it had not been begun: its worker was told to stop. */
  release(id: string, worker: string): Promise<void>;
  list(states?: readonly JobState[], limit?: number): Promise<readonly Job[]>;
  /** By id or unique prefix of 4 characters or more. @throws NOT_FOUND */
  get(reference: string): Promise<Job>;
  /** A running job is told at its next renewal. @throws NOT_FOUND, USAGE_INVALID when it has ended */
  cancel(reference: string): Promise<Job>;
  /** Begins a dead or cancelled job anew. @throws NOT_FOUND, USAGE_INVALID when it is neither */
  retry(reference: string): Promise<Job>;
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
