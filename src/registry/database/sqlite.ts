import { closeSync, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type BetterSqlite3 from "better-sqlite3";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { corruptFileError, type DatabaseOptions, pendingMigrations, schemaVersion } from "../database.ts";

/** A statement of a file, as `PreparedStatement`, answered at once. */
export interface FileStatement<Row> {
  get(...parameters: readonly unknown[]): Row | undefined;
  all(...parameters: readonly unknown[]): Row[];
  run(...parameters: readonly unknown[]): { readonly changes: number };
}

/** One open file of SQLite, which answers at once; a cache of this machine may use all of SQLite's SQL. */
export interface SqliteFile extends Disposable {
  readonly path: string;
  /** Prepares once per text. `Row` states the columns the text selects. */
  statement<Row = never>(sql: string): FileStatement<Row>;
  /** Runs reads against one state of the file; errors of the engine become RagctlErrors. */
  read<T>(work: () => T): T;
  /** Runs all of `work` or nothing of it; within another `write` it is a part of that. */
  write<T>(work: () => T): T;
  isInTransaction(): boolean;
  close(): void;
}

export interface SqliteOptions extends DatabaseOptions {
  /** FULL keeps every committed change through a power cut, NORMAL may lose the last ones. */
  readonly synchronous: "FULL" | "NORMAL";
  /** On a disk without a byte left it is opened for this process alone, which can read it. Default false. */
  readonly aloneWhenFull?: boolean;
}

/** How long a file may take to be made, or its schema to be brought up to date, by another process, ms. */
const makingMs = 10_000;

const corruptCodes = /^SQLITE_(CORRUPT|NOTADB)/;
const deniedCodes = /^(SQLITE_(CANTOPEN|READONLY|PERM|AUTH)|EACCES|EPERM|EROFS|ENOTDIR|EISDIR|EEXIST|ENOENT)/;

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/**
 * With less than this free an error of reading or writing is one of a full disk, bytes: SQLite says no more
 * than that where it cannot make the side file (-shm, 32 KiB) without which it does not even read.
 */
const fullBytes = 1_048_576;

function isFull(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    return bavail * bsize < fullBytes || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** An error of SQLite or of the file system as a RagctlError; any other error is returned unchanged. */
function wrapped(error: unknown, path: string, name: string): unknown {
  if (error instanceof RagctlError) return error;
  const code = codeOf(error);
  const detail = error instanceof Error ? error.message : String(error);
  const made = (kind: ConstructorParameters<typeof RagctlError>[0], message: string, hint: string) =>
    new RagctlError(kind, message, { hint, cause: error });
  if (corruptCodes.test(code)) return corruptFileError(path, name, detail, error);
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code) || (/^SQLITE_(IOERR|CANTOPEN)/.test(code) && isFull(path)))
    return made(
      "DISK_FULL",
      `the disk is full: cannot use the ${name} ${path}`,
      "free some space and run the command again; it continues where it stopped",
    );
  if (/^(EFBIG|SQLITE_IOERR_(WRITE|TRUNCATE|SHMSIZE))/.test(code))
    return made(
      "DISK_FULL",
      `the ${name} ${path} cannot be written (${code}: ${detail})`,
      "check the quota of the disk and the limit on the size of files (ulimit -f), then run the command again",
    );
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return made(
      "REGISTRY_BUSY",
      `the ${name} ${path} is locked by another process`,
      `wait until it has finished, or stop it (\`ragctl status\` shows ragctl processes, \`fuser ${path}\` shows any), then run the command again`,
    );
  const isDenied = deniedCodes.test(code);
  if (isDenied && isFolder(path))
    return made(
      "CONFIG_INVALID",
      `the ${name} ${path} is a folder, not a file`,
      "move the folder elsewhere, or choose another home with RAGCTL_HOME",
    );
  if (isDenied)
    return made(
      "CONFIG_INVALID",
      `cannot open the ${name} ${path} for writing (${detail})`,
      "grant this user write access to it, or choose another home with RAGCTL_HOME",
    );
  if (code.startsWith("SQLITE_"))
    return made(
      "INTERNAL",
      `the ${name} ${path} refused an operation (${code}: ${detail})`,
      `if the disk is healthy, please report this as a bug in ragctl`,
    );
  return error;
}

/**
 * Makes the file for its owner only (0600) before SQLite would make it with the process's mask; its side
 * files take the same mode.
 */
function createPrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function migrate(sqlite: BetterSqlite3.Database, path: string, options: DatabaseOptions): void {
  const { applicationId, name } = options;
  const upgrade = sqlite.transaction(() => {
    const version = Number(sqlite.pragma("user_version", { simple: true }));
    const mark = Number(sqlite.pragma("application_id", { simple: true }));
    const tables =
      sqlite.prepare<unknown[], { count: number }>("SELECT count(*) AS count FROM sqlite_schema").get()
        ?.count ?? 0;
    if (mark !== applicationId && (mark !== 0 || version !== 0 || tables > 0)) {
      throw new RagctlError("CONFIG_INVALID", `${path} is another program's database, not a ragctl ${name}`, {
        hint: "choose another file",
      });
    }
    for (const sql of pendingMigrations(options, path, version, "home: RAGCTL_HOME=/some/folder"))
      sqlite.exec(sql);
    sqlite.pragma(`application_id = ${applicationId}`);
    sqlite.pragma(`user_version = ${schemaVersion(options)}`);
  });
  const current = sqlite.pragma("user_version", { simple: true }) === schemaVersion(options);
  if (current && sqlite.pragma("application_id", { simple: true }) === applicationId) return;
  sqlite.pragma(`busy_timeout = ${makingMs}`);
  upgrade.immediate();
}

/** Switching a new file to WAL needs it alone and does not wait for others by itself; so this does. */
async function enableWal(sqlite: BetterSqlite3.Database, deadline: number): Promise<void> {
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 200)) {
    try {
      sqlite.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      if (!codeOf(error).startsWith("SQLITE_BUSY") || Date.now() > deadline) throw error;
      await sleep(pauseMs);
    }
  }
}

/**
 * Opens a SQLite file, makes it when missing and brings its schema up to date; many processes may do so at
 * once.
 * @throws REGISTRY_CORRUPT, REGISTRY_BUSY, DISK_FULL, and CONFIG_INVALID for a file that is newer, foreign or
 *   not writable
 */
export async function openSqliteFile(path: string, options: SqliteOptions): Promise<SqliteFile> {
  try {
    return await openFile(path, options, "NORMAL");
  } catch (error) {
    if (asRagctlError(error).code !== "DISK_FULL" || options.aloneWhenFull !== true) throw error;
    // With an exclusive lock SQLite needs no shared-memory file to coordinate with other processes.
    return openFile(path, options, "EXCLUSIVE");
  }
}

async function openFile(
  path: string,
  options: SqliteOptions,
  locking: "NORMAL" | "EXCLUSIVE",
): Promise<SqliteFile> {
  const { default: Sqlite } = await import("better-sqlite3");
  const timeout = options.busyTimeoutMs ?? makingMs;
  const opened: { sqlite?: BetterSqlite3.Database } = {};
  try {
    createPrivate(path);
    const isMade = statSync(path).size > 0;
    const sqlite = new Sqlite(path, { timeout: isMade ? timeout : makingMs });
    opened.sqlite = sqlite;
    sqlite.pragma(`locking_mode = ${locking}`);
    await enableWal(sqlite, Date.now() + (isMade ? timeout : makingMs));
    sqlite.pragma(`synchronous = ${options.synchronous}`);
    sqlite.pragma("foreign_keys = ON");
    migrate(sqlite, path, options);
    sqlite.pragma(`busy_timeout = ${timeout}`);
    return database(sqlite, path, options.name);
  } catch (error) {
    opened.sqlite?.close();
    throw wrapped(error, path, options.name);
  }
}

function database(sqlite: BetterSqlite3.Database, path: string, name: string): SqliteFile {
  const statements = new Map<string, BetterSqlite3.Statement>();
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw wrapped(error, path, name);
    }
  };
  const statement: SqliteFile["statement"] = <Row>(sql: string): FileStatement<Row> => {
    const known = statements.get(sql) ?? guarded(() => sqlite.prepare(sql));
    statements.set(sql, known);
    // The caller declares the columns of its own SQL; STRICT tables keep their types.
    const typed = known as BetterSqlite3.Statement<unknown[], Row>;
    return {
      get: (...parameters) => guarded(() => typed.get(...parameters)),
      all: (...parameters) => guarded(() => typed.all(...parameters)),
      run: (...parameters) => guarded(() => typed.run(...parameters)),
    };
  };
  const whole =
    (begin: "deferred" | "immediate") =>
    <T>(work: () => T) =>
      guarded(() => (sqlite.inTransaction ? work() : sqlite.transaction(work)[begin]()));
  return {
    path,
    statement,
    read: whole("deferred"),
    write: whole("immediate"),
    isInTransaction: () => sqlite.inTransaction,
    close: () => sqlite.close(),
    [Symbol.dispose]: () => sqlite.close(),
  };
}
