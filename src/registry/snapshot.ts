import { writeFile } from "node:fs/promises";
import { RagctlError } from "../core/errors.ts";
import type { Database } from "./database.ts";
import { copyRegistry } from "./exchange/copy.ts";
import { openRegistry } from "./registry.ts";

/** Copies a registry into a new SQLite file, consistent also while others write to it. */
export async function saveSnapshot(registry: Database, path: string): Promise<void> {
  await writeFile(path, "", { mode: 0o600 });
  if (registry.kind === "sqlite") {
    try {
      await registry.statement("VACUUM INTO ?").run(path);
    } catch (error) {
      throw error instanceof RagctlError && error.code === "DISK_FULL" ? full(path, error) : error;
    }
    return;
  }
  using copy = await openRegistry(path);
  await copyRegistry(registry, copy, "read");
}

/** It is the copy that finds no room, not the registry. */
function full(path: string, cause: unknown): RagctlError {
  return new RagctlError("DISK_FULL", `the disk is full: cannot write the copy ${path}`, {
    hint: "free some space, or choose a folder on another disk",
    cause,
  });
}
