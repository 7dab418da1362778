import type { Citation, Verdict } from "../../core/answers/answer.ts";
import type { ReplayRecord } from "../../core/answers/replay.ts";
import type { FileReport } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import type { PhaseMetrics } from "../../core/run.ts";
import type { Database } from "../database.ts";

/** What every run leaves behind. */
export interface RunFacts {
  readonly id: string;
  /** Name of the principal it ran for. */
  readonly principal: string;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly state: "completed" | "failed" | "cancelled";
  /** What ended the run, when it did not complete. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Model id, "" when none was used. */
  readonly model: string;
  /** Where the model ran, e.g. `cpu`. */
  readonly provider: string;
  readonly peakRssBytes: number;
  /** Version of ragctl. */
  readonly programVersion: string;
  readonly phases: readonly PhaseMetrics[];
}

export interface IngestRun extends RunFacts {
  readonly kind: "ingest";
  readonly collection: string;
  readonly department: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly files: readonly FileReport[];
}

export interface AskRun extends RunFacts {
  readonly kind: "ask";
  readonly question: string;
  readonly response: string;
  readonly verdict: Verdict | null;
  readonly citations: readonly Citation[];
  /** What decided the answer; null where it was not kept. */
  readonly replay: ReplayRecord | null;
}

export type RunRecord = IngestRun | AskRun;

export interface RunFilter {
  readonly kind?: RunRecord["kind"];
  /** Default 20. */
  readonly limit?: number;
  /** Only runs that started before this, ISO 8601. */
  readonly before?: string;
  /** Whose runs; absent: everyone's. */
  readonly of?: RunOwner;
}

/**
 * The principal whose runs are meant, and since when there is one: runs of an earlier one of the name are not
 * its own.
 */
export interface RunOwner {
  readonly name: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface Runs {
  /** Writes a run and its phases, all or nothing; the same id again replaces what was written. */
  record(run: RunRecord): void;
  /** Newest first. */
  list(filter?: RunFilter): readonly RunRecord[];
  /**
   * By id or unique prefix of 4 characters or more, among the runs of one principal or, without it, among
   * all. @throws NOT_FOUND
   */
  get(reference: string, of?: RunOwner): RunRecord;
}

interface Row {
  readonly kind: RunRecord["kind"];
  readonly run: string;
}

const shared = `'id', id, 'principal', principal, 'startedAt', started_at, 'durationMs', duration_ms, 'state', state, 'error', json(error), 'model', model, 'provider', provider,
  'peakRssBytes', peak_rss_bytes, 'programVersion', program_version,
  'phases', json((SELECT json_group_array(json_object('phase', phase, 'durationMs', duration_ms, 'counts', json(counts)) ORDER BY position)
    FROM phase_metrics WHERE run_id = r.id))`;

const ofPrincipal = "(:principal IS NULL OR (principal = :principal AND started_at >= :since))";
const owned = (of: RunOwner | undefined) => ({ principal: of?.name ?? null, since: of?.createdAt ?? null });

const everyRun = `
  SELECT 'ingest' AS kind, id, started_at, principal, json_object('kind', 'ingest', ${shared}, 'collection', collection, 'department', department,
    'counts', json(counts), 'files', json(files)) AS run FROM ingest_runs r
  UNION ALL
  SELECT 'ask', id, started_at, principal, json_object('kind', 'ask', ${shared}, 'question', question, 'response', response,
    'verdict', json(verdict), 'citations', json(citations), 'replay', json(replay)) FROM ask_runs r`;

/** The row as it was recorded: the text was made by `record` and its columns are checked as JSON. */
const recordOf = (row: Row): RunRecord => JSON.parse(row.run) as RunRecord;

type Columns = Readonly<Record<string, string | number | null>>;

function sharedColumns(run: RunRecord): Columns {
  return {
    id: run.id,
    started_at: run.startedAt,
    duration_ms: run.durationMs,
    state: run.state,
    error: run.error === null ? null : JSON.stringify(run.error),
    model: run.model,
    provider: run.provider,
    peak_rss_bytes: Math.round(run.peakRssBytes),
    program_version: run.programVersion,
    principal: run.principal,
  };
}

const ingestColumns = (run: IngestRun): Columns => ({
  collection: run.collection,
  department: run.department,
  counts: JSON.stringify(run.counts),
  files: JSON.stringify(run.files),
});

const askColumns = (run: AskRun): Columns => ({
  question: run.question,
  response: run.response,
  verdict: JSON.stringify(run.verdict),
  citations: JSON.stringify(run.citations),
  replay: run.replay === null ? null : JSON.stringify(run.replay),
});

function insertRun(database: Database, run: RunRecord): void {
  const [table, columns] =
    run.kind === "ingest" ? ["ingest_runs", ingestColumns(run)] : ["ask_runs", askColumns(run)];
  const values = { ...sharedColumns(run), ...columns };
  const names = Object.keys(values);
  database
    .statement(
      `INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${names.map((name) => `:${name}`).join(", ")})`,
    )
    .run(values);
}

/** Opens the runs of a registry. */
export function openRuns(database: Database): Runs {
  return {
    record(run) {
      database.write(() => {
        insertRun(database, run);
        database.statement("DELETE FROM phase_metrics WHERE run_id = ?").run(run.id);
        const insertPhase = database.statement(
          "INSERT INTO phase_metrics (run_id, position, phase, duration_ms, counts) VALUES (?, ?, ?, ?, ?)",
        );
        for (const [position, { phase, durationMs, counts }] of run.phases.entries())
          insertPhase.run(run.id, position, phase, durationMs, JSON.stringify(counts));
      });
    },
    list({ kind, limit = 20, before, of } = {}) {
      const rows = database.statement<Row>(
        `SELECT kind, run FROM (${everyRun}) WHERE (:kind IS NULL OR kind = :kind) AND (:before IS NULL OR started_at < :before) AND ${ofPrincipal} ORDER BY started_at DESC, id LIMIT :limit`,
      );
      return database.read(() =>
        rows.all({ kind: kind ?? null, before: before ?? null, limit, ...owned(of) }).map(recordOf),
      );
    },
    get(reference, of) {
      return database.read(() => {
        const rows = database
          .statement<Row>(
            `SELECT kind, run FROM (${everyRun}) WHERE ${ofPrincipal} AND (id = :reference OR (length(:reference) >= 4 AND substr(id, 1, length(:reference)) = :reference)) ORDER BY id <> :reference LIMIT 2`,
          )
          .all({ reference, ...owned(of) })
          .map(recordOf);
        const [run] = rows;
        if (run !== undefined && (rows.length === 1 || run.id === reference)) return run;
        const message =
          run === undefined ? `there is no run "${reference}"` : `"${reference}" fits several runs`;
        throw new RagctlError("NOT_FOUND", message, { hint: "ragctl logs shows every run with its id" });
      });
    },
  };
}
