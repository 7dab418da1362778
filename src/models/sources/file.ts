import { constants } from "node:fs";
import { copyFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { SourceOf } from "../manifest-schema.ts";
import { type FetchContext, type Fetched, SourceFailure } from "./source.ts";

/**
 * Copies a file, links followed; a pipe is not waited for. @throws SourceFailure for one that is not there or
 * is no regular file
 */
export async function copyRegular(from: string, to: string): Promise<void> {
  const stats = await stat(from).catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT")
      throw new SourceFailure("failed", `${from} does not exist`, cause);
    throw cause;
  });
  if (!stats.isFile()) throw new SourceFailure("failed", `${from} is not a regular file`);
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

/** Copies the files from a folder: a shared drive, a stick, another home. */
export async function fetchFromFolder(
  source: SourceOf<"file">,
  context: FetchContext,
): Promise<readonly Fetched[]> {
  const folder = resolve(context.baseFolder, source.path);
  for (const file of context.files) {
    context.signal.throwIfAborted();
    const path = join(folder, source.files[file.name] ?? file.name);
    await copyRegular(path, join(context.partFolder, file.name));
    if (file.sizeBytes !== null) context.onBytes(file.name, file.sizeBytes);
  }
  return context.files.map((file) => ({
    name: file.name,
    publishedSha256: null,
    from: `file ${folder}`,
    resumed: false,
  }));
}
