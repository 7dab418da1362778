import { join } from "node:path";
import {
  archiveFor,
  type FileHash,
  fileState,
  hashFile,
  hashTree,
  modelFolder,
  modelState,
  readLock,
} from "./catalog.ts";
import type { ModelEntry, ModelFile, RuntimeEntry } from "./manifest-schema.ts";
import { SourceFailure } from "./sources/source.ts";

/**
 * `ok`: the published content; `damaged`: another content; `unknown`: present, but no published hash is
 * recorded to hold it against.
 */
export interface VerifiedFile {
  readonly id: string;
  readonly file: string;
  readonly state: "ok" | "damaged" | "missing" | "unknown";
}

/**
 * Reads every file of a model and holds it against its published sha256; a runtime is one item, its folder.
 */
export async function verifyModel(
  home: string,
  entry: ModelEntry,
  platform: string,
  signal?: AbortSignal,
  fileHash: FileHash = hashFile,
): Promise<readonly VerifiedFile[]> {
  const folder = modelFolder(home, entry.id);
  if (entry.task === "runtime") {
    const isReady = (await modelState(home, entry, platform)) === "ready";
    const state = isReady ? await verifyTree(folder, entry, platform, fileHash, signal) : "missing";
    return [{ id: entry.id, file: entry.unpack.to, state }];
  }
  const lock = await readLock(folder);
  const verified: VerifiedFile[] = [];
  for (const file of entry.files) {
    const recorded = Object.hasOwn(lock, file.name) ? lock[file.name]?.sha256 : undefined;
    const state = await verifyFile(folder, file, file.sha256 ?? recorded, fileHash, signal);
    verified.push({ id: entry.id, file: file.name, state });
  }
  return verified;
}

async function verifyTree(
  folder: string,
  entry: RuntimeEntry,
  platform: string,
  fileHash: FileHash,
  signal?: AbortSignal,
): Promise<VerifiedFile["state"]> {
  const archive = archiveFor(entry, platform);
  if (archive === undefined) return "unknown";
  const hash = await hashTree(folder, entry.unpack.to, signal, fileHash).catch((error: unknown) => {
    if (error instanceof SourceFailure) return undefined;
    throw error;
  });
  return hash === archive.treeSha256 ? "ok" : "damaged";
}

async function verifyFile(
  folder: string,
  file: ModelFile,
  sha256: string | undefined,
  fileHash: FileHash,
  signal?: AbortSignal,
): Promise<VerifiedFile["state"]> {
  const presence = await fileState(folder, file);
  if (presence !== "present") return presence;
  if (sha256 === undefined) return "unknown";
  return (await fileHash(join(folder, file.name), signal)) === sha256 ? "ok" : "damaged";
}
