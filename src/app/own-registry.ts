import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { homePaths, registryLocation } from "../config/home.ts";
import type { Settings } from "../config/settings.ts";
import { corruptFileError, type Database } from "../registry/database.ts";
import { openRegistry } from "../registry/registry.ts";

/** How long another process may take to write the first page of a registry that it makes, ms. */
const makingMs = 2_000;

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/**
 * Opens the registry of a home. Throws as `openRegistry` does, and REGISTRY_CORRUPT for a file without
 * content in a home that was used: opened, it would pass for a new one, without principals, permissions and
 * documents.
 */
export async function openHomeRegistry({ home, registry }: Settings): Promise<Database> {
  if (registry.url === "") await requireContent(homePaths(home, registry.path).registry, home);
  return openRegistry(registryLocation(home, registry));
}

async function requireContent(path: string, home: string): Promise<void> {
  const isUsed = [homePaths(home).cache, join(home, "stores"), join(home, "uploads")].some(
    (beside) => sizeOf(beside) !== undefined,
  );
  for (const until = performance.now() + makingMs; isUsed && sizeOf(path) === 0; await sleep(50))
    if (performance.now() > until)
      throw corruptFileError(path, "registry", "it is empty, but its home is not");
}
