import { asRagctlError } from "../../core/errors.ts";
import { lruBySize } from "../../core/lazy.ts";
import type { DecisionRecord } from "../../core/permission.ts";
import type { Run } from "../../core/run.ts";
import type { Database } from "../database.ts";

/** A recorded decision. */
export interface RecordedDecision extends DecisionRecord {
  /** ISO 8601. */
  readonly decidedAt: string;
  readonly runId: string;
}

export interface DecisionFilter {
  readonly principal?: string;
  readonly effect?: DecisionRecord["effect"];
  /** Default 20. */
  readonly limit?: number;
}

/** A decision and its run. */
export type DecisionEntry = readonly [runId: string, decision: DecisionRecord];

export interface Decisions {
  /**
   * Writes all or nothing, with those that could not be written before, and drops the oldest beyond the
   * limit. What is not saved is kept for the next call; rejects then.
   */
  record(decisions: readonly DecisionEntry[]): Promise<void>;
  /** Newest first. */
  list(filter?: DecisionFilter): Promise<readonly RecordedDecision[]>;
}

/** Decisions that are kept. */
const defaultLimit = 10_000;

interface Row extends Omit<RecordedDecision, "resource"> {
  readonly kind: DecisionRecord["resource"]["kind"];
  readonly name: string;
  readonly instance: DecisionRecord["resource"]["instance"];
}

const insert = `INSERT INTO decisions (id, decided_at, run_id, principal, agent, action, resource_kind, resource, instance, effect, rule, reason, grant_id)
  VALUES ((SELECT coalesce(max(id), 0) + 1 FROM decisions), :decidedAt, :runId, :principal, :agent, :action, :kind, :name, :instance, :effect, :rule, :reason, :grantId)`;
const trim = "DELETE FROM decisions WHERE id <= (SELECT max(id) FROM decisions) - ?";

const rowOf = ([runId, { resource, ...decision }]: DecisionEntry, decidedAt: string): Row => {
  const { kind, name, instance } = resource;
  return { ...decision, decidedAt, runId, kind, name, instance };
};

/** Access to the decisions of a registry; the newest `limit` are kept. */
export function createDecisionLog(
  database: Database,
  { limit = defaultLimit, now = () => new Date() } = {},
): Decisions {
  let unsaved: readonly Row[] = [];
  return {
    record(made) {
      const time = now().toISOString();
      const rows = [...unsaved, ...made.map((entry) => rowOf(entry, time))].slice(-limit);
      if (rows.length === 0) return Promise.resolve();
      unsaved = [];
      const keep = (error: unknown): never => {
        unsaved = [...rows, ...unsaved].slice(-limit);
        throw error;
      };
      return database.post([...rows.map((row) => [insert, row] as const), [trim, limit]]).catch(keep);
    },
    async list({ principal = null, effect = null, limit: most = 20 } = {}) {
      const rows = database.statement<Row>(
        `SELECT decided_at AS decidedAt, run_id AS runId, principal, agent, action, resource_kind AS kind, resource AS name, instance, effect, rule, reason,
           grant_id AS grantId
         FROM decisions WHERE (:principal IS NULL OR lower(principal) = lower(:principal)) AND (:effect IS NULL OR effect = :effect) ORDER BY id DESC LIMIT :limit`,
      );
      const found = await rows.all({ principal, effect, limit: most });
      return found.map(({ kind, name, instance, ...row }) => ({
        ...row,
        resource: { kind, name, instance, department: "" },
      }));
    },
  };
}

/**
 * Writes down what was decided in a run, before it is used. Where the writing goes on in the background, or
 * the disk is full, a failure is a warning. @throws REGISTRY_BUSY
 */
export type Recorder = (run: Run, decisions: readonly DecisionRecord[]) => Promise<void>;

/** Runs whose decisions are known: as many as a server has connections. */
const knownRuns = 1000;

/**
 * Writes decisions down; a run that decides the same many times (a batch) records it once. A registry on
 * another machine is not waited for.
 */
export function createDecisionRecorder(
  decisions: Pick<Decisions, "record">,
  { kind }: Pick<Database, "kind">,
): Recorder {
  const runs = lruBySize<string, { readonly known: Set<string>; saving: Promise<unknown> }>(
    knownRuns,
    () => 1,
  );
  return async (run, made) => {
    const its = runs.get(run.id) ?? { known: new Set(), saving: Promise.resolve() };
    runs.set(run.id, its);
    const isNew = (decision: DecisionRecord): boolean => {
      const { size } = its.known;
      return its.known.add(keyOf(decision)).size > size;
    };
    const entries = made.filter(isNew).map((decision) => [run.id, decision] as const);
    const warn = (error: unknown): void => {
      if (entries.length > 0)
        run.log.warn(`decisions could not be recorded yet: ${asRagctlError(error).message}`);
    };
    const saved = decisions.record(entries).catch((error: unknown) => {
      // On a full disk documents can still be read; whoever holds the lock can be waited for.
      if (kind === "sqlite" && asRagctlError(error).code === "REGISTRY_BUSY") throw error;
      warn(error);
    });
    if (kind !== "sqlite") return;
    // What another part of the run decided at the same time is saved too.
    const saving = Promise.all([its.saving, saved]);
    its.saving = saving;
    try {
      await saving;
    } finally {
      if (its.saving === saving) its.saving = Promise.resolve();
    }
  };
}

function keyOf({ principal, agent, action, resource, effect, rule, grantId }: DecisionRecord): string {
  const { kind, name, instance } = resource;
  return JSON.stringify([principal, agent, action, kind, name, instance, effect, rule, grantId]);
}
