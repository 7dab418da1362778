import { rmSync } from "node:fs";
import type { ParsedContent } from "../core/documents/document.ts";
import type { Embedding } from "../core/documents/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import { openSqliteFile, type SqliteFile } from "../registry/database/sqlite.ts";
import { isCorrupt, isNewer } from "../registry/database.ts";
import { type EmbeddingBlobs, embeddingOf, packJson, toBlobs, unpackJson } from "./bytes.ts";

/**
 * Cache of values that can be computed again. A cache that fails causes one warning, and everything continues
 * without it.
 */
export interface Cache extends Disposable {
  readonly embeddings: {
    /** Content hash (hex sha256) → embedding, for those known under the fingerprint. */
    get(hashes: readonly string[], fingerprint: string): Promise<ReadonlyMap<string, Embedding>>;
    put(
      entries: readonly { readonly hash: string; readonly embedding: Embedding }[],
      fingerprint: string,
    ): Promise<void>;
  };
  readonly documents: {
    /** `parser` names the parser and its version: another one reads again. */
    get(sha256: string, parser: string): Promise<ParsedContent | undefined>;
    put(sha256: string, parser: string, content: ParsedContent): Promise<void>;
  };
  /** Values of JSON that go stale: they are given for the cache's time to live and no longer. */
  readonly results: {
    /** The value under the key; undefined for none. The reader checks its shape. */
    get(key: string): Promise<unknown>;
    put(key: string, value: unknown): Promise<void>;
  };
}

export interface CacheOptions {
  /** Past this size the least recently used entries go, down to 90 % of it. */
  readonly maxBytes: number;
  /** How long a result is given, seconds. Default 3600. */
  readonly ttlSeconds?: number;
  readonly warn: (message: string) => void;
  /** Default: the system's clock. */
  readonly now?: () => Date;
}

/** Tables of the cache file. */
const cacheSchema = `
CREATE TABLE fingerprints (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE embeddings (
  fingerprint_id INTEGER NOT NULL,
  hash BLOB NOT NULL,
  dense BLOB NOT NULL,
  indices BLOB,
  weights BLOB,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (fingerprint_id, hash)
) STRICT;
CREATE INDEX embeddings_by_use ON embeddings (used_at);
CREATE TABLE parsed (
  sha256 TEXT NOT NULL,
  parser TEXT NOT NULL,
  content BLOB NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (sha256, parser)
) STRICT;
CREATE INDEX parsed_by_use ON parsed (used_at);
`;

const resultsSchema = `
CREATE TABLE results (
  key TEXT PRIMARY KEY,
  content BLOB NOT NULL,
  used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX results_by_age ON results (used_at);
`;

const databaseOptions = {
  /** "RAGX" in ASCII, kept in the file's header. */
  applicationId: 0x52414758,
  migrations: [cacheSchema, resultsSchema],
  name: "cache",
  synchronous: "NORMAL",
} as const;

/** Use is noted at most this often per entry, so that reading seldom writes. Seconds. */
const touchSeconds = 3600;

/** The cache file and the shared state of its tables. */
interface CacheFile {
  readonly database: SqliteFile;
  /** Seconds since 1970. */
  seconds(): number;
  /** Does `work`, or gives `instead` once the cache has failed. */
  attempt<T>(instead: T, work: () => T): T;
  /** Notes bytes that were written, and makes room where there are too many. */
  grown(bytes: number): void;
}

async function openOrReplace(path: string, warn: (message: string) => void): Promise<SqliteFile> {
  try {
    return await openSqliteFile(path, databaseOptions);
  } catch (error) {
    if (!isCorrupt(error) && !isNewer(error)) throw error;
    warn(
      `the cache ${path} is unusable and is rebuilt: ${error instanceof Error ? error.message : String(error)}`,
    );
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return openSqliteFile(path, databaseOptions);
  }
}

/** Finds and keeps nothing. */
const noCache: Cache = {
  embeddings: { get: async () => new Map(), put: async () => undefined },
  documents: { get: async () => undefined, put: async () => undefined },
  results: { get: async () => undefined, put: async () => undefined },
  [Symbol.dispose]: () => undefined,
};

/** A cache must not end a run: after the first failure it is warned of and no longer used. */
const unusedWarning = (error: RagctlError): string =>
  `the cache is switched off for this run: ${error.message}`;

/**
 * Opens the cache file at `path`, which is made when missing; on a full disk it caches nothing. Throws as
 * `openSqliteFile` does, damage excepted.
 */
export async function openCache(
  path: string,
  { maxBytes, ttlSeconds = 3600, warn, now = () => new Date() }: CacheOptions,
): Promise<Cache> {
  const database = await openOrReplace(path, warn).catch((error: unknown) => {
    if (!(error instanceof RagctlError) || error.code !== "DISK_FULL") throw error;
    warn(unusedWarning(error));
    return undefined;
  });
  if (database === undefined) return noCache;
  let broken = false;
  let bytesSinceCheck = 0;
  const file: CacheFile = {
    database,
    seconds: () => Math.floor(now().getTime() / 1000),
    attempt(instead, work) {
      if (broken) return instead;
      try {
        return work();
      } catch (error) {
        if (!(error instanceof RagctlError) || error.code === "INTERNAL") throw error;
        broken = true;
        warn(unusedWarning(error));
        return instead;
      }
    },
    grown(bytes) {
      bytesSinceCheck += bytes;
      if (bytesSinceCheck < maxBytes / 100) return;
      bytesSinceCheck = 0;
      if (sizeBytes(database) > maxBytes) evict(database, maxBytes);
    },
  };
  return {
    embeddings: openEmbeddings(file),
    documents: openParsed(file),
    results: openResults(file, ttlSeconds),
    [Symbol.dispose]: () => database.close(),
  };
}

/** Bytes the entries take in the file. */
function sizeBytes(database: SqliteFile): number {
  const pragma = (name: string): number =>
    database.statement<Record<string, number>>(`PRAGMA ${name}`).get()?.[name] ?? 0;
  return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
}

function evict(database: SqliteFile, maxBytes: number): void {
  while (sizeBytes(database) > maxBytes * 0.9) {
    // Each table loses the tenth that was not used for longest.
    const dropped = ["embeddings", "parsed", "results"].map((table) => {
      const tenth = `SELECT rowid FROM ${table} ORDER BY used_at, rowid LIMIT (SELECT count(*) / 10 + 1 FROM ${table})`;
      return database.statement(`DELETE FROM ${table} WHERE rowid IN (${tenth})`).run().changes;
    });
    if (dropped.every((count) => count === 0)) return;
  }
}

function openEmbeddings({ database, seconds, attempt, grown }: CacheFile): Cache["embeddings"] {
  const fingerprintId = (fingerprint: string): number | undefined =>
    database.statement<{ id: number }>("SELECT id FROM fingerprints WHERE fingerprint = ?").get(fingerprint)
      ?.id;
  const rowsOf = (hashes: readonly string[], id: number) => {
    const select = database.statement<EmbeddingBlobs & { used_at: number }>(
      "SELECT dense, indices, weights, used_at FROM embeddings WHERE fingerprint_id = ? AND hash = ?",
    );
    return hashes.flatMap((hash) => {
      const key = Buffer.from(hash, "hex");
      const row = select.get(id, key);
      return row === undefined ? [] : [{ hash, key, row }];
    });
  };
  const touch = (keys: readonly Buffer[], id: number): void => {
    if (keys.length === 0) return;
    const update = database.statement(
      "UPDATE embeddings SET used_at = ? WHERE fingerprint_id = ? AND hash = ?",
    );
    database.write(() => {
      for (const key of keys) update.run(seconds(), id, key);
    });
  };
  return {
    get: async (hashes, fingerprint) =>
      attempt(new Map(), () => {
        const id = database.read(() => fingerprintId(fingerprint));
        if (id === undefined) return new Map();
        const hits = database.read(() => rowsOf(hashes, id));
        const time = seconds();
        const stale = hits.filter(({ row }) => time - row.used_at > touchSeconds);
        touch(
          stale.map(({ key }) => key),
          id,
        );
        return new Map(hits.map(({ hash, row }) => [hash, embeddingOf(row)]));
      }),
    async put(entries, fingerprint) {
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
            const { dense, indices, weights } = toBlobs(embedding);
            insert.run(id, Buffer.from(hash, "hex"), dense, indices, weights, seconds());
            bytes += dense.length + (indices?.length ?? 0) + (weights?.length ?? 0);
          }
          grown(bytes);
        }),
      );
    },
  };
}

function openParsed({ database, seconds, attempt, grown }: CacheFile): Cache["documents"] {
  return {
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
      // Only `put` writes this column.
      return (await whole(row.content)) as ParsedContent | undefined;
    },
    async put(sha256, parser, content) {
      const packed = await packJson(content);
      attempt(undefined, () =>
        database.write(() => {
          database
            .statement("INSERT OR REPLACE INTO parsed (sha256, parser, content, used_at) VALUES (?, ?, ?, ?)")
            .run(sha256, parser, packed, seconds());
          grown(packed.length);
        }),
      );
    },
  };
}

/** The value of a row; undefined for a damaged one, which the next `put` replaces. */
const whole = (content: Buffer): Promise<unknown> => unpackJson(content).catch(() => undefined);

function openResults({ database, seconds, attempt, grown }: CacheFile, ttlSeconds: number): Cache["results"] {
  return {
    async get(key) {
      const row = attempt(undefined, () =>
        database.read(() =>
          database
            .statement<{ content: Buffer }>("SELECT content FROM results WHERE key = ? AND used_at > ?")
            .get(key, seconds() - ttlSeconds),
        ),
      );
      return row === undefined ? undefined : whole(row.content);
    },
    async put(key, value) {
      const packed = await packJson(value);
      attempt(undefined, () =>
        database.write(() => {
          database.statement("DELETE FROM results WHERE used_at <= ?").run(seconds() - ttlSeconds);
          database
            .statement("INSERT OR REPLACE INTO results (key, content, used_at) VALUES (?, ?, ?)")
            .run(key, packed, seconds());
          grown(packed.length);
        }),
      );
    },
  };
}
