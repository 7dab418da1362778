import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { z } from "../core/schema.ts";
import { placeOf } from "./place.ts";

/** A process that cannot be mistaken for a later one of the same number. */
const identitySchema = z.object({ pid: z.number().int().positive(), started: z.string().min(1) });
export type Identity = z.infer<typeof identitySchema>;

/** What a process is there for: to serve whoever asks, and to be stopped; or to copy the stores, and to be left alone. */
const roleSchema = z.enum(["server", "copier"]);
export type Role = z.infer<typeof roleSchema>;

/** An identity in a file. Files of earlier releases do not say which folder they were written for, and in which role. */
const recordSchema = identitySchema.extend({
  place: z.string().optional(),
  role: roleSchema.default("server"),
});

/**
 * When a process started, as text that only equals itself; undefined when there is no such process (or only
 * its zombie).
 */
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const [status, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
      readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    ]);
    // proc(5): after the name, which may hold spaces and ")", state is field 3 and start time, in clock
    // ticks, field 22.
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

/** The identity of a running process; undefined when there is none. */
export async function identityOf(pid: number): Promise<Identity | undefined> {
  const started = await startOf(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether this very process still runs. */
export async function isRunning(identity: Identity): Promise<boolean> {
  return (await startOf(identity.pid)) === identity.started;
}

/** What a file of this folder says of a running process. */
export const identityText = async (pid: number, folder: string, role: Role = "server"): Promise<string> =>
  JSON.stringify({ ...(await identityOf(pid)), place: placeOf(folder), role });

/**
 * Reads an identity from a file; undefined when it is not there, holds something else, or came here with a
 * copy of another folder, whose process it names.
 */
export async function readIdentity(path: string): Promise<(Identity & { readonly role: Role }) | undefined> {
  try {
    const { place, ...identity } = recordSchema.parse(JSON.parse(await readFile(path, "utf8")));
    return place === undefined || place === placeOf(dirname(path)) ? identity : undefined;
  } catch {
    // A missing or torn file names no process: the caller treats its owner as gone.
    return undefined;
  }
}

/** Waits until a process is gone; false when it still runs after `timeoutMs`. */
export async function waitForEnd(identity: Identity, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (await isRunning(identity)) {
    if (performance.now() >= deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return true;
}

/** Ends a process after checking that it is still the one meant: asks first, kills after 5 s. */
export async function endProcess(identity: Identity): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!(await isRunning(identity))) return;
    try {
      process.kill(identity.pid, signal);
    } catch {
      // Gone between the check and the signal.
      return;
    }
    if (await waitForEnd(identity, 5_000)) return;
  }
}
