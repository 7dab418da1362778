import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { z } from "../core/schema.ts";
import { folderIdentity } from "./place.ts";

/** A process, distinguishable from a later one with the same id. */
const identitySchema = z.object({ pid: z.number().int().positive(), started: z.string().min(1) });
export type Identity = z.infer<typeof identitySchema>;

/** The role of a process: a host serves and may be stopped, a copy of the stores must not be interrupted. */
const roleSchema = z.enum(["server", "copier"]);
export type Role = z.infer<typeof roleSchema>;

/** An identity in a file. Files of earlier releases have no folder and no role. */
const recordSchema = identitySchema.extend({
  place: z.string().optional(),
  role: roleSchema.default("server"),
});

/**
 * The start time of a process as opaque text; undefined if there is no such process, or only a zombie.
 */
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const [status, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
      readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    ]);
    // proc(5): the name may contain spaces and ")"; after it, field 3 is the state and field 22 the start
    // time in clock ticks.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    const ticks = fields[19];
    return ticks === undefined || fields[0] === "Z" || fields[0] === "X"
      ? undefined
      : `${boot.trim()}/${ticks}`;
  }
  const listed = await promisify(execFile)("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)]).catch(
    () => undefined,
  );
  const [state = "", ...started] = listed?.stdout.trim().split(/\s+/) ?? [];
  return state === "" || state.startsWith("Z") ? undefined : started.join(" ");
}

/** The identity of a process, if it is running. */
export async function identityOf(pid: number): Promise<Identity | undefined> {
  const started = await startOf(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether this process, not a later one with its id, still runs. */
export async function isRunning(identity: Identity): Promise<boolean> {
  return (await startOf(identity.pid)) === identity.started;
}

/** The running process that a file of this folder names. */
export const identityText = async (pid: number, folder: string, role: Role = "server"): Promise<string> =>
  JSON.stringify({ ...(await identityOf(pid)), place: folderIdentity(folder), role });

/**
 * Reads an identity from a file; undefined if the file is missing, invalid, or copied from a different
 * folder, whose process it names.
 */
export async function readIdentity(path: string): Promise<(Identity & { readonly role: Role }) | undefined> {
  try {
    const { place, ...identity } = recordSchema.parse(JSON.parse(await readFile(path, "utf8")));
    return place === undefined || place === folderIdentity(dirname(path)) ? identity : undefined;
  } catch {
    // A missing or incomplete file names no process, so its owner counts as gone.
    return undefined;
  }
}

/** Waits for a process to end; false if it still runs after `timeoutMs`. */
export async function waitForEnd(identity: Identity, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (await isRunning(identity)) {
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return true;
}

/** Ends a process after checking its identity: SIGTERM first, SIGKILL after 5 s. */
export async function endProcess(identity: Identity): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!(await isRunning(identity))) return;
    try {
      process.kill(identity.pid, signal);
    } catch {
      // It ended between the check and the signal.
      return;
    }
    if (await waitForEnd(identity, 5_000)) return;
  }
}
