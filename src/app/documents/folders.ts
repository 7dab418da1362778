import { lstat, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { Source } from "../../registry/documents/folders.ts";
import type { Access } from "../access.ts";

/** The folder's real path. @throws SOURCE_MISSING, USAGE_INVALID */
export async function realFolder(folder: string): Promise<string> {
  const path = await realpath(resolve(folder)).catch((cause: unknown) => {
    throw new RagctlError("SOURCE_MISSING", `${folder} does not exist`, {
      hint: "check the path; nothing was deleted",
      cause,
    });
  });
  if ((await lstat(path)).isDirectory()) return path;
  throw new RagctlError("USAGE_INVALID", `${folder} is not a folder`, {
    hint: "a single file is taken by `ragctl ingest`",
  });
}

/** Whether the run's principal may know of a mapping. The owner may know of one whose collection is not made yet, too. */
export function visibleSource(
  { access }: { readonly access: Access },
  run: Run,
): (source: Pick<Source, "collection">) => boolean {
  const names = new Set(access.allowed(run, null, "read").collections);
  const isOwner = access.principal(run).kind === "owner";
  return ({ collection }) => isOwner || names.has(collection);
}
