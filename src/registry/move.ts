import { resolve } from "node:path";
import { isPostgresAddress, sqlitePath } from "../core/address.ts";
import { RagctlError } from "../core/errors.ts";
import type { Database } from "./database.ts";
import { type CopiedTable, copyRegistry } from "./exchange/copy.ts";
import { openRegistry } from "./registry.ts";

/** A registry that is now in two places. */
export interface MoveReport {
  /** Where it was and still is, without user and password. */
  readonly from: string;
  /** Where it is now too. */
  readonly to: string;
  readonly tables: readonly CopiedTable[];
}

/**
 * Copies the registry to another place, all or nothing; both are compared, and the old one is unchanged.
 * `to`: `postgresql://…`, `sqlite:path` or a path, relative to `folder`.
 * @throws USAGE_INVALID where the target holds anything or is of another kind, and as `openRegistry` does
 */
export async function moveRegistry(registry: Database, to: string, folder: string): Promise<MoveReport> {
  using target = await openRegistry(resolvePlace(to, folder));
  const tables = await copyRegistry(registry, target, "write");
  return { from: registry.place, to: target.place, tables };
}

/** @throws USAGE_INVALID for an address of another kind; what it says is not shown */
function resolvePlace(to: string, folder: string): string {
  if (isPostgresAddress(to)) return to;
  const path = sqlitePath(to) ?? to;
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return resolve(folder, path);
  throw new RagctlError("USAGE_INVALID", "not a valid target: a registry needs SQLite or PostgreSQL", {
    hint: "use a file, or postgresql://user:password@host:5432/database",
  });
}
