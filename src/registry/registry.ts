import { type Database, openDatabase } from "./database.ts";
import { migrations } from "./migrations/all.ts";

/** "RAGC" in ASCII, kept in the file's header. */
const applicationId = 0x52414743;

/**
 * Opens the registry at `path`; `versions` replaces the migrations, for a test of upgrading. Throws as
 * `openDatabase` does.
 */
export function openRegistry(path: string, versions: readonly string[] = migrations): Promise<Database> {
  return openDatabase(path, { applicationId, migrations: versions, name: "registry", synchronous: "FULL" });
}
