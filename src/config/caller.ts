import { AsyncLocalStorage } from "node:async_hooks";
import { resolve } from "node:path";
import { RagctlError } from "../core/errors.ts";
import type { Environment } from "./environment.ts";

/** The caller of a command: that of the process, or of each command that a process runs for others. */
export interface Caller {
  /** Absolute path. */
  readonly cwd: string;
  readonly environment: Environment;
}

const callers = new AsyncLocalStorage<Caller>();

/** The caller of the command that this code runs for. */
export function caller(): Caller {
  return callers.getStore() ?? { cwd: process.cwd(), environment: process.env };
}

/** Runs a command for a caller: relative paths and variables are those of the caller, whatever it awaits. */
export function runAsCaller<T>(own: Caller, work: () => T): T {
  return callers.run(own, work);
}

/** A path as the caller means it, made absolute. @throws USAGE_INVALID for an empty one */
export function callerPath(path: string): string {
  // It would be the folder of the caller: an unset variable of a script must not mean that.
  if (path === "") throw new RagctlError("USAGE_INVALID", "empty path", { hint: "pass a file or folder" });
  return resolve(caller().cwd, path);
}
