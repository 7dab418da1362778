import { constants } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { SourceOf } from "../manifest-schema.ts";
import { type FetchContext, type Fetched, SourceFailure } from "./source.ts";

/** Copies the files from a folder: a shared drive, a stick, another home. */
export async function fetchFromFolder(
  source: SourceOf<"file">,
  context: FetchContext,
): Promise<readonly Fetched[]> {
  const folder = resolve(context.baseFolder, source.path);
  for (const file of context.files) {
    context.signal.throwIfAborted();
    const path = join(folder, source.files[file.name] ?? file.name);
    await copyFile(path, join(context.partFolder, file.name), constants.COPYFILE_FICLONE).catch(
      (cause: unknown) => {
        if (cause instanceof Error && "code" in cause && cause.code === "ENOENT")
          throw new SourceFailure("failed", `${path} is not there`, cause);
        throw cause;
      },
    );
    if (file.sizeBytes !== null) context.onBytes(file.name, file.sizeBytes);
  }
  return context.files.map((file) => ({
    name: file.name,
    publishedSha256: null,
    from: `file ${folder}`,
    resumed: false,
  }));
}
