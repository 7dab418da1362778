import { lstat, readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * The parts of a home by the names shown to the user; a trailing `*` matches every name with that beginning.
 */
const makeup: Readonly<Record<string, readonly string[]>> = {
  models: ["models"],
  "documents, runs and permissions": ["registry.sqlite*", "stores", "before-restore-*"],
  uploads: ["uploads"],
  "fetched pages and repositories": ["fetched"],
  caches: ["cache"],
  settings: ["settings.yaml", "glossary.yaml", ".env"],
  "resident process": ["host"],
};

/** A part of a home that an uninstallation leaves behind. */
export interface HomePart {
  readonly name: string;
  readonly paths: readonly string[];
  readonly sizeBytes: number;
}

const missing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";

/** Bytes of a file, or of the files of a folder; links count as themselves, missing files as nothing. */
async function sizeOf(path: string): Promise<number> {
  try {
    const { size } = await lstat(path);
    const names = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = names.filter((entry) => !entry.isDirectory());
    const sizes = await Promise.all(
      files.map(async ({ parentPath, name }) => (await lstat(join(parentPath, name))).size),
    );
    return names.length === 0 ? size : sizes.reduce((sum, each) => sum + each, 0);
  } catch (error) {
    if (missing(error)) return 0;
    throw error;
  }
}

/**
 * The parts of ragctl in a home; empty where there is no home. A folder without a registry is not a home,
 * whatever its files are called, unless a server holds the registry (`isServed`). Other files in it are not
 * listed.
 */
export async function homeParts(home: string, isServed: boolean): Promise<readonly HomePart[]> {
  const names = await readdir(home).catch((error: unknown): string[] => {
    if (missing(error)) return [];
    throw error;
  });
  if (!isServed && !names.includes("registry.sqlite")) return [];
  const parts = Object.entries(makeup).map(async ([name, patterns]): Promise<HomePart> => {
    const own = names.filter((each) =>
      patterns.some((pattern) =>
        pattern.endsWith("*") ? each.startsWith(pattern.slice(0, -1)) : each === pattern,
      ),
    );
    const paths = own.map((each) => join(home, each));
    const sizes = await Promise.all(paths.map(sizeOf));
    return { name, paths, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) };
  });
  return (await Promise.all(parts)).filter(({ paths }) => paths.length > 0);
}

/** Removes parts of a home, and the home itself if nothing else is in it. False if something is. */
export async function removeHome(home: string, parts: readonly HomePart[]): Promise<boolean> {
  for (const path of parts.flatMap(({ paths }) => paths)) await rm(path, { recursive: true, force: true });
  try {
    await rmdir(home);
    return true;
  } catch (error) {
    if (missing(error)) return true;
    // A link to the folder stays too.
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOTEMPTY" || code === "ENOTDIR") return false;
    throw error;
  }
}
