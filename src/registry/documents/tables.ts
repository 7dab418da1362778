import type { TableSlice } from "../../core/documents/document.ts";
import type { Database } from "../database.ts";
import { insertRows } from "../rows.ts";

/** The tables of contents, which versions of the same content share as they share its chunks. */
export interface KeptTables {
  /** The tables of a content in order; undefined where they were never kept. */
  tableSlices(contentId: string): Promise<readonly TableSlice[] | undefined>;
  /** Those of these contents that a version has shown and whose tables were never kept. */
  withoutTables(contentIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Opens the tables of a registry. */
export const openKeptTables = (database: Database): KeptTables => ({
  async tableSlices(contentId) {
    const rows = database.statement<TableSlice>(
      "SELECT ordinal, part, content FROM document_tables WHERE content_id = ? ORDER BY ordinal, part",
    );
    const slices = await rows.all(contentId);
    return slices.length === 0 ? undefined : slices.filter(({ content }) => content.length > 0);
  },
  async withoutTables(contentIds) {
    const rows = database.statement<{ value: string }>(
      `SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM document_tables WHERE content_id = value)
         AND EXISTS (SELECT 1 FROM document_versions WHERE content_id = value AND state IN ('ready', 'superseded'))`,
    );
    return new Set((await rows.all(JSON.stringify(contentIds))).map(({ value }) => value));
  },
});

/** Slices that one statement inserts. */
const together = 20;

/** Keeps the tables of a content in place of those it had; part of a `write`. */
export async function keepTables(
  database: Database,
  contentId: string,
  slices: readonly TableSlice[],
): Promise<void> {
  await database.statement("DELETE FROM document_tables WHERE content_id = ?").run(contentId);
  const none = { ordinal: 0, part: 0, content: new Uint8Array() };
  const rows = (slices.length === 0 ? [none] : slices).map((slice) => ({ content_id: contentId, ...slice }));
  for (let at = 0; at < rows.length; at += together)
    await insertRows(database, "document_tables", rows.slice(at, at + together));
}

/** Drops the tables of those of the contents that no version has; part of a `write`. */
export async function dropTables(database: Database, contentIds: readonly string[]): Promise<void> {
  await database
    .statement(
      `DELETE FROM document_tables WHERE content_id IN
         (SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM document_versions WHERE content_id = value))`,
    )
    .run(JSON.stringify(contentIds));
}
