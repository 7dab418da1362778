import { isPostgresAddress } from "../core/address.ts";
import type { Database } from "./database.ts";
import { baselineVersion, migrations } from "./migrations/all.ts";

/** How long a command waits for another process to finish a change before it says so, ms. */
const busyTimeoutMs = 2_000;

/** "RAGC" in ASCII, kept in the database. */
const applicationId = 0x52414743;

/**
 * Opens the registry at `place`, the path of a SQLite file or the address of a PostgreSQL server; only what
 * that needs is loaded. `versions` replaces the migrations, for a test of upgrading. Throws as `openSqliteFile`
 * and `openPostgres` do.
 */
export async function openRegistry(
  place: string,
  versions: readonly string[] = migrations,
): Promise<Database> {
  const options = { applicationId, migrations: versions, firstVersion: baselineVersion, name: "registry" };
  if (!isPostgresAddress(place)) {
    const [{ openSqliteFile }, { openSqliteRegistry }] = await Promise.all([
      import("./database/sqlite.ts"),
      import("./database/sqlite-registry.ts"),
    ]);
    const file = { ...options, busyTimeoutMs, synchronous: "FULL", aloneWhenFull: true } as const;
    return openSqliteRegistry(await openSqliteFile(place, file), busyTimeoutMs);
  }
  const { openPostgres } = await import("./database/postgres.ts");
  return openPostgres(place, options);
}
