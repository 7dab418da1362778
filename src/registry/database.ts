import { RagctlError } from "../core/errors.ts";

/**
 * A prepared statement whose rows are `Row`; numbers come as numbers, blobs as Uint8Array, booleans as 0 and
 * 1. Parameters are given in order for `?`, or as one object for `:name`.
 */
export interface PreparedStatement<Row> {
  get(...parameters: readonly unknown[]): Promise<Row | undefined>;
  all(...parameters: readonly unknown[]): Promise<Row[]>;
  /** How many rows were inserted, changed or deleted. */
  run(...parameters: readonly unknown[]): Promise<{ readonly changes: number }>;
}

/** A statement and its parameters. */
export type PostedStatement = readonly [sql: string, ...parameters: readonly unknown[]];

/**
 * One open database. Its SQL is what SQLite and PostgreSQL both take, as database/dialect.ts says. What is
 * called within the work of a `read` or `write`, also after an `await` in it, belongs to that transaction.
 */
export interface Database {
  readonly kind: "sqlite" | "postgresql";
  /** Path of the file, or the server, database and schema; without user and password. */
  readonly place: string;
  /** Name and version of the engine, e.g. `PostgreSQL 15.18`. */
  version(): string;
  /** The clock that all who share the database go by, ms since 1970. */
  now(): Promise<number>;
  /** Prepares once per text. `Row` states the columns the text selects. */
  statement<Row = never>(sql: string): PreparedStatement<Row>;
  /** Runs reads against one state of the database; errors of the engine become RagctlErrors. */
  read<T>(work: () => T | Promise<T>): Promise<T>;
  /** Runs all of `work` or nothing of it; other writers wait. Within another `write` it is a part of that. */
  write<T>(work: () => T | Promise<T>): Promise<T>;
  /**
   * As `write`, for data that may be lost when the database's machine crashes, together with everything
   * written after it: other writers need not wait for the disk. A later `write` makes it durable too. SQLite
   * files do not distinguish the two.
   */
  writeBehind<T>(work: () => T | Promise<T>): Promise<T>;
  /**
   * Runs `work`, whose reads may be answered from memory, as of when it began or later; what this process
   * writes is seen at once. Only another machine's registry is worth it. @throws REGISTRY_UNAVAILABLE
   */
  current<T>(work: () => Promise<T>): Promise<T>;
  /** Within `current`: reads from here on are as of now or later. @throws REGISTRY_UNAVAILABLE */
  refresh(): Promise<void>;
  /** Runs statements with their parameters as one `writeBehind`; within a `write` it is a part of that. */
  post(statements: readonly PostedStatement[]): Promise<void>;
  /** Faults of the database; empty for a sound one. Reads the whole file, or the catalogue of a server. */
  check(): Promise<readonly string[]>;
  /** Closes it when what was sent is answered, within a second. */
  close(): Promise<void>;
  /** Closes it at the end of a `using`. */
  [Symbol.dispose](): void;
}

export interface DatabaseOptions {
  /** Written into the database; one with another mark is not ours. 32-bit. */
  readonly applicationId: number;
  readonly migrations: readonly string[];
  /** The schema version after the first migration of an empty database. Default 1. */
  readonly firstVersion?: number;
  /** Name of the database in messages: `registry`. */
  readonly name: string;
  /** How long a writer waits for another process, ms. Default 10 000. */
  readonly busyTimeoutMs?: number;
}

/** The remedy for a damaged file; only a registry holds data that cannot be rebuilt from documents. */
function damagedHint(path: string, name: string): string {
  const anew = `move the file away but keep it (mv "${path}" "${path}.damaged"), then ingest your documents again`;
  return name === "registry"
    ? `restore a backup: ragctl backup restore FOLDER --force; without one, ${anew}: principals, permissions and chats are lost`
    : `${anew}: ragctl creates a new ${name}`;
}

/** The error of a file of SQLite whose content is damaged, with the way on. */
export function corruptFileError(path: string, name: string, detail: string, cause?: unknown): RagctlError {
  const hint = damagedHint(path, name);
  return new RagctlError("REGISTRY_CORRUPT", `the ${name} ${path} is damaged (${detail})`, { hint, cause });
}

/** Marks the error of a database that a newer program wrote. */
const newerSchema = Object.freeze({ schema: "newer" });

/** The version of the schema that this program writes. */
export const schemaVersion = ({ migrations, firstVersion = 1 }: DatabaseOptions): number =>
  firstVersion + migrations.length - 1;

/**
 * The migrations that a database of `version`, 0 for an empty one, still needs; `otherwise` is what else may
 * be used.
 * @throws CONFIG_INVALID for one of a newer program, or of an older one than can be brought up to date
 */
export function pendingMigrations(
  options: DatabaseOptions,
  place: string,
  version: number,
  otherwise: string,
): readonly string[] {
  const { name, migrations, firstVersion = 1 } = options;
  if (version > schemaVersion(options))
    throw new RagctlError(
      "CONFIG_INVALID",
      `the ${name} ${place} was written by a newer ragctl (schema ${version}; this version supports ${schemaVersion(options)})`,
      { hint: `update ragctl, or use another ${otherwise}`, cause: newerSchema },
    );
  if (version !== 0 && version < firstVersion)
    throw new RagctlError(
      "CONFIG_INVALID",
      `the ${name} ${place} was written by an older ragctl (schema ${version}; this version reads ${firstVersion} and later)`,
      { hint: `run \`ragctl doctor\` once with the ragctl of 27 November 2026, or use another ${otherwise}` },
    );
  return migrations.slice(version === 0 ? 0 : version - firstVersion + 1);
}

/** Whether a database was refused because a newer program wrote it. */
export function isNewer(error: unknown): boolean {
  return error instanceof RagctlError && error.cause === newerSchema;
}

/** Whether the engine reported that the database's content is damaged. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof RagctlError && error.code === "REGISTRY_CORRUPT";
}
