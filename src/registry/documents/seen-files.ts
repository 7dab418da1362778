import type { Database } from "../database.ts";

/** A file's state when its content was last read. */
export interface SeenFile {
  /** Absolute real path. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Milliseconds since 1970, with the fraction the file system has. */
  readonly mtimeMs: number;
  readonly inode: string;
  readonly sha256: string;
  /** Embedding and chunking it was taken through, and the department. */
  readonly fingerprint: string;
  readonly outcome: "ready" | "failed" | "skipped";
  /** Error code and reason of a failure, else "". */
  readonly code: string;
  readonly reason: string;
  /** When it was looked at, milliseconds since 1970. */
  readonly seenAtMs: number;
}

/**
 * Known files on disk, so that an unchanged one need not be read. Only an optimization: nothing is decided by
 * it alone.
 */
export interface SeenFiles {
  find(collection: string, path: string): SeenFile | undefined;
  /** By path; those below `folder`, which ends with a separator. */
  below(collection: string, folder: string): ReadonlyMap<string, SeenFile>;
  put(collection: string, files: readonly SeenFile[]): void;
  drop(collection: string, paths: readonly string[]): void;
}

const select = `SELECT path, size_bytes AS sizeBytes, mtime_ms AS mtimeMs, inode, sha256, fingerprint, outcome, code, reason, seen_at_ms AS seenAtMs
  FROM seen_files`;

/** Access to the seen files of a registry. */
export function createSeenFileRepository(database: Database): SeenFiles {
  return {
    find(collection, path) {
      const row = database.statement<SeenFile>(`${select} WHERE collection = ? AND path = ?`);
      return database.read(() => row.get(collection, path));
    },
    below(collection, folder) {
      const rows = database.statement<SeenFile>(
        `${select} WHERE collection = ? AND substr(path, 1, length(?)) = ?`,
      );
      return database.read(() => new Map(rows.all(collection, folder, folder).map((row) => [row.path, row])));
    },
    put(collection, files) {
      database.writeBehind(() => {
        const put = database.statement(
          `INSERT INTO seen_files VALUES (:collection, :path, :sizeBytes, :mtimeMs, :inode, :sha256, :fingerprint, :outcome, :code, :reason, :seenAtMs)
           ON CONFLICT (collection, path) DO UPDATE SET size_bytes = excluded.size_bytes, mtime_ms = excluded.mtime_ms, inode = excluded.inode,
             sha256 = excluded.sha256, fingerprint = excluded.fingerprint, outcome = excluded.outcome, code = excluded.code,
             reason = excluded.reason, seen_at_ms = excluded.seen_at_ms`,
        );
        for (const file of files) put.run({ collection, ...file });
      });
    },
    drop(collection, paths) {
      database.write(() => {
        const drop = database.statement("DELETE FROM seen_files WHERE collection = ? AND path = ?");
        for (const path of paths) drop.run(collection, path);
      });
    },
  };
}
