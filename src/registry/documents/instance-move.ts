import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Database } from "../database.ts";
import { selectContents, wholeContents } from "./document-rows.ts";

/** The original of a copy of a collection in another instance. */
export interface CopiedCollection {
  readonly name: string;
  /** Its name in the vector store. */
  readonly storeName: string;
  /** Contents that were whole before the copy began, and so are in it. */
  readonly contents: ReadonlySet<string>;
}

/** Contents of a collection that are whole: visible, or replaced and kept. */
export async function completeContents(database: Database, collection: string): Promise<ReadonlySet<string>> {
  return new Set(await selectContents(database, wholeContents("all"), { collection }));
}

/**
 * Makes the instance of a copy that of the collection, of its documents and folders, and of the waiting jobs.
 * The store kept from before the last re-embedding remains in the old instance, so it can no longer be
 * restored. False, without any change, where a content became complete that the copy may lack: copy again.
 * @throws REGISTRY_BUSY while the collection is re-embedded, or was since the copy began
 */
export async function moveToInstance(
  database: Database,
  copied: CopiedCollection,
  instance: Instance,
): Promise<boolean> {
  const { name, storeName, contents } = copied;
  return database.write(async () => {
    await checkStores(database, name, storeName);
    if (!(await completeContents(database, name)).isSubsetOf(contents)) return false;
    const values = { name, instance };
    await database
      .statement("UPDATE collections SET instance = :instance, revision = revision + 1 WHERE name = :name")
      .run(values);
    await database
      .statement(
        "UPDATE jobs SET instance = :instance WHERE target_collection = :name AND state IN ('waiting', 'running')",
      )
      .run(values);
    await database.statement("DELETE FROM collection_stores WHERE collection = ?").run(name);
    return true;
  });
}

async function checkStores(database: Database, name: string, storeName: string): Promise<void> {
  const now = await database
    .statement<{ store_name: string }>(
      "SELECT coalesce(nullif(store_name, ''), name) AS store_name FROM collections WHERE name = ?",
    )
    .get(name);
  const building = await database
    .statement("SELECT 1 FROM collection_stores WHERE collection = ? AND state = 'building' LIMIT 1")
    .get(name);
  if (now?.store_name === storeName && building === undefined) return;
  throw new RagctlError(
    "REGISTRY_BUSY",
    `collection ${name} is being re-embedded, or was re-embedded in the meantime`,
    { hint: `finish that first: ragctl reembed --collection ${name}; then run the command again` },
  );
}
