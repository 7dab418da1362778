import { join } from "node:path";
import { archiveFor, fileState, hashFile, hashTree, modelFolder, modelState, readLock } from "./catalog.ts";
import type { ModelEntry } from "./manifest-schema.ts";
import { SourceFailure } from "./sources/source.ts";

/** `ok`: the published content; `damaged`: another content; `unknown`: present, but no published hash is recorded to hold it against. */
export interface VerifiedFile {
  readonly id: string;
  readonly file: string;
  readonly state: "ok" | "damaged" | "missing" | "unknown";
}

/** Reads every file of a model and holds it against its published sha256; a runtime is one item, its folder. */
export async function verifyModel(
  home: string,
  entry: ModelEntry,
  platform: string,
  signal?: AbortSignal,
): Promise<readonly VerifiedFile[]> {
  const folder = modelFolder(home, entry.id);
  if (entry.task === "runtime") {
    const archive = archiveFor(entry, platform);
    const file = entry.unpack.to;
    if ((await modelState(home, entry, platform)) !== "ready")
      return [{ id: entry.id, file, state: "missing" }];
    if (archive === undefined) return [{ id: entry.id, file, state: "unknown" }];
    const hash = await hashTree(folder, file, signal).catch((error: unknown) => {
      if (error instanceof SourceFailure) return undefined;
      throw error;
    });
    return [{ id: entry.id, file, state: hash === archive.treeSha256 ? "ok" : "damaged" }];
  }
  const lock = await readLock(folder);
  const verified: VerifiedFile[] = [];
  for (const file of entry.files) {
    const expected = file.sha256 ?? (Object.hasOwn(lock, file.name) ? lock[file.name]?.sha256 : undefined);
    const presence = await fileState(folder, file);
    const state =
      presence !== "present"
        ? presence
        : expected === undefined
          ? "unknown"
          : (await hashFile(join(folder, file.name), signal)) === expected
            ? "ok"
            : "damaged";
    verified.push({ id: entry.id, file: file.name, state });
  }
  return verified;
}
