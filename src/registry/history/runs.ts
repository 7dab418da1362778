import type { Answer, Citation, Verdict } from "../../core/answers/answer.ts";
import type { ReplayRecord } from "../../core/answers/replay.ts";
import type { FileReport } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import type { PhaseMetrics } from "../../core/run.ts";
import type { Database } from "../database.ts";
import { columnName, insertRows, onlyReferred, putRow, referredClause } from "../rows.ts";
import type { Retention } from "./retention.ts";

/** A process of a machine, which is no later one of the same number. */
export interface RunProcess {
  readonly host: string;
  readonly pid: number;
  /** When it started, as text that only equals itself. */
  readonly started: string;
}

/** The record of every run. */
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
  /** Model id, "" where no model was used. */
  readonly model: string;
  /** Where the model ran, e.g. `cpu`. */
  readonly provider: string;
  readonly peakRssBytes: number;
  /** Version of ragctl. */
  readonly programVersion: string;
  readonly phases: readonly PhaseMetrics[];
  /** The process of the run, until it has ended; the other members then apply if nothing more is recorded. */
  readonly process?: RunProcess;
}

export interface IngestRun extends RunFacts {
  readonly kind: "ingest";
  readonly collection: string;
  readonly department: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly files: readonly FileReport[];
}

/** What is shown beside a response; older records have none of it. */
export type Beside = {
  readonly [Name in "agent" | "model" | "trace" | "draft" | "tools" | "unavailable" | "searched"]?:
    | Answer[Name]
    | undefined;
};

export interface AskRun extends RunFacts {
  readonly kind: "ask";
  /** Id of the conversation it belongs to, made by the client; absent for none. */
  readonly conversation?: string;
  readonly question: string;
  readonly response: string;
  readonly verdict: Verdict | null;
  readonly citations: readonly Citation[];
  readonly beside?: Beside;
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
  /** Only questions of this conversation. */
  readonly conversation?: string;
}

/** Questions that one principal asked one after another. */
export interface ConversationRow {
  readonly id: string;
  /** The first question that is still kept. */
  readonly title: string;
  readonly questions: number;
  /** When the last question was asked, ISO 8601. */
  readonly askedAt: string;
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
  /** Writes a run and its phases, all or nothing; the same id replaces an earlier record. */
  record(run: RunRecord): Promise<void>;
  /** Removes a run that came to nothing. */
  withdraw(id: string): Promise<void>;
  /** Newest first. */
  list(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /** A principal's conversations, the last asked in first. */
  conversations(of: RunOwner, limit: number): Promise<readonly ConversationRow[]>;
  /**
   * By id or unique prefix of 4 characters or more, among the runs of one principal or, without it, among
   * all. @throws NOT_FOUND
   */
  get(reference: string, of?: RunOwner): Promise<RunRecord>;
}

/** How a member of a run is kept in its column, which is its name in snake case unless `name` says otherwise. */
interface Column {
  readonly name?: string;
  write(value: unknown): unknown;
  /** Undefined for a member that is absent. */
  read(stored: unknown): unknown;
}

const plain: Column = { write: (value) => value, read: (stored) => stored };
const rounded: Column = { ...plain, write: (value) => Math.round(Number(value)) };
const json: Column = { write: JSON.stringify, read: (stored) => JSON.parse(String(stored)) };
/** NULL for null. */
const jsonOrNull: Column = {
  write: (value) => (value === null ? null : JSON.stringify(value)),
  read: (stored) => (stored === null ? null : JSON.parse(String(stored))),
};
/** `nothing` for a member that is absent. */
const absentAs = (nothing: string | null, column: Column, name?: string): Column => ({
  ...(name === undefined ? {} : { name }),
  write: (value) => (value === undefined ? nothing : column.write(value)),
  read: (stored) => (stored === nothing ? undefined : column.read(stored)),
});

type ColumnsOf<Members extends PropertyKey> = Readonly<Record<Members, Column>>;
const factColumns: ColumnsOf<Exclude<keyof RunFacts, "phases">> = {
  id: plain,
  startedAt: plain,
  durationMs: plain,
  state: plain,
  error: jsonOrNull,
  model: plain,
  provider: plain,
  peakRssBytes: rounded,
  programVersion: plain,
  principal: plain,
  process: absentAs(null, json),
};
const ingestColumns: ColumnsOf<Exclude<keyof IngestRun, keyof RunFacts | "kind">> = {
  collection: plain,
  department: plain,
  counts: json,
  files: json,
};
const askColumns: ColumnsOf<Exclude<keyof AskRun, keyof RunFacts | "kind">> = {
  conversation: absentAs("", plain),
  question: plain,
  response: plain,
  verdict: json,
  citations: json,
  beside: absentAs("{}", json, "facts"),
  replay: jsonOrNull,
};

/** Columns of a kind of run: each with its member. */
const columnsOf = (kind: RunRecord["kind"]) =>
  Object.entries<Column>({ ...factColumns, ...(kind === "ingest" ? ingestColumns : askColumns) }).map(
    ([member, column]) => ({ member, name: column.name ?? columnName(member), column }),
  );

/** Where a run is. */
type Head = Pick<RunRecord, "kind" | "id">;

const ofPrincipal = "(:principal IS NULL OR (lower(principal) = lower(:principal) AND started_at >= :since))";
const owned = (of: RunOwner | undefined) => ({ principal: of?.name ?? null, since: of?.createdAt ?? null });

const everyRun = `(SELECT 'ingest' AS kind, id, started_at, principal, '' AS conversation FROM ingest_runs
  UNION ALL SELECT 'ask', id, started_at, principal, conversation FROM ask_runs) AS runs`;

const everyConversation = `SELECT conversation AS id, count(*) AS questions, max(started_at) AS "askedAt",
    (SELECT question FROM ask_runs AS first WHERE first.conversation = runs.conversation AND ${ofPrincipal}
      ORDER BY started_at LIMIT 1) AS title
  FROM ask_runs AS runs WHERE conversation <> '' AND ${ofPrincipal}
  GROUP BY conversation ORDER BY max(started_at) DESC LIMIT :limit`;

/** The record of a run; its JSON columns hold what `record` wrote. */
async function recordOf(database: Database, { kind, id }: Head): Promise<RunRecord> {
  const row = await database
    .statement<Readonly<Record<string, unknown>>>(`SELECT * FROM ${kind}_runs WHERE id = ?`)
    .get(id);
  if (row === undefined) throw new RagctlError("NOT_FOUND", `there is no run "${id}"`, { hint: listHint });
  const members = columnsOf(kind)
    .map(({ member, name, column }) => [member, column.read(row[name])])
    .filter(([, value]) => value !== undefined);
  // The columns state every member of the kind.
  return { kind, ...Object.fromEntries(members), phases: await phasesOf(database, id) } as RunRecord;
}

async function phasesOf(database: Database, runId: string): Promise<readonly PhaseMetrics[]> {
  const rows = await database
    .statement<Omit<PhaseMetrics, "counts"> & { readonly counts: string }>(
      "SELECT phase, duration_ms AS durationMs, counts FROM phase_metrics WHERE run_id = ? ORDER BY position",
    )
    .all(runId);
  return rows.map((row) => ({ ...row, counts: JSON.parse(row.counts) as PhaseMetrics["counts"] }));
}

const listHint = "`ragctl logs` shows every run with its id";

async function insertRun(database: Database, run: RunRecord): Promise<void> {
  const members = new Map<string, unknown>(Object.entries(run));
  const values = columnsOf(run.kind).map(
    ({ member, name, column }) => [name, column.write(members.get(member))] as const,
  );
  await putRow(database, `${run.kind}_runs`, ["id"], Object.fromEntries(values));
}

/** Access to the runs of a registry; with `retention`, each recorded run removes a batch of old ones. */
export function createRunRepository(database: Database, retention?: Pick<Retention, "expireSome">): Runs {
  return {
    async record(run) {
      await database.writeBehind(async () => {
        // First, so that a run that took longer than runs are kept is seen once.
        await retention?.expireSome();
        await insertRun(database, run);
        await database.statement("DELETE FROM phase_metrics WHERE run_id = ?").run(run.id);
        const rows = run.phases.map(({ phase, durationMs, counts: found }, position) => {
          const counts = JSON.stringify(found);
          return { runId: run.id, position, phase, durationMs, counts };
        });
        if (rows.length > 0) await insertRows(database, "phase_metrics", rows);
      });
    },
    async withdraw(id) {
      await database.writeBehind(async () => {
        for (const kind of ["ingest", "ask"])
          await database.statement(`DELETE FROM ${kind}_runs WHERE id = ?`).run(id);
      });
    },
    async list({ kind = null, limit = 20, before = null, of, conversation = null } = {}) {
      const heads = database.statement<Head>(
        `SELECT kind, id FROM ${everyRun} WHERE (:kind IS NULL OR kind = :kind) AND (:before IS NULL OR started_at < :before)
           AND (:conversation IS NULL OR conversation = :conversation) AND ${ofPrincipal} ORDER BY started_at DESC, id LIMIT :limit`,
      );
      return database.read(async () => {
        const found = await heads.all({ ...owned(of), kind, before, conversation, limit });
        return Promise.all(found.map((head) => recordOf(database, head)));
      });
    },
    conversations: (of, limit) =>
      database.statement<ConversationRow>(everyConversation).all({ ...owned(of), limit }),
    async get(reference, of) {
      return database.read(async () => {
        const heads = await database
          .statement<Head>(
            `SELECT kind, id FROM ${everyRun} WHERE ${ofPrincipal} AND ${referredClause} ORDER BY id <> :reference LIMIT 2`,
          )
          .all({ reference, ...owned(of) });
        return recordOf(database, onlyReferred("run", reference, heads, listHint));
      });
    },
  };
}
