import { accessSync, constants, existsSync, statSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { homePaths } from "../../config/home.ts";
import type { Settings } from "../../config/settings.ts";
import { isDiskFull, RagctlError } from "../../core/errors.ts";
import { hostFiles } from "../../resident/address.ts";
import { stopHost } from "../../resident/client.ts";

/** Times that a home is copied in which another user's command writes meanwhile. */
const attempts = 3;

/**
 * Settings over a writable home. For one that is not writable, over a private copy, removed with `resources`,
 * in which a read-only command may open its databases: SQLite and Milvus Lite cannot read without writing.
 * `onCopy` receives the folder or file that cannot be written.
 * @throws CONFIG_INVALID where no copy can be made, REGISTRY_BUSY while the home is written to
 */
export async function openReadOnlyCopy(
  settings: Settings,
  resources: AsyncDisposableStack,
  onCopy: (unwritable: string) => void,
): Promise<Settings> {
  const { home, registry } = settings;
  const unwritable = await unwritableIn(settings);
  if (unwritable === undefined) return settings;
  onCopy(unwritable);
  try {
    const copy = await mkdtemp(join(tmpdir(), "ragctl-read-"));
    resources.defer(async () => {
      await stopHost(copy).catch(() => false);
      await rm(copy, { recursive: true, force: true });
    });
    await copyAtRest(settings, copy);
    for (const name of ["models", "uploads"])
      if (existsSync(join(home, name))) await symlink(join(home, name), join(copy, name), "junction");
    return { ...settings, home: copy, registry: { ...registry, path: "" } };
  } catch (cause) {
    if (cause instanceof RagctlError || isDiskFull(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${unwritable} is not writable, and the home cannot be copied: ${reason}`;
    throw new RagctlError("CONFIG_INVALID", message, {
      hint: "run the command as the user who owns the home, or set a folder for the copy: TMPDIR=/some/folder",
      cause,
    });
  }
}

/** The first part of a used home that its databases would write to and cannot. */
async function unwritableIn({ home, registry: { path, url } }: Settings): Promise<string | undefined> {
  const { registry, cache } = homePaths(home, path);
  if (!existsSync(url === "" ? registry : home)) return undefined;
  const files = url === "" ? [dirname(registry), registry, `${registry}-wal`] : [];
  const parts = [home, ...files, dirname(cache), cache, hostFiles(home).stores, ...(await databasesOf(home))];
  return parts.filter((part) => existsSync(part)).find((part) => !isWritable(part));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Files of the local stores. */
async function databasesOf(home: string): Promise<readonly string[]> {
  const { stores } = hostFiles(home);
  const entries = await readdir(stores, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => join(stores, name));
}

/**
 * Copies the files that a command reads. Nothing can be locked in a home that is not writable: a file that
 * has changed afterwards was written to by another user, and copies of several moments do not form a
 * database.
 * @throws REGISTRY_BUSY
 */
async function copyAtRest({ home, registry: { path, url } }: Settings, copy: string): Promise<void> {
  const { settings, glossary, lexicalIndex, registry } = homePaths(home, path);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const own = [settings, glossary, join(home, ".env"), lexicalIndex, `${lexicalIndex}-wal`];
    const files = [...own, ...(await databasesOf(home))].map((file) => [file, relative(home, file)] as const);
    if (url === "")
      for (const suffix of ["", "-wal"])
        files.push([registry + suffix, basename(homePaths(copy).registry) + suffix]);
    const before = stampsOf(files);
    for (const [from, to] of files) if (existsSync(from)) await copyPrivate(from, join(copy, to));
    if (stampsOf(files) === before) return;
    for (const [, to] of files) await rm(join(copy, to), { force: true });
  }
  throw new RagctlError("REGISTRY_BUSY", `${home} is not writable and changed while it was being copied`, {
    hint: "run the command again once no other command writes to it (ragctl status)",
  });
}

async function copyPrivate(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  await chmod(to, 0o600);
}

/** Size and time of every file, "" of one that is not there. */
const stampsOf = (files: readonly (readonly [from: string, to: string])[]): string =>
  files
    .map(([file]) => {
      const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
      return stats === undefined ? "" : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
    })
    .join("\n");
