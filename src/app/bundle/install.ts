import { createWriteStream, existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rename, rm, stat, statfs } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createHome, homePaths } from "../../config/home.ts";
import { RagctlError } from "../../core/errors.ts";
import { withLock } from "../../lock/lock.ts";
import { modelFolder } from "../../models/catalog.ts";
import type { InstallFacts } from "../../shapes/machine.ts";
import { createTargetFolder } from "../draft.ts";
import { nodePath } from "./contents.ts";
import {
  type Installation,
  previousInstallPath,
  programFolder,
  readInstallation,
  recoverInstallation,
  removeDrafts,
  replaceFile,
  stagingPrefix,
  writeRecord,
} from "./installation.ts";
import { type BundledFile, type BundleManifest, platformName, unpackedBytes } from "./manifest.ts";
import { type BundleSink, readBundle } from "./read.ts";
import { verifySignature } from "./signature.ts";
import { readUnpacked } from "./unpacked.ts";

/** The bundle to install and its destination. */
export interface InstallRequest {
  /** The archive, or the folder that it was unpacked to. */
  readonly source: string;
  readonly folder: string;
  /** Home that takes the models. */
  readonly home: string;
  /** Whether the home was given; otherwise that of an earlier installation in the folder is kept. */
  readonly isHomeGiven: boolean;
  /** Public key of minisign, or the file that holds it; undefined: no signature is required. */
  readonly key: string | undefined;
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  readonly signal: AbortSignal;
}

/** The report on an installation. */
export interface InstallReport extends InstallFacts {
  readonly manifest: BundleManifest;
}

/**
 * Installs a bundle into a folder and its models into a home. Everything is unpacked next to its destination
 * and verified first; then it is moved into place, over an older program. The contents of the home are kept.
 * An interrupted installation is recovered and completed by the next call.
 * @throws USAGE_INVALID for another platform and a folder that holds something else, HASH_MISMATCH, DISK_FULL
 */
export async function installBundle(request: InstallRequest): Promise<InstallReport> {
  const folder = resolve(request.folder);
  const { source, key, signal, isHomeGiven } = request;
  const before = await readInstallation(folder, isHomeGiven);
  const home = before !== undefined && !isHomeGiven ? before.home : request.home;
  const isFolder = (await stat(source).catch(() => undefined))?.isDirectory() === true;
  if (isFolder && key !== undefined) throw folderSigned(source);
  const signed = key === undefined ? undefined : await verifySignature(source, key, signal);
  createHome(home);
  createTargetFolder(folder);
  const read = (sink: BundleSink): Promise<BundleManifest> =>
    isFolder
      ? readUnpacked(source, sink, signal)
      : readBundle({ file: source, sink, digest: signed?.digest, signal });
  return withLock(folder, signal, () =>
    withLock(homePaths(home).models, signal, async () => ({
      ...(await replaceProgram(read, { ...request, folder, home }, before)),
      signature: signed?.comment ?? null,
    })),
  );
}

/** Unpacks, then moves into place; no other installation into the folder or the home may run meanwhile. */
async function replaceProgram(
  read: (sink: BundleSink) => Promise<BundleManifest>,
  { folder, home, onProgress, signal }: InstallRequest,
  before: Installation | undefined,
): Promise<Omit<InstallReport, "signature">> {
  await recoverInstallation(folder);
  await removeDrafts(homePaths(home).models);
  await using drafts = await openDrafts(folder, home);
  const manifest = await read(unpackInto(drafts, onProgress));
  const keptModels = await placeModels(drafts.models, home, manifest, signal);
  await placeOwnFiles(drafts.program, home);
  await writeRecord(folder, { version: manifest.program_version, home });
  await placeProgram(drafts.program, folder);
  const command = await writeCommand(folder, home, manifest);
  return { manifest, folder, command, home, keptModels, replaced: before?.version ?? null };
}

const folderSigned = (source: string): RagctlError =>
  new RagctlError("USAGE_INVALID", `${source} is a folder; only the archive has a signature`, {
    hint: "pass the archive, or verify it before unpacking: minisign -Vm FILE -p KEY",
  });

interface Drafts extends AsyncDisposable {
  readonly program: string;
  /** On the disk of the home. */
  readonly models: string;
}

async function openDrafts(folder: string, home: string): Promise<Drafts> {
  const program = await mkdtemp(join(folder, stagingPrefix));
  const models = await mkdtemp(join(homePaths(home).models, stagingPrefix));
  return {
    program,
    models,
    async [Symbol.asyncDispose]() {
      for (const draft of [program, models]) await rm(draft, { recursive: true, force: true });
    },
  };
}

/** Writes the files of a bundle into the drafts; models to those of the home. */
function unpackInto(drafts: Drafts, onProgress: InstallRequest["onProgress"]): BundleSink {
  let [totalBytes, doneBytes] = [0, 0];
  return {
    async begin(manifest) {
      requirePlatform(manifest);
      totalBytes = unpackedBytes(manifest);
      await requireRoom(drafts, manifest);
    },
    async write(file, content) {
      const path = file.path.startsWith("models/")
        ? join(drafts.models, file.path.slice("models/".length))
        : join(drafts.program, file.path);
      await mkdir(dirname(path), { recursive: true });
      await pipeline(
        content,
        createWriteStream(path, { flags: "wx", mode: file.executable ? 0o755 : 0o644 }),
      );
      doneBytes += file.size_bytes;
      onProgress?.(doneBytes, totalBytes);
    },
  };
}

function requirePlatform({ platform }: BundleManifest): void {
  if (platform === platformName()) return;
  throw new RagctlError(
    "USAGE_INVALID",
    `the bundle is for ${platform}, but this machine is ${platformName()}`,
    {
      hint: `create one on a ${platformName()} machine: ragctl bundle create`,
    },
  );
}

/** @throws DISK_FULL before anything is written that would not fit */
async function requireRoom(drafts: Drafts, { files }: BundleManifest): Promise<void> {
  const isModel = ({ path }: BundledFile): boolean => path.startsWith("models/");
  const needs = [
    [drafts.program, files.filter((file) => !isModel(file))],
    [drafts.models, files.filter(isModel)],
  ] as const;
  const byDisk = new Map<number, { readonly folder: string; readonly bytes: number }>();
  for (const [folder, list] of needs) {
    const { dev } = await stat(folder);
    byDisk.set(dev, { folder, bytes: (byDisk.get(dev)?.bytes ?? 0) + unpackedBytes({ files: list }) });
  }
  for (const { folder, bytes } of byDisk.values()) {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= bytes) continue;
    const [needed, free] = [Math.ceil(bytes / 1e6), Math.floor((bavail * bsize) / 1e6)];
    throw new RagctlError(
      "DISK_FULL",
      `the bundle needs ${needed} MB on the disk of ${dirname(folder)}, but only ${free} MB are free`,
      { hint: "free some space, or choose a folder (--to) and a home (--home) on another disk" },
    );
  }
}

/** Moves the models that the home lacks; returns the names of those that it has. */
async function placeModels(
  drafts: string,
  home: string,
  manifest: BundleManifest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const kept: string[] = [];
  for (const { id } of manifest.models) {
    const [draft, target] = [join(drafts, id), modelFolder(home, id)];
    if (await isSameModel(manifest, id, target)) {
      kept.push(id);
      continue;
    }
    await withLock(target, signal, async () => {
      const files = manifest.files.filter(({ path }) => path.startsWith(`models/${id}/`));
      for (const { path } of files) {
        const name = path.slice(`models/${id}/`.length);
        await mkdir(dirname(join(target, name)), { recursive: true });
        await rename(join(draft, name), join(target, name));
      }
    });
  }
  return kept;
}

/** Whether every file of a model is there in its size; `ragctl models verify` reads the hashes. */
async function isSameModel(manifest: BundleManifest, id: string, target: string): Promise<boolean> {
  const prefix = `models/${id}/`;
  for (const { path, size_bytes } of manifest.files.filter((file) => file.path.startsWith(prefix))) {
    const stats = await stat(join(target, path.slice(prefix.length))).catch(() => undefined);
    if (stats?.size !== size_bytes) return false;
  }
  return true;
}

/** Settings and glossary; existing ones in the home are not replaced. */
async function placeOwnFiles(program: string, home: string): Promise<void> {
  const { settings, glossary } = homePaths(home);
  for (const file of [settings, glossary]) {
    const brought = join(program, basename(file));
    if (!existsSync(brought) || existsSync(file)) continue;
    await cp(brought, file);
    await chmod(file, 0o600);
  }
}

/** Moves the program into place; one that was there goes when the new one is in its place. */
async function placeProgram(draft: string, folder: string): Promise<void> {
  const [target, old] = [join(folder, programFolder), previousInstallPath(draft)];
  if (existsSync(target)) await rename(target, old);
  try {
    await chmod(draft, 0o755);
    await rename(draft, target);
  } catch (error) {
    if (existsSync(old)) await rename(old, target);
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}

/** A text as one word of a shell, whatever is in it. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes the command that starts the program. */
async function writeCommand(folder: string, home: string, manifest: BundleManifest): Promise<string> {
  const command = join(folder, "ragctl");
  const script = [
    "#!/bin/sh",
    "# Starts ragctl with the Node.js it came with, on the home it was installed for.",
    'here=$(CDPATH="" cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd -P)',
    `export RAGCTL_HOME="\${RAGCTL_HOME:-}"`,
    `[ -n "$RAGCTL_HOME" ] || RAGCTL_HOME=${shellWord(home)}`,
    `exec "$here/${programFolder}/${nodePath}" "$here"/${shellWord(`${programFolder}/${manifest.entry}`)} "$@"`,
    "",
  ].join("\n");
  await replaceFile(command, script, 0o755);
  return command;
}
