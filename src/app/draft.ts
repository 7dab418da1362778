import { mkdtemp } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../config/home.ts";
import { isDiskFull, RagctlError } from "../core/errors.ts";

/**
 * Makes a folder with those above it. @throws USAGE_INVALID that says what is in the way; errors of a full
 * disk
 */
export function createTargetFolder(folder: string): void {
  try {
    makeFolder(folder, 0o777);
  } catch (cause) {
    throw unwritable(folder, cause);
  }
}

/**
 * Makes a draft folder next to `path`, which becomes visible when it is complete, and the folders above it.
 * @throws USAGE_INVALID that says what is in the way; errors of a full disk
 */
export async function createStagingFolder(path: string): Promise<string> {
  try {
    makeFolder(dirname(path), 0o777);
    return await mkdtemp(`${path}.partial-`);
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

function unwritable(path: string, cause: unknown): unknown {
  if (isDiskFull(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RagctlError("USAGE_INVALID", `cannot create ${path}: ${reason}`, {
    hint: "choose a place in a folder you can write to",
    cause,
  });
}
