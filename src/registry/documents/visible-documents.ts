import type { SearchRequest } from "../../core/app.ts";
import { lruBySize } from "../../core/lazy.ts";
import type { Database } from "../database.ts";
import { type DocumentRecord, type DocumentRow, selectDocuments, toSummary } from "./document-rows.ts";

/** The documents of collections; the visible ones are kept in memory until their collection changes. */
export interface VisibleDocuments {
  /**
   * By collection and name; returns the same array until something changes. All collections when none is
   * named. Not for use within a `write`, because a rollback would not undo the cached array.
   */
  latest(collections?: readonly string[]): Promise<readonly DocumentRecord[]>;
  /**
   * Documents of these collections, by collection and name, as of the requested versions: a number selects
   * that version of each, `at` (ISO 8601) those that were visible then, both where they are kept; `all` and
   * `latest` the visible ones. Empty without collections.
   */
  asOf(
    collections: readonly string[],
    versions: SearchRequest["versions"],
  ): Promise<readonly DocumentRecord[]>;
  /** One text for each collection; it changes with the collection's visible documents. */
  revisions(collections: readonly string[]): Promise<readonly string[]>;
}

/** Documents that are kept in memory, 600 bytes each; those of the last collection are, however many. */
const mostKept = 100_000;

interface Kept {
  readonly revision: string;
  readonly documents: readonly DocumentRecord[];
}

/** Access to the visible documents of a registry. */
export function createVisibleDocumentCache(database: Database): VisibleDocuments {
  const kept = lruBySize<string, Kept>(mostKept, ({ documents }) => documents.length);
  const revisionOf = async (collection: string): Promise<string | undefined> => {
    const row = await database
      .statement<{ createdAt: string; revision: number }>(
        "SELECT created_at AS createdAt, revision FROM collections WHERE name = ?",
      )
      .get(collection);
    return row === undefined ? undefined : `${row.createdAt} ${row.revision}`;
  };
  const latestOf = async (collection: string): Promise<readonly DocumentRecord[]> => {
    const revision = await revisionOf(collection);
    const before = kept.get(collection);
    if (revision !== undefined && before?.revision === revision) return before.documents;
    const documents = await documentsOf(database, [collection]);
    if (revision !== undefined) kept.set(collection, { revision, documents });
    return documents;
  };
  const latest: VisibleDocuments["latest"] = async (collections = []) => {
    if (collections.length === 0) return documentsOf(database, []);
    const lists = await database.read(() => Promise.all([...new Set(collections)].sort().map(latestOf)));
    const [only] = lists;
    return lists.length === 1 && only !== undefined ? only : lists.flat();
  };
  return {
    latest,
    async asOf(collections, versions) {
      if (typeof versions === "number" || typeof versions === "object")
        return earlier(database, collections, versions);
      return collections.length === 0 ? [] : await latest(collections);
    },
    revisions: (collections) =>
      database.read(
        async () =>
          await Promise.all(collections.map(async (name) => `${name} ${(await revisionOf(name)) ?? ""}`)),
      ),
  };
}

async function documentsOf(
  database: Database,
  collections: readonly string[],
): Promise<readonly DocumentRecord[]> {
  const sql = selectDocuments(
    collections.length === 0 ? "? = '[]'" : "d.collection IN (SELECT value FROM json_each(?))",
  );
  return (await database.statement<DocumentRow>(sql).all(JSON.stringify(collections))).map(toSummary);
}

/** A version whose chunks are kept. */
const isKept = "v.state IN ('ready', 'superseded')";

async function earlier(
  database: Database,
  collections: readonly string[],
  versions: number | { readonly at: string },
): Promise<readonly DocumentRecord[]> {
  const [which, parameters] =
    typeof versions === "number"
      ? [`${isKept} AND v.version = :version`, { version: versions }]
      : [
          `${isKept} AND v.version_id = (SELECT l.version_id FROM version_log l WHERE l.document_id = d.id AND l.at <= :at ORDER BY l.version DESC LIMIT 1)`,
          { at: versions.at },
        ];
  const sql = selectDocuments("d.collection IN (SELECT value FROM json_each(:collections))", which);
  const named = { collections: JSON.stringify(collections), ...parameters };
  return (await database.statement<DocumentRow>(sql).all(named)).map(toSummary);
}
