import { mkdtemp } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "../config/home.ts";
import { RagctlError } from "../core/errors.ts";

/**
 * Makes a draft folder beside `path`, which becomes visible when it is whole, and the folders above it.
 * @throws USAGE_INVALID that says what is in the way; what a full disk raises
 */
export async function draftBeside(path: string): Promise<string> {
  try {
    makeFolder(dirname(path), 0o777);
    return await mkdtemp(`${path}.partial-`);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOSPC") throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("USAGE_INVALID", `${path} cannot be made: ${reason}`, {
      hint: "name a place in a folder that you may write to",
      cause,
    });
  }
}
