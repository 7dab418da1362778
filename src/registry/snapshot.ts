import { writeFile } from "node:fs/promises";
import type { Database } from "./database.ts";
import { copyRegistry } from "./exchange/copy.ts";
import { openRegistry } from "./registry.ts";

/** Copies a registry into a new SQLite file, consistent also while others write to it. */
export async function saveSnapshot(registry: Database, path: string): Promise<void> {
  await writeFile(path, "", { mode: 0o600 });
  if (registry.kind === "sqlite") {
    registry.statement("VACUUM INTO ?").run(path);
    return;
  }
  const copy = await openRegistry(path);
  try {
    copyRegistry(registry, copy, "read");
  } finally {
    copy.close();
  }
}
