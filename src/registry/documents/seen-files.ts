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
  find(collection: string, path: string): Promise<SeenFile | undefined>;
  /** By path; those below `folder`, which ends with a separator. */
  below(collection: string, folder: string): Promise<ReadonlyMap<string, SeenFile>>;
  put(collection: string, files: readonly SeenFile[]): Promise<void>;
  drop(collection: string, path: string): Promise<void>;
}

const select = `SELECT path, size_bytes AS sizeBytes, mtime_ms AS mtimeMs, inode, sha256, fingerprint, outcome, code, reason, seen_at_ms AS seenAtMs
  FROM seen_files`;

/** Access to the seen files of a registry. */
export function createSeenFileRepository(database: Database): SeenFiles {
  return {
    find: (collection, path) =>
      database.statement<SeenFile>(`${select} WHERE collection = ? AND path = ?`).get(collection, path),
    async below(collection, folder) {
      const rows = database.statement<SeenFile>(
        `${select} WHERE collection = ? AND substr(path, 1, length(?)) = ?`,
      );
      return new Map((await rows.all(collection, folder, folder)).map((row) => [row.path, row]));
    },
    async put(collection, files) {
      await database.writeBehind(async () => {
        const put = database.statement(
          `INSERT INTO seen_files VALUES (:collection, :path, :sizeBytes, :mtimeMs, :inode, :sha256, :fingerprint, :outcome, :code, :reason, :seenAtMs)
           ON CONFLICT (collection, path) DO UPDATE SET size_bytes = excluded.size_bytes, mtime_ms = excluded.mtime_ms, inode = excluded.inode,
             sha256 = excluded.sha256, fingerprint = excluded.fingerprint, outcome = excluded.outcome, code = excluded.code,
             reason = excluded.reason, seen_at_ms = excluded.seen_at_ms`,
        );
        for (const file of files) await put.run({ collection, ...file });
      });
    },
    async drop(collection, path) {
      await database
        .statement("DELETE FROM seen_files WHERE collection = ? AND path = ?")
        .run(collection, path);
    },
  };
}
