import type { CollectionSummary } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { plural } from "../../core/plural.ts";
import type { CollectionSpec, Instance } from "../../core/retrieval.ts";
import type { Database } from "../database.ts";
import { insertRows } from "../rows.ts";
import { type CopiedCollection, completeContents, moveToInstance } from "./instance-move.ts";

/** A collection with the embedder its vectors came from. */
export interface CollectionRecord extends CollectionSpec {
  readonly instance: Instance;
  /** Model id. */
  readonly embedder: string;
  /** Its name in the vector store, which changes when it is re-embedded. Default: `name`. */
  readonly storeName?: string;
}

export interface Collections {
  /** What `ensure` would refuse, without adding anything. @throws FINGERPRINT_MISMATCH, CONFIG_INVALID */
  check(collection: CollectionRecord): Promise<void>;
  /**
   * Adds the collection; on a known one checks that nothing differs. @throws FINGERPRINT_MISMATCH,
   * CONFIG_INVALID for another instance
   */
  ensure(collection: CollectionRecord): Promise<void>;
  /** @throws NOT_FOUND */
  get(name: string): Promise<CollectionRecord>;
  find(name: string): Promise<CollectionRecord | undefined>;
  /** By name, with counts of visible documents. */
  list(): Promise<readonly (CollectionSummary & CollectionRecord)[]>;
  /** Every collection's instance by name, without counting anything. */
  instances(): Promise<ReadonlyMap<string, Instance>>;
  /** When every collection was made, ISO 8601, by name. */
  made(): Promise<ReadonlyMap<string, string>>;
  /** Contents of a collection that are whole: visible, or replaced and kept. */
  wholeContents(name: string): Promise<ReadonlySet<string>>;
  /**
   * Assigns the collection to the instance of its copy; false, without any change, where a content became
   * complete that the copy may lack. @throws REGISTRY_BUSY where it was re-embedded meanwhile
   */
  move(copied: CopiedCollection, instance: Instance): Promise<boolean>;
  /** Drops the entry; its documents must be gone. @throws USAGE_INVALID while it still holds some */
  remove(name: string): Promise<void>;
}

/** What a collection shows. */
interface Counts {
  readonly documents: number;
  readonly chunks: number;
}

const columns =
  "c.name, c.instance, c.fingerprint, c.embedder, c.dimensions, c.lexical, coalesce(nullif(c.store_name, ''), c.name) AS storeName";

/** Reads every document of the collection. */
const selectCounts = `SELECT count(*) AS documents, coalesce(sum(v.chunks), 0) AS chunks
  FROM documents d JOIN document_versions v ON v.document_id = d.id AND v.is_latest = 1 WHERE d.collection = ?`;

/** Access to the collections of a registry. */
export function createCollectionRepository(
  database: Database,
  now: () => Date = () => new Date(),
): Collections {
  const find = (name: string) =>
    database.statement<CollectionRecord>(`SELECT ${columns} FROM collections c WHERE c.name = ?`).get(name);
  const check = async (collection: CollectionRecord): Promise<void> =>
    checkSame(collection, await find(collection.name));
  const heads = () =>
    database
      .statement<Pick<CollectionRecord, "name" | "instance"> & { readonly createdAt: string }>(
        "SELECT name, instance, created_at AS createdAt FROM collections ORDER BY name",
      )
      .all();
  return {
    find,
    check,
    async ensure(collection) {
      const { name, instance, fingerprint, embedder, dimensions, lexical, storeName = name } = collection;
      const row = { name, instance, fingerprint, embedder, dimensions, lexical, storeName };
      await database.write(async () => {
        const createdAt = now().toISOString();
        await insertRows(database, "collections", [{ ...row, createdAt }], "ON CONFLICT (name) DO NOTHING");
        await check(collection);
      });
    },
    async get(name) {
      const known = await find(name);
      if (known === undefined) throw collectionNotFound(name, await heads());
      return known;
    },
    instances: async () => new Map((await heads()).map(({ name, instance }) => [name, instance])),
    made: async () => new Map((await heads()).map(({ name, createdAt }) => [name, createdAt])),
    list: openListing(database),
    wholeContents: (name) => completeContents(database, name),
    move: (copied, instance) => moveToInstance(database, copied, instance),
    remove: (name) => database.write(() => remove(database, name)),
  };
}

/** Lists collections; what each shows is counted again when it changed. Not for within a `write`. */
function openListing(database: Database): Collections["list"] {
  let counted: ReadonlyMap<string, { readonly mark: string; readonly counts: Counts }> = new Map();
  return () =>
    database.read(async () => {
      const rows = await database
        .statement<CollectionRecord & { readonly createdAt: string; readonly revision: number }>(
          `SELECT ${columns}, c.created_at AS createdAt, c.revision FROM collections c ORDER BY c.name`,
        )
        .all();
      const now = await Promise.all(
        rows.map(async ({ createdAt, revision, ...record }) => {
          const mark = `${createdAt} ${revision}`;
          const before = counted.get(record.name);
          const none: Counts = { documents: 0, chunks: 0 };
          const known = before?.mark === mark ? before.counts : undefined;
          const counts = known ?? (await database.statement<Counts>(selectCounts).get(record.name)) ?? none;
          return { record, mark, counts };
        }),
      );
      counted = new Map(now.map(({ record, mark, counts }) => [record.name, { mark, counts }]));
      return now.map(({ record, counts }) => ({ ...record, ...counts }));
    });
}

/**
 * @throws CONFIG_INVALID for another instance, FINGERPRINT_MISMATCH for vectors that are not comparable with
 * those of `known`
 */
function checkSame(collection: CollectionRecord, known: CollectionRecord | undefined): void {
  if (known === undefined) return;
  const { name, instance, fingerprint, embedder, dimensions, lexical } = collection;
  if (known.instance !== instance) {
    throw new RagctlError("CONFIG_INVALID", `collection ${name} is ${known.instance}, not ${instance}`, {
      hint: `choose another collection, remove --instance, or move it: ragctl collections migrate ${name} --instance ${instance}`,
    });
  }
  if (known.fingerprint === fingerprint && known.dimensions === dimensions && known.lexical === lexical)
    return;
  throw new RagctlError(
    "FINGERPRINT_MISMATCH",
    `collection ${name} has vectors of ${known.embedder}, which do not match the current settings of ${embedder}`,
    {
      hint: `re-embed it: ragctl reembed --collection ${name} --model ${embedder}; or set embed.model back to ${known.embedder}`,
    },
  );
}

async function remove(database: Database, name: string): Promise<void> {
  const held = await database
    .statement<{ count: number }>("SELECT count(*) AS count FROM documents WHERE collection = ?")
    .get(name);
  if (held !== undefined && held.count > 0)
    throw new RagctlError("USAGE_INVALID", `collection ${name} still has ${plural(held.count, "document")}`, {
      hint: `to remove it with its documents: ragctl collections remove ${name}`,
    });
  await database.statement("DELETE FROM collections WHERE name = ?").run(name);
}

function collectionNotFound(name: string, rows: readonly { readonly name: string }[]): RagctlError {
  const names = rows.map((row) => row.name);
  return new RagctlError("NOT_FOUND", `there is no collection "${name}"${didYouMean(name, names)}`, {
    hint:
      names.length === 0
        ? "ragctl ingest <folder> creates the first one"
        : `collections with documents: ${names.join(", ")}`,
  });
}
