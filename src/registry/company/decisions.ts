import type { DecisionRecord } from "../../core/permission.ts";
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
  /** Writes all or nothing, then drops the oldest beyond the limit. */
  record(runId: string, decisions: readonly DecisionRecord[]): void;
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

/** Opens the decisions of a registry; the newest `limit` are kept. */
export function openDecisions(
  database: Database,
  { limit = defaultLimit, now = () => new Date() } = {},
): Decisions {
  return {
    record(runId, decisions) {
      if (decisions.length === 0) return;
      database.write(() => {
        const insert = database.statement(
          `INSERT INTO decisions (id, decided_at, run_id, principal, agent, action, resource_kind, resource, instance, effect, rule, reason, grant_id)
           VALUES ((SELECT coalesce(max(id), 0) + 1 FROM decisions), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        );
        const time = now().toISOString();
        for (const { principal, agent, action, resource, effect, rule, reason, grantId } of decisions) {
          const { kind, name, instance } = resource;
          insert.run(
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
          );
        }
        database
          .statement("DELETE FROM decisions WHERE id <= (SELECT max(id) FROM decisions) - ?")
          .run(limit);
      });
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
