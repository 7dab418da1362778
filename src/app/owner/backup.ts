import { createHash, randomUUID } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { homePaths, registryLocation } from "../../config/home.ts";
import type { Settings } from "../../config/settings.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { readUserFile } from "../../files.ts";
import { checkEmpty, copyRegistry as copyRows } from "../../registry/exchange/copy.ts";
import { openRegistry } from "../../registry/registry.ts";
import { saveSnapshot } from "../../registry/snapshot.ts";
import { hostFiles } from "../../resident/address.ts";
import { pauseStores } from "../../resident/client.ts";
import type { BackupReport } from "../../shapes/machine.ts";
import { createStagingFolder } from "../draft.ts";
import { listFetchedFiles } from "../fetch/folder.ts";

const manifestName = "manifest.json";

/** Possible paths of files in a backup: a manifest that names any other was not made by ragctl. */
const filePath =
  /^(?:registry\.sqlite|(?:settings|glossary)\.yaml|stores\/[\w-][\w.-]{0,99}|uploads\/(?:public|private)\/\w{1,63}\/[^./\\\p{C}][^/\\\p{C}]{0,254})$/u;

const manifestSchema = z.object({
  ragctl_backup: z.literal(1),
  program_version: z.string(),
  /** ISO 8601. */
  created_at: z.string(),
  /** Instances whose vectors are on a server and therefore not in the backup. */
  servers: z.array(z.enum(["public", "private"])),
  files: z
    .array(
      z.object({
        path: z.string().regex(filePath),
        size_bytes: z.number().int().min(0),
        sha256: z.string().length(64),
      }),
    )
    .refine((files) => new Set(files.map(({ path }) => path)).size === files.length),
});
type Manifest = z.infer<typeof manifestSchema>;

type Place = Pick<Settings, "home" | "registry" | "milvus">;

/**
 * Copies registry, settings, glossary, uploads and the databases of the local stores into a new folder that only its
 * owner can enter, with a manifest of their checksums; a registry in PostgreSQL becomes a file of SQLite
 * there. No store is in use meanwhile, so that the copies belong together; models and caches can be had again
 * and are left out.
 * @throws USAGE_INVALID when the folder is there, NOT_FOUND when the home is empty, STORE_BUSY while another
 *   command uses the stores
 */
export async function createBackup(
  target: string,
  settings: Place,
  programVersion: string,
): Promise<BackupReport> {
  const folder = resolve(target);
  const paths = homePaths(settings.home, settings.registry.path);
  const isFile = settings.registry.url === "";
  if (await exists(folder)) {
    throw new RagctlError("USAGE_INVALID", `${folder} already exists`, {
      hint: "choose a folder that does not exist; it is created",
    });
  }
  if (isFile && !(await exists(paths.registry))) {
    throw new RagctlError("NOT_FOUND", `${settings.home} has no registry: nothing to back up`, {
      hint: "set the home with --home",
    });
  }
  await using _ = await pauseStores(settings.home);
  const draft = await createStagingFolder(folder);
  try {
    await copyRegistry(registryLocation(settings.home, settings.registry), join(draft, "registry.sqlite"));
    for (const path of [paths.settings, paths.glossary])
      if (await exists(path)) await copyPrivate(path, join(draft, basename(path)));
    const stores = hostFiles(settings.home).stores;
    for (const name of await databases(stores))
      await copyInto(draft, join("stores", name), join(stores, name));
    for (const path of await uploadsOf(settings.home)) await copyInto(draft, path, join(settings.home, path));
    const manifest: Manifest = {
      ragctl_backup: 1,
      program_version: programVersion,
      created_at: new Date().toISOString(),
      servers: serversOf(settings),
      files: await Promise.all((await listFetchedFiles(draft)).map((path) => described(draft, path))),
    };
    await writeFile(join(draft, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, folder);
    return reportOf(folder, manifest);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Restores a backup into the home. Every file is copied next to its destination and checked first; then all
 * are moved into place, or none. The previous contents of the home are moved aside and kept; a registry in
 * PostgreSQL must be empty. `showSettings` receives the settings of the backup before they take effect.
 * @throws USAGE_INVALID for a home that is in use without `force`, HASH_MISMATCH, NOT_FOUND
 */
export async function restoreBackup(
  source: string,
  settings: Place,
  options: { readonly force: boolean; readonly showSettings?: (file: string) => Promise<void> },
): Promise<BackupReport> {
  const folder = resolve(source);
  const manifest = await readManifest(folder);
  const { home } = settings;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const occupied = await occupiedBy(settings);
  if (occupied.length > 0 && !options.force) throw notEmpty(home, occupied);
  const draft = await createStagingFolder(join(home, "restore"));
  try {
    for (const file of manifest.files) await copyChecked(file, folder, draft);
    await checkRegistry(join(draft, "registry.sqlite"));
    const brought = join(draft, "settings.yaml");
    if (await exists(brought)) await options.showSettings?.(brought);
    if (settings.registry.url !== "") await checkServer(settings.registry.url);
    await using _ = await pauseStores(home);
    // Another restore may have ended meanwhile.
    const inPlace = await occupiedBy(settings);
    if (inPlace.length > 0 && !options.force) throw notEmpty(home, inPlace);
    const setAside =
      inPlace.length === 0
        ? ""
        : join(home, `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`);
    const moves = inPlace.map((path): Move => [path, join(setAside, basename(path))]);
    await putInPlace(draft, moves, manifest, settings);
    return { ...reportOf(folder, manifest), setAside };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Files of a home that a restore would replace. */
async function occupiedBy({ home, registry: { path, url } }: Place): Promise<readonly string[]> {
  const paths = homePaths(home, path);
  const stores = hostFiles(home).stores;
  const replaced = [
    ...(url === "" ? ["", "-wal", "-shm"].map((suffix) => paths.registry + suffix) : []),
    paths.settings,
    paths.glossary,
    ...(await databases(stores)).map((name) => join(stores, name)),
    ...((await uploadsOf(home)).length > 0 ? [join(home, "uploads")] : []),
  ];
  const there = await Promise.all(replaced.map(exists));
  return replaced.filter((_, index) => there[index] === true);
}

/** Moves existing files out of the way, then the checked files into place. */
async function putInPlace(
  draft: string,
  aside: readonly Move[],
  { files }: Manifest,
  { home, registry: { path: registryPath, url } }: Place,
): Promise<void> {
  const paths = homePaths(home, registryPath);
  const others = files.filter((file) => file.path !== "registry.sqlite");
  const moves = [...aside, ...others.map(({ path }): Move => [join(draft, path), join(home, path)])];
  // The registry comes last: documents are visible only through it.
  const registry = join(draft, "registry.sqlite");
  if (url === "") await moveAll([...moves, [registry, paths.registry]]);
  else await moveAll(moves, () => fillServer(registry, url));
}

type Move = readonly [from: string, to: string];

/** Moves files in turn, then does `last`; where any of it fails, everything goes back. */
async function moveAll(moves: readonly Move[], last = async (): Promise<void> => undefined): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const [from, to] of moves) {
      const made = await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      if (made !== undefined) undo.unshift(() => rm(made, { recursive: true }));
      await move(from, to).catch((cause: unknown) => {
        throw inTheWay(to, cause);
      });
      undo.unshift(() => move(to, from));
    }
    await last();
  } catch (error) {
    for (const step of undo) await step();
    throw error;
  }
}

/** Moves a file or folder; a file on another disk is copied, and gets its name once it is complete. */
async function move(from: string, to: string): Promise<void> {
  const failure: unknown = await rename(from, to).catch((cause: unknown) => cause);
  if (failure === undefined) return;
  if (codeOf(failure) !== "EXDEV" || !(await lstat(from)).isFile()) throw failure;
  const draft = `${to}.partial-${randomUUID()}`;
  try {
    await copyPrivate(from, draft);
    await rename(draft, to);
  } finally {
    await rm(draft, { force: true });
  }
  await rm(from).catch(async (cause: unknown) => {
    await rm(to);
    throw cause;
  });
}

const codeOf = (cause: unknown): unknown => (cause instanceof Error && "code" in cause ? cause.code : "");

/** The error for a file that could not be moved because a folder is in its place. */
function inTheWay(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code !== "EISDIR" && code !== "ENOTEMPTY" && code !== "EEXIST") return cause;
  return new RagctlError("USAGE_INVALID", `${path} must be a file, but it is a folder`, {
    hint: "move it elsewhere and restore again; the home is unchanged",
    cause,
  });
}

function notEmpty(home: string, occupied: readonly string[]): RagctlError {
  const names = occupied.slice(0, 3).map((path) => basename(path));
  return new RagctlError("USAGE_INVALID", `the home ${home} is not empty (${names.join(", ")})`, {
    hint: "choose an empty one with --home, or pass --force to move its contents aside",
  });
}

/** @throws HASH_MISMATCH */
async function copyChecked(file: Manifest["files"][number], from: string, to: string): Promise<void> {
  await copyInto(to, file.path, join(from, file.path));
  const { sha256, size_bytes } = await described(to, file.path);
  if (sha256 === file.sha256 && size_bytes === file.size_bytes) return;
  throw new RagctlError(
    "HASH_MISMATCH",
    `${join(from, file.path)} differs from the file in the backup's manifest`,
    { hint: "the backup is damaged; the home is unchanged; use another backup" },
  );
}

async function readManifest(folder: string): Promise<Manifest> {
  const bytes = await readUserFile(join(folder, manifestName)).catch((cause: unknown) => {
    if (cause instanceof RagctlError) throw cause;
    throw new RagctlError("NOT_FOUND", `${folder} is not a backup: it has no ${manifestName}`, {
      hint: "pass a folder written by `ragctl backup create`",
      cause,
    });
  });
  try {
    const manifest = manifestSchema.parse(JSON.parse(bytes.toString("utf8")));
    if (manifest.files.some(({ path }) => path === "registry.sqlite")) return manifest;
    throw new TypeError("it names no registry.sqlite");
  } catch (cause) {
    throw new RagctlError(
      "USAGE_INVALID",
      `${join(folder, manifestName)} is not a backup manifest that this version can read`,
      {
        hint: "pass a folder written by `ragctl backup create`; it may need a newer ragctl",
        cause,
      },
    );
  }
}

/** A consistent copy of the registry, also while others write to it. */
async function copyRegistry(from: string, to: string): Promise<void> {
  using registry = await openRegistry(from);
  await saveSnapshot(registry, to);
}

/** @throws USAGE_INVALID where the registry of a server holds anything: it is never replaced */
async function checkServer(url: string): Promise<void> {
  using server = await openRegistry(url);
  await checkEmpty(server);
}

/** Brings the rows of a file into a server's registry. @throws USAGE_INVALID where that is not empty */
async function fillServer(path: string, url: string): Promise<void> {
  using file = await openRegistry(path);
  using server = await openRegistry(url);
  await copyRows(file, server, "read");
}

/**
 * Opens the copy as ragctl would, which also brings an older schema up to date. @throws REGISTRY_CORRUPT,
 * CONFIG_INVALID for a newer one
 */
async function checkRegistry(path: string): Promise<void> {
  using registry = await openRegistry(path);
  const [fault] = await registry.check();
  if (fault === undefined) return;
  throw new RagctlError("REGISTRY_CORRUPT", `the registry of the backup is damaged: ${fault}`, {
    hint: "use another backup",
  });
}

/** Database files of the local stores; a folder that is not there has none. */
async function databases(stores: string): Promise<readonly string[]> {
  const entries = await readdir(stores, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && filePath.test(`stores/${entry.name}`) && entry.name.includes(".db"))
    .map(({ name }) => name);
}

/** Uploaded files, relative to the home, without those still arriving. */
async function uploadsOf(home: string): Promise<readonly string[]> {
  const files = await listFetchedFiles(join(home, "uploads")).catch(() => []);
  return files.map((path) => `uploads/${path}`).filter((path) => filePath.test(path));
}

/** Copies a file to its path below a folder. */
async function copyInto(folder: string, path: string, from: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
  await copyPrivate(from, join(folder, path));
}

async function described(folder: string, path: string): Promise<Manifest["files"][number]> {
  const digest = createHash("sha256");
  await pipeline(createReadStream(join(folder, path)), digest);
  return { path, size_bytes: (await stat(join(folder, path))).size, sha256: digest.digest("hex") };
}

/** Follows no link: every file of a backup must be in it. */
async function copyPrivate(from: string, to: string): Promise<void> {
  const stats = await lstat(from).catch(() => undefined);
  if (stats?.isFile() !== true) {
    throw new RagctlError("NOT_FOUND", `${from} is not a file`, {
      hint: "the backup is incomplete; use another one",
    });
  }
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

const serversOf = ({ milvus }: Pick<Settings, "milvus">): Manifest["servers"] => [
  ...(milvus.publicUri === "" ? [] : (["public"] as const)),
  ...(milvus.privateUri === "" ? [] : (["private"] as const)),
];

const reportOf = (folder: string, { created_at: createdAt, servers, files }: Manifest): BackupReport => ({
  folder,
  createdAt,
  servers,
  files: files.map(({ path, size_bytes: sizeBytes, sha256 }) => ({ path, sizeBytes, sha256 })),
  setAside: "",
});
