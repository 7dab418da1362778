import { createHash } from "node:crypto";
import type { Database } from "../database.ts";
import type { CollectionRecord } from "./collections.ts";
import { hex } from "./document-rows.ts";

/** A store beside the one a collection is searched in. */
export interface ShadowStore {
  readonly storeName: string;
  readonly collection: string;
  readonly fingerprint: string;
  /** Model id. */
  readonly embedder: string;
  readonly dimensions: number;
  readonly lexical: "sparse" | "bm25";
  /** `building` is filled and will be swapped in; `previous` was searched before; `dropping` may be removed. */
  readonly state: "building" | "previous" | "dropping";
  /** `all`: replaced versions that are kept come along. */
  readonly scope: "latest" | "all";
  /** `rollback` where it is built because the collection goes back to it. */
  readonly owner: string;
}

/** Stores of collections that are embedded anew. What each holds whole is noted, so that a killed run goes on. */
export interface ShadowStores {
  list(collection?: string): readonly ShadowStore[];
  /** The store to build for these vectors: one begun before, or a new name; an unfinished one for other vectors is given up. */
  begin(
    collection: CollectionRecord,
    wanted: Omit<ShadowStore, "storeName" | "collection" | "state" | "owner">,
  ): ShadowStore;
  /** Makes the store that was searched before the one to build; undefined when there is none. */
  beginRollback(collection: string): ShadowStore | undefined;
  /** Contents the store needs and does not hold whole. */
  missing(store: ShadowStore): readonly string[];
  done(store: ShadowStore, contentIds: readonly string[]): void;
  /** Notes that the store holds nothing (any more). */
  emptied(store: ShadowStore): void;
  /** Contents the store holds and no version needs any more. */
  orphans(store: ShadowStore): readonly string[];
  /** Searches go to this store from here on, in one transaction; false while contents are missing. */
  swap(store: ShadowStore): boolean;
  dropped(storeName: string): void;
}

/** Owner of a store that a collection goes back to. */
const rollback = "rollback";

/** Longest part of a collection's name in the name of its store. */
const maxNamePart = 44;

/** Opens the shadow stores of a registry. */
export function openShadowStores(database: Database, now: () => Date = () => new Date()): ShadowStores {
  const select =
    "SELECT store_name AS storeName, collection, fingerprint, embedder, dimensions, lexical, state, scope, owner FROM collection_stores";
  const list = (collection?: string): readonly ShadowStore[] =>
    database.read(() =>
      database
        .statement<ShadowStore>(`${select} WHERE ? IS NULL OR collection = ? ORDER BY collection, created_at`)
        .all(collection ?? null, collection ?? null),
    );
  const mark = (storeName: string, state: ShadowStore["state"]): void => {
    database.statement("UPDATE collection_stores SET state = ? WHERE store_name = ?").run(state, storeName);
  };
  const insert = (store: ShadowStore): void => {
    const { storeName, collection, fingerprint, embedder, dimensions, lexical, state, scope } = store;
    database
      .statement("INSERT INTO collection_stores VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', ?)")
      .run(
        storeName,
        collection,
        fingerprint,
        embedder,
        dimensions,
        lexical,
        state,
        scope,
        now().toISOString(),
      );
  };
  const needed = (scope: ShadowStore["scope"]): string =>
    `SELECT DISTINCT v.content_id FROM document_versions v JOIN documents d ON d.id = v.document_id
     WHERE d.collection = :collection AND v.state IN (${scope === "all" ? "'ready', 'superseded'" : "'ready'"})`;
  const missing = (store: ShadowStore): readonly string[] =>
    database.read(() =>
      database
        .statement<{ content_id: string }>(
          `${needed(store.scope)} AND v.content_id NOT IN (SELECT content_id FROM store_contents WHERE store_name = :storeName) ORDER BY v.content_id`,
        )
        .all({ collection: store.collection, storeName: store.storeName })
        .map((row) => row.content_id),
    );

  /** The versions' fingerprints and ids as the new vectors make them; contents keep their ids. */
  const refingerprint = (collection: string, from: string, to: string): void => {
    const rows = database
      .statement<{
        version_id: string;
        document_id: string;
        sha256: string;
        fingerprint: string;
        department: string;
      }>(
        `SELECT v.version_id, v.document_id, v.sha256, v.fingerprint, v.department FROM document_versions v JOIN documents d ON d.id = v.document_id
         WHERE d.collection = ? AND v.state IN ('ready', 'superseded')`,
      )
      .all(collection)
      .filter((row) => row.fingerprint === from || row.fingerprint.startsWith(`${from}/`));
    const update = database.statement(
      "UPDATE OR IGNORE document_versions SET version_id = ?, fingerprint = ? WHERE version_id = ?",
    );
    const log = database.statement(
      "UPDATE version_log SET version_id = ? WHERE document_id = ? AND version_id = ?",
    );
    for (const row of rows) {
      const fingerprint = to + row.fingerprint.slice(from.length);
      const versionId = hex(20, row.document_id, row.sha256, fingerprint, row.department);
      if (update.run(versionId, fingerprint, row.version_id).changes > 0)
        log.run(versionId, row.document_id, row.version_id);
    }
    database.statement("DELETE FROM seen_files WHERE collection = ?").run(collection);
  };

  return {
    list,
    begin(collection, wanted) {
      return database.write(() => {
        const known = list(collection.name);
        const open = known.find((store) => store.state === "building");
        if (open !== undefined) {
          if (open.fingerprint === wanted.fingerprint && open.scope === wanted.scope) return open;
          mark(open.storeName, "dropping");
        }
        const taken = new Set([
          collection.name,
          collection.storeName ?? collection.name,
          ...list().map((store) => store.storeName),
        ]);
        const base = `${collection.name.slice(0, maxNamePart)}__${createHash("sha256").update(wanted.fingerprint).digest("hex").slice(0, 8)}`;
        let storeName = base;
        for (let turn = 2; taken.has(storeName); turn++) storeName = `${base}_${turn}`;
        const store: ShadowStore = {
          ...wanted,
          storeName,
          collection: collection.name,
          state: "building",
          owner: "",
        };
        insert(store);
        return store;
      });
    },
    beginRollback(collection) {
      return database.write(() => {
        const known = list(collection);
        const previous = known.find((store) => store.state === "previous");
        const open = known.find((store) => store.state === "building");
        // One that was ended half-way goes on; a store that was never searched is no way back.
        if (previous === undefined) return open?.owner === rollback ? open : undefined;
        if (open !== undefined) mark(open.storeName, "dropping");
        database
          .statement("UPDATE collection_stores SET state = 'building', owner = ? WHERE store_name = ?")
          .run(rollback, previous.storeName);
        return { ...previous, state: "building" as const, owner: rollback };
      });
    },
    missing,
    done(store, contentIds) {
      database.write(() => {
        const put = database.statement("INSERT OR IGNORE INTO store_contents VALUES (?, ?)");
        for (const contentId of contentIds) put.run(store.storeName, contentId);
      });
    },
    emptied(store) {
      database.write(() =>
        database.statement("DELETE FROM store_contents WHERE store_name = ?").run(store.storeName),
      );
    },
    orphans: (store) =>
      database.read(() =>
        database
          .statement<{ content_id: string }>(
            "SELECT content_id FROM store_contents WHERE store_name = ? AND content_id NOT IN (SELECT content_id FROM document_versions)",
          )
          .all(store.storeName)
          .map((row) => row.content_id),
      ),
    swap(store) {
      return database.write(() => {
        if (missing(store).length > 0) return false;
        const active = database
          .statement<Omit<ShadowStore, "state" | "scope" | "collection" | "owner">>(
            `SELECT coalesce(nullif(store_name, ''), name) AS storeName, fingerprint, embedder, dimensions, lexical FROM collections WHERE name = ?`,
          )
          .get(store.collection);
        if (active === undefined) return false;
        for (const each of list(store.collection))
          if (each.state === "previous") mark(each.storeName, "dropping");
        insert({ ...active, collection: store.collection, state: "previous", scope: store.scope, owner: "" });
        database
          .statement(`INSERT INTO store_contents SELECT :storeName, content_id FROM (${needed("all")})`)
          .run({ collection: store.collection, storeName: active.storeName });
        if (store.scope === "latest") {
          database
            .statement(
              `UPDATE document_versions SET state = 'deleting', owner = '', reason = 'not embedded anew' WHERE state = 'superseded'
               AND content_id NOT IN (SELECT content_id FROM store_contents WHERE store_name = ?) AND document_id IN (SELECT id FROM documents WHERE collection = ?)`,
            )
            .run(store.storeName, store.collection);
        }
        refingerprint(store.collection, active.fingerprint, store.fingerprint);
        database
          .statement(
            "UPDATE collections SET store_name = ?, fingerprint = ?, embedder = ?, dimensions = ?, lexical = ? WHERE name = ?",
          )
          .run(
            store.storeName,
            store.fingerprint,
            store.embedder,
            store.dimensions,
            store.lexical,
            store.collection,
          );
        database.statement("DELETE FROM collection_stores WHERE store_name = ?").run(store.storeName);
        return true;
      });
    },
    dropped(storeName) {
      database.write(() =>
        database.statement("DELETE FROM collection_stores WHERE store_name = ?").run(storeName),
      );
    },
  };
}
