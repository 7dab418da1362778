import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { registryLocation } from "../../config/home.ts";
import type { Settings } from "../../config/settings.ts";
import { openHomeRegistry } from "../own-registry.ts";

/** Kinds of names that the shell completes. */
export const nameKinds = [
  "collections",
  "documents",
  "rooms",
  "principals",
  "agents",
  "tools",
  "models",
] as const;
export type NameKind = (typeof nameKinds)[number];

const queries: Readonly<Record<Exclude<NameKind, "models">, string>> = {
  collections: "SELECT name FROM collections UNION SELECT name FROM collection_profiles",
  documents: "SELECT name FROM document_versions WHERE is_latest = 1",
  rooms: "SELECT name FROM chat_rooms",
  principals: "SELECT name FROM principals",
  agents: "SELECT name FROM agents",
  tools: "SELECT name FROM tools",
};
/** More names than this are useless at a prompt. */
const most = 1000;

/**
 * Names of one kind in alphabetical order, at most 1000, read from the registry alone; none where there is no
 * home yet.
 */
export async function namesOf(kind: NameKind, settings: Settings): Promise<readonly string[]> {
  if (kind === "models") {
    const { loadManifest } = await import("../../models/manifest.ts");
    const path = fileURLToPath(new URL("../../../models/manifest.yaml", import.meta.url));
    return [...(await loadManifest(path)).keys()].toSorted();
  }
  const registry = registryLocation(settings.home, settings.registry);
  if (settings.registry.url === "" && !existsSync(registry)) return [];
  using database = await openHomeRegistry(settings);
  const rows = await database
    .statement<{ readonly name: string }>(
      `SELECT DISTINCT name FROM (${queries[kind]}) AS names ORDER BY name LIMIT ${most}`,
    )
    .all();
  return rows.map(({ name }) => name);
}
