import type { Database } from "../database.ts";
import { insertRows } from "../rows.ts";
import type { CollectionRecord } from "./collections.ts";
import { selectContents, shortHash, type VersionRow, wholeContents } from "./document-rows.ts";

/** A store of a collection in addition to the one that is searched. */
export interface ShadowStore {
  readonly storeName: string;
  readonly collection: string;
  readonly fingerprint: string;
  /** Model id. */
  readonly embedder: string;
  readonly dimensions: number;
  readonly lexical: "sparse" | "bm25";
  /**
   * `building` is filled and will be swapped in; `previous` was searched before; `dropping` may be removed.
   */
  readonly state: "building" | "previous" | "dropping";
  /** `all`: replaced versions that are kept come along. */
  readonly scope: "latest" | "all";
  /** `rollback` where it is built because the collection goes back to it. */
  readonly owner: string;
}

/**
 * Stores of collections that are being re-embedded. Documents that a store holds completely are recorded, so
 * that a killed run resumes.
 */
export interface ShadowStores {
  list(collection?: string): Promise<readonly ShadowStore[]>;
  /**
   * The store to build for these vectors: an unfinished one, or a new name; an unfinished store for other
   * vectors is dropped.
   */
  begin(
    collection: CollectionRecord,
    wanted: Omit<ShadowStore, "storeName" | "collection" | "state" | "owner">,
  ): Promise<ShadowStore>;
  /** Makes the previously searched store the one to build; undefined when there is none. */
  beginRollback(collection: string): Promise<ShadowStore | undefined>;
  /** Contents the store needs and does not hold whole. */
  missing(store: ShadowStore): Promise<readonly string[]>;
  done(store: ShadowStore, contentIds: readonly string[]): Promise<void>;
  /** Records that the store is empty. */
  emptied(store: ShadowStore): Promise<void>;
  /** Contents that the store holds and no version needs. */
  orphans(store: ShadowStore): Promise<readonly string[]>;
  /** Searches go to this store from here on, in one transaction; false while contents are missing. */
  swap(store: ShadowStore): Promise<boolean>;
  dropped(storeName: string): Promise<void>;
}

/** Owner of a store that a collection goes back to. */
const rollback = "rollback";

/** Longest part of a collection's name in the name of its store. */
const maxNamePart = 44;

const orphansSql =
  "SELECT content_id FROM store_contents WHERE store_name = ? AND content_id NOT IN (SELECT content_id FROM document_versions)";

/** Access to the shadow stores of a registry. */
export function createShadowRepository(database: Database, now: () => Date = () => new Date()): ShadowStores {
  const time = (): string => now().toISOString();
  return {
    list: (collection) => list(database, collection),
    begin: (collection, wanted) => database.write(() => begin(database, collection, wanted, time())),
    beginRollback: (collection) => database.write(() => beginRollback(database, collection)),
    missing: (store) => missing(database, store),
    async done(store, contentIds) {
      await database
        .statement(
          // SQLite needs the WHERE to tell the ON of the conflict from that of a join.
          "INSERT INTO store_contents SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING",
        )
        .run(store.storeName, JSON.stringify(contentIds));
    },
    async emptied(store) {
      await database.statement("DELETE FROM store_contents WHERE store_name = ?").run(store.storeName);
    },
    orphans: ({ storeName }) => selectContents(database, orphansSql, storeName),
    swap: (store) => database.write(() => swap(database, store, time())),
    dropped: (storeName) => remove(database, storeName),
  };
}

async function list(database: Database, collection?: string): Promise<readonly ShadowStore[]> {
  return database
    .statement<ShadowStore>(
      `SELECT store_name AS storeName, collection, fingerprint, embedder, dimensions, lexical, state, scope, owner FROM collection_stores
       WHERE :collection IS NULL OR collection = :collection ORDER BY collection, created_at`,
    )
    .all({ collection: collection ?? null });
}

async function mark(database: Database, storeName: string, state: ShadowStore["state"]): Promise<void> {
  await database
    .statement("UPDATE collection_stores SET state = ? WHERE store_name = ?")
    .run(state, storeName);
}

async function remove(database: Database, storeName: string): Promise<void> {
  await database.statement("DELETE FROM collection_stores WHERE store_name = ?").run(storeName);
}

async function missing(
  database: Database,
  { scope, collection, storeName }: ShadowStore,
): Promise<readonly string[]> {
  const held = "SELECT content_id FROM store_contents WHERE store_name = :storeName";
  const sql = `${wholeContents(scope)} AND v.content_id NOT IN (${held}) ORDER BY v.content_id`;
  return selectContents(database, sql, { collection, storeName });
}

async function begin(
  database: Database,
  collection: CollectionRecord,
  wanted: Parameters<ShadowStores["begin"]>[1],
  createdAt: string,
): Promise<ShadowStore> {
  const open = (await list(database, collection.name)).find((store) => store.state === "building");
  if (open?.fingerprint === wanted.fingerprint && open.scope === wanted.scope) return open;
  if (open !== undefined) await mark(database, open.storeName, "dropping");
  const store: ShadowStore = {
    ...wanted,
    storeName: await freeName(database, collection, wanted.fingerprint),
    collection: collection.name,
    state: "building",
    owner: "",
  };
  await insertRows(database, "collection_stores", [{ ...store, createdAt }]);
  return store;
}

/** A name that says which collection and vectors a store holds, and that no other store has. */
async function freeName(
  database: Database,
  collection: CollectionRecord,
  fingerprint: string,
): Promise<string> {
  const { name, storeName = name } = collection;
  const taken = new Set([name, storeName, ...(await list(database)).map((store) => store.storeName)]);
  const base = `${name.slice(0, maxNamePart)}__${shortHash(8, fingerprint)}`;
  let free = base;
  for (let turn = 2; taken.has(free); turn++) free = `${base}_${turn}`;
  return free;
}

async function beginRollback(database: Database, collection: string): Promise<ShadowStore | undefined> {
  const known = await list(database, collection);
  const previous = known.find((store) => store.state === "previous");
  const open = known.find((store) => store.state === "building");
  // An interrupted rollback resumes; a store that was never searched cannot be rolled back to.
  if (previous === undefined) return open?.owner === rollback ? open : undefined;
  if (open !== undefined) await mark(database, open.storeName, "dropping");
  await database
    .statement("UPDATE collection_stores SET state = 'building', owner = ? WHERE store_name = ?")
    .run(rollback, previous.storeName);
  return { ...previous, state: "building", owner: rollback };
}

/** The store that a collection is searched in. */
type Active = Pick<ShadowStore, "storeName" | "fingerprint" | "embedder" | "dimensions" | "lexical">;

async function swap(database: Database, store: ShadowStore, time: string): Promise<boolean> {
  const { collection, scope } = store;
  if ((await missing(database, store)).length > 0) return false;
  const active = await database
    .statement<Active>(
      "SELECT coalesce(nullif(store_name, ''), name) AS storeName, fingerprint, embedder, dimensions, lexical FROM collections WHERE name = ?",
    )
    .get(collection);
  if (active === undefined) return false;
  await keepPrevious(database, { ...active, collection, state: "previous", scope, owner: "" }, time);
  if (scope === "latest") await giveUpReplaced(database, store);
  await refingerprint(database, collection, active.fingerprint, store.fingerprint);
  await activate(database, store);
  return true;
}

/**
 * Notes the store that was searched, with what it holds, as the way back; the one before it may be removed.
 */
async function keepPrevious(database: Database, previous: ShadowStore, time: string): Promise<void> {
  const { collection, storeName } = previous;
  for (const each of await list(database, collection))
    if (each.state === "previous") await mark(database, each.storeName, "dropping");
  await insertRows(database, "collection_stores", [{ ...previous, createdAt: time }]);
  await database
    .statement(
      `INSERT INTO store_contents SELECT :storeName, content_id FROM (${wholeContents("all")}) AS needed`,
    )
    .run({ collection, storeName });
}

/** Replaced versions that did not come along go. */
async function giveUpReplaced(database: Database, { storeName, collection }: ShadowStore): Promise<void> {
  await database
    .statement(
      `UPDATE document_versions SET state = 'deleting', owner = '', reason = 'not embedded anew' WHERE state = 'superseded'
       AND content_id NOT IN (SELECT content_id FROM store_contents WHERE store_name = ?) AND document_id IN (SELECT id FROM documents WHERE collection = ?)`,
    )
    .run(storeName, collection);
}

/** The versions' fingerprints and ids as the new vectors make them; contents keep their ids. */
async function refingerprint(
  database: Database,
  collection: string,
  from: string,
  to: string,
): Promise<void> {
  const rows = (
    await database
      .statement<Pick<VersionRow, "version_id" | "document_id" | "sha256" | "fingerprint" | "department">>(
        `SELECT v.version_id, v.document_id, v.sha256, v.fingerprint, v.department FROM document_versions v JOIN documents d ON d.id = v.document_id
       WHERE d.collection = ? AND v.state IN ('ready', 'superseded')`,
      )
      .all(collection)
  ).filter((row) => row.fingerprint === from || row.fingerprint.startsWith(`${from}/`));
  const update = database.statement(
    `UPDATE document_versions SET version_id = :to, fingerprint = :fingerprint WHERE version_id = :from
       AND NOT EXISTS (SELECT 1 FROM document_versions taken WHERE taken.version_id = :to)`,
  );
  const log = database.statement(
    "UPDATE version_log SET version_id = ? WHERE document_id = ? AND version_id = ?",
  );
  for (const row of rows) {
    const fingerprint = to + row.fingerprint.slice(from.length);
    const versionId = shortHash(20, row.document_id, row.sha256, fingerprint, row.department);
    if ((await update.run({ to: versionId, fingerprint, from: row.version_id })).changes > 0)
      await log.run(versionId, row.document_id, row.version_id);
  }
  await database.statement("DELETE FROM seen_files WHERE collection = ?").run(collection);
}

async function activate(database: Database, store: ShadowStore): Promise<void> {
  await database
    .statement(
      `UPDATE collections SET store_name = :storeName, fingerprint = :fingerprint, embedder = :embedder, dimensions = :dimensions,
         lexical = :lexical, revision = revision + 1 WHERE name = :collection`,
    )
    .run(store);
  await remove(database, store.storeName);
}
