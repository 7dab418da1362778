import { RagctlError } from "../../core/errors.ts";
import type { Database } from "../database.ts";
import {
  type DocumentRecord,
  factsOf,
  nextVersion,
  publish,
  type VersionRecord,
  type VersionRow,
} from "./document-rows.ts";

/** A replaced version whose chunks may go. */
export interface PrunedVersion {
  readonly documentId: string;
  readonly collection: string;
  readonly name: string;
  readonly version: number;
  readonly chunks: number;
}

/** Earlier versions of documents. */
export interface Versions {
  /** Every version that was visible once, newest first. */
  history(documentId: string): Promise<readonly VersionRecord[]>;
  /** One version of a document; without a number the visible one. @throws NOT_FOUND */
  get(document: DocumentRecord, version?: number): Promise<VersionRecord>;
  /**
   * Makes a kept version the newest, under a new number, in one transaction. @throws NOT_FOUND when its
   * chunks are gone
   */
  restore(document: DocumentRecord, version: number): Promise<VersionRecord>;
  /** Drops all but the `keep` newest replaced versions of each document; with `dryRun` only lists them. */
  prune(options: {
    readonly keep: number;
    readonly collection?: string;
    readonly dryRun: boolean;
  }): Promise<readonly PrunedVersion[]>;
}

const historySql = `SELECT l.document_id AS documentId, l.version, l.version_id AS versionId, coalesce(v.content_id, '') AS contentId, l.sha256,
      l.size_bytes AS sizeBytes, l.name, l.path, coalesce(v.format, '') AS format, l.pages, l.chunks, l.origin, l.at, coalesce(v.is_latest, 0) AS isLatest
    FROM version_log l LEFT JOIN document_versions v ON v.version_id = l.version_id AND v.version = l.version AND v.state IN ('ready', 'superseded')
    WHERE l.document_id = ? ORDER BY l.version DESC`;

const replacedSql = `SELECT * FROM (SELECT v.version_id AS versionId, d.id AS documentId, d.collection, v.name, v.version, v.chunks,
             row_number() OVER (PARTITION BY v.document_id ORDER BY v.version DESC) AS age
           FROM document_versions v JOIN documents d ON d.id = v.document_id
           WHERE v.state = 'superseded' AND (:collection IS NULL OR d.collection = :collection))
         AS replaced WHERE age > :keep ORDER BY collection, name, version`;

/** Access to the versions of a registry. */
export function createVersionRepository(database: Database, now: () => Date = () => new Date()): Versions {
  const history = async (documentId: string): Promise<readonly VersionRecord[]> => {
    const rows = database.statement<Omit<VersionRecord, "isLatest"> & { readonly isLatest: 0 | 1 }>(
      historySql,
    );
    return (await rows.all(documentId)).map((row) => ({ ...row, isLatest: row.isLatest === 1 }));
  };
  const get = async (document: DocumentRecord, version = document.version): Promise<VersionRecord> => {
    const all = await history(document.id);
    const record = all.find((each) => each.version === version);
    if (record !== undefined) return record;
    throw new RagctlError("NOT_FOUND", `${document.name} has no version ${version}`, {
      hint: `versions: ${all.map((each) => each.version).join(", ")}; see ragctl history ${document.id}`,
    });
  };
  return {
    history,
    get,
    async restore(document, version) {
      return database.write(async () => {
        const chosen = await get(document, version);
        if (chosen.isLatest) return chosen;
        const row = await database
          .statement<VersionRow>(
            "SELECT * FROM document_versions WHERE version_id = ? AND state = 'superseded'",
          )
          .get(chosen.versionId);
        if (row === undefined) throw notKept(document, chosen);
        const next = await nextVersion(database, document.id);
        await database
          .statement("UPDATE document_versions SET version = ? WHERE version_id = ?")
          .run(next, row.version_id);
        await publish(database, { ...row, version: next }, factsOf(row), "restore", now());
        return get(document, next);
      });
    },
    async prune({ keep, collection = null, dryRun }) {
      const replaced = database.statement<PrunedVersion & { readonly versionId: string }>(replacedSql);
      return database.write(async () => {
        const pruned = await replaced.all({ keep, collection });
        const giveUp = database.statement(
          "UPDATE document_versions SET state = 'deleting', owner = '', reason = 'pruned' WHERE version_id IN (SELECT value FROM json_each(?))",
        );
        if (!dryRun && pruned.length > 0)
          await giveUp.run(JSON.stringify(pruned.map(({ versionId }) => versionId)));
        return pruned.map(({ versionId: _, ...version }) => version);
      });
    },
  };
}

function notKept(document: DocumentRecord, { version, sha256 }: VersionRecord): RagctlError {
  return new RagctlError(
    "NOT_FOUND",
    `the text of version ${version} of ${document.name} is no longer stored`,
    {
      hint:
        document.sha256 === sha256
          ? "the visible version has the same content"
          : `put the old file back at ${document.path} and ingest it; ragctl keeps only the newest replaced version of a document`,
    },
  );
}
