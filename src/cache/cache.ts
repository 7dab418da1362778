import { rmSync } from "node:fs";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import type { ParsedContent } from "../core/documents/document.ts";
import type { Embedding } from "../core/documents/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import { type Database, isCorrupt, openDatabase } from "../registry/database.ts";
import { blobsOf, type EmbeddingBlobs, embeddingOf } from "./blobs.ts";
import { cacheSchema } from "./schema.ts";

/** What can be computed again. A damaged cache is thrown away with a warning; one that cannot be written is warned of once and left. */
export interface Cache extends Disposable {
  readonly embeddings: {
    /** Content hash (hex sha256) → embedding, for those known under the fingerprint. */
    get(hashes: readonly string[], fingerprint: string): ReadonlyMap<string, Embedding>;
    put(
      entries: readonly { readonly hash: string; readonly embedding: Embedding }[],
      fingerprint: string,
    ): void;
  };
  readonly documents: {
    /** `parser` names the parser and its version: another one reads anew. */
    get(sha256: string, parser: string): Promise<ParsedContent | undefined>;
    put(sha256: string, parser: string, content: ParsedContent): Promise<void>;
  };
  /** Bytes the entries take in the file. */
  sizeBytes(): number;
  /** Drops every entry. */
  clear(): void;
}

export interface CacheOptions {
  /** Past this size the least recently used entries go, down to 90 % of it. */
  readonly maxBytes: number;
  readonly warn: (message: string) => void;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

const databaseOptions = {
  /** "RAGX" in ASCII, kept in the file's header. */
  applicationId: 0x52414758,
  migrations: [cacheSchema],
  name: "cache",
  synchronous: "NORMAL",
} as const;

/** Use is noted at most this often per entry, so that reading seldom writes. Seconds. */
const touchSeconds = 3600;

async function openOrReplace(path: string, warn: (message: string) => void): Promise<Database> {
  try {
    return await openDatabase(path, databaseOptions);
  } catch (error) {
    if (
      !isCorrupt(error) &&
      !(
        error instanceof RagctlError &&
        error.code === "CONFIG_INVALID" &&
        error.message.includes("newer ragctl")
      )
    )
      throw error;
    warn(
      `the cache ${path} cannot be used and is made anew: ${error instanceof Error ? error.message : String(error)}`,
    );
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return openDatabase(path, databaseOptions);
  }
}

/** Opens the cache file at `path`, which is made when missing. Throws as `openDatabase` does, damage excepted. */
export async function openCache(
  path: string,
  { maxBytes, warn, now = () => new Date() }: CacheOptions,
): Promise<Cache> {
  const database = await openOrReplace(path, warn);
  const seconds = (): number => Math.floor(now().getTime() / 1000);
  const state = { broken: false, sincePut: 0 };
  const pack = promisify(deflate);
  const unpack = promisify(inflate);

  /** A cache must not end a run: after the first failure it is warned of and no longer used. */
  const attempt = <T>(instead: T, work: () => T): T => {
    if (state.broken) return instead;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof RagctlError) || error.code === "INTERNAL") throw error;
      state.broken = true;
      warn(`the cache is not used any more in this run: ${error.message}`);
      return instead;
    }
  };

  const pragma = (name: string): number =>
    database.statement<Record<string, number>>(`PRAGMA ${name}`).get()?.[name] ?? 0;
  const sizeBytes = (): number => (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");

  const evict = (): void => {
    while (sizeBytes() > maxBytes * 0.9) {
      // Both tables lose the tenth that was not used for longest.
      const dropped = ["embeddings", "parsed"].map((table) => {
        const tenth = `SELECT rowid FROM ${table} ORDER BY used_at, rowid LIMIT (SELECT count(*) / 10 + 1 FROM ${table})`;
        return database.statement(`DELETE FROM ${table} WHERE rowid IN (${tenth})`).run().changes;
      });
      if (dropped.every((count) => count === 0)) return;
    }
  };
  const grown = (bytes: number): void => {
    state.sincePut += bytes;
    if (state.sincePut < maxBytes / 100) return;
    state.sincePut = 0;
    if (sizeBytes() > maxBytes) evict();
  };
  const fingerprintId = (fingerprint: string): number | undefined =>
    database.statement<{ id: number }>("SELECT id FROM fingerprints WHERE fingerprint = ?").get(fingerprint)
      ?.id;

  return {
    embeddings: {
      get(hashes, fingerprint) {
        return attempt(new Map(), () => {
          const found = new Map<string, Embedding>();
          const old: Buffer[] = [];
          const time = seconds();
          database.read(() => {
            const id = fingerprintId(fingerprint);
            if (id === undefined) return;
            const select = database.statement<EmbeddingBlobs & { used_at: number }>(
              "SELECT dense, indices, weights, used_at FROM embeddings WHERE fingerprint_id = ? AND hash = ?",
            );
            for (const hash of hashes) {
              const key = Buffer.from(hash, "hex");
              const row = select.get(id, key);
              if (row === undefined) continue;
              found.set(hash, embeddingOf(row));
              if (time - row.used_at > touchSeconds) old.push(key);
            }
          });
          if (old.length > 0) {
            const id = fingerprintId(fingerprint);
            const touch = database.statement(
              "UPDATE embeddings SET used_at = ? WHERE fingerprint_id = ? AND hash = ?",
            );
            database.write(() => {
              for (const key of old) touch.run(time, id, key);
            });
          }
          return found;
        });
      },
      put(entries, fingerprint) {
        attempt(undefined, () =>
          database.write(() => {
            database
              .statement("INSERT INTO fingerprints (fingerprint) VALUES (?) ON CONFLICT DO NOTHING")
              .run(fingerprint);
            const id = fingerprintId(fingerprint);
            const insert = database.statement(
              "INSERT OR REPLACE INTO embeddings (fingerprint_id, hash, dense, indices, weights, used_at) VALUES (?, ?, ?, ?, ?, ?)",
            );
            let bytes = 0;
            for (const { hash, embedding } of entries) {
              const { dense, indices, weights } = blobsOf(embedding);
              insert.run(id, Buffer.from(hash, "hex"), dense, indices, weights, seconds());
              bytes += dense.length + (indices?.length ?? 0) + (weights?.length ?? 0);
            }
            grown(bytes);
          }),
        );
      },
    },
    documents: {
      async get(sha256, parser) {
        const row = attempt(undefined, () =>
          database.read(() =>
            database
              .statement<{ content: Buffer; used_at: number }>(
                "SELECT content, used_at FROM parsed WHERE sha256 = ? AND parser = ?",
              )
              .get(sha256, parser),
          ),
        );
        if (row === undefined) return undefined;
        if (seconds() - row.used_at > touchSeconds) {
          attempt(undefined, () =>
            database.write(() =>
              database
                .statement("UPDATE parsed SET used_at = ? WHERE sha256 = ? AND parser = ?")
                .run(seconds(), sha256, parser),
            ),
          );
        }
        // Only `put` writes this column, and SQLite would report a damaged page.
        return JSON.parse((await unpack(row.content)).toString("utf8")) as ParsedContent;
      },
      async put(sha256, parser, content) {
        const packed = await pack(JSON.stringify(content), { level: 1 });
        attempt(undefined, () =>
          database.write(() => {
            database
              .statement(
                "INSERT OR REPLACE INTO parsed (sha256, parser, content, used_at) VALUES (?, ?, ?, ?)",
              )
              .run(sha256, parser, packed, seconds());
            grown(packed.length);
          }),
        );
      },
    },
    sizeBytes: () => attempt(0, () => database.read(sizeBytes)),
    clear() {
      attempt(undefined, () =>
        database.write(() => {
          for (const table of ["embeddings", "parsed", "fingerprints"])
            database.statement(`DELETE FROM ${table}`).run();
        }),
      );
    },
    [Symbol.dispose]: () => database.close(),
  };
}
