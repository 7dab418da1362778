import { asRagctlError } from "../../core/errors.ts";
import { recent } from "../../core/lazy.ts";
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

export interface Decisions {
  /** Writes all or nothing, and drops the oldest beyond the limit; rejects when they were not saved. */
  record(runId: string, decisions: readonly DecisionRecord[]): Promise<void>;
  /** Newest first. */
  list(filter?: DecisionFilter): readonly RecordedDecision[];
}

/** Decisions that are kept. */
const defaultLimit = 10_000;

interface Row extends Omit<RecordedDecision, "resource"> {
  readonly kind: DecisionRecord["resource"]["kind"];
  readonly name: string;
  readonly instance: DecisionRecord["resource"]["instance"];
}

const insert = `INSERT INTO decisions (id, decided_at, run_id, principal, agent, action, resource_kind, resource, instance, effect, rule, reason, grant_id)
  VALUES ((SELECT coalesce(max(id), 0) + 1 FROM decisions), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const trim = "DELETE FROM decisions WHERE id <= (SELECT max(id) FROM decisions) - ?";

/** Opens the decisions of a registry; the newest `limit` are kept. */
export function openDecisions(
  database: Database,
  { limit = defaultLimit, now = () => new Date() } = {},
): Decisions {
  return {
    async record(runId, decisions) {
      if (decisions.length === 0) return;
      const time = now().toISOString();
      const rows = decisions.map(
        ({ principal, agent, action, resource: { kind, name, instance }, effect, rule, reason, grantId }) =>
          [
            time,
            runId,
            principal,
            agent,
            action,
            kind,
            name,
            instance,
            effect,
            rule,
            reason,
            grantId,
          ] as const,
      );
      await database.post([...rows.map((row) => [insert, ...row] as const), [trim, limit]]);
    },
    list({ principal, effect, limit: wanted = 20 } = {}) {
      const rows = database.statement<Row>(
        `SELECT decided_at AS decidedAt, run_id AS runId, principal, agent, action, resource_kind AS kind, resource AS name, instance, effect, rule, reason,
           grant_id AS grantId
         FROM decisions WHERE (:principal IS NULL OR lower(principal) = lower(:principal)) AND (:effect IS NULL OR effect = :effect) ORDER BY id DESC LIMIT :limit`,
      );
      return database.read(() =>
        rows
          .all({ principal: principal ?? null, effect: effect ?? null, limit: wanted })
          .map(({ kind, name, instance, ...row }) => ({
            ...row,
            resource: { kind, name, instance, department: "" },
          })),
      );
    },
  };
}

/** Writes down what was decided in a run; nothing waits for it, and a failure is a warning. */
export type Recorder = (run: Run, decisions: readonly DecisionRecord[]) => void;

/** Runs whose decisions are known: as many as a server has connections. */
const knownRuns = 1000;

/** Writes decisions down; a run that decides the same many times (a batch) records it once. */
export function openRecorder(decisions: Pick<Decisions, "record">): Recorder {
  const runs = recent<string, Set<string>>(knownRuns, () => 1);
  return (run, made) => {
    const recorded = runs.get(run.id) ?? new Set();
    runs.set(run.id, recorded);
    const isNew = (decision: DecisionRecord): boolean => {
      const known = recorded.size;
      return recorded.add(keyOf(decision)).size > known;
    };
    decisions
      .record(run.id, made.filter(isNew))
      .catch((error: unknown) =>
        run.log.warn(`decisions could not be recorded: ${asRagctlError(error).message}`),
      );
  };
}

function keyOf({ principal, agent, action, resource, effect, rule, grantId }: DecisionRecord): string {
  const { kind, name, instance } = resource;
  return JSON.stringify([principal, agent, action, kind, name, instance, effect, rule, grantId]);
}
