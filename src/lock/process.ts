import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

/** A process, distinguishable from a later one with the same id. */
export interface Identity {
  /** Name of its machine. */
  readonly host: string;
  readonly pid: number;
  /** When it started, as text that only equals itself; empty on Windows, which does not tell. */
  readonly started: string;
}

/** Whether some process of this machine has the id. */
export function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Identifies the running kernel, as seen from any of its containers; empty where there is no telling. */
export const kernelId = async (): Promise<string> =>
  (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")).trim();

/** The start of a process as opaque text; undefined if there is no such process, or only a zombie. */
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === "win32") return hasProcess(pid) ? "" : undefined;
  if (process.platform === "linux") {
    const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // proc(5): the name may contain spaces and ")"; after it, field 3 is the state and field 22 the start
    // time in clock ticks.
    const [state = "X", ...fields] = status.slice(status.lastIndexOf(")") + 2).split(" ");
    return fields[18] === undefined || "ZX".includes(state) ? undefined : `${await kernelId()}/${fields[18]}`;
  }
  const listed = await promisify(execFile)("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)]).catch(
    () => undefined,
  );
  const [state = "", ...started] = listed?.stdout.trim().split(/\s+/) ?? [];
  return state === "" || state.startsWith("Z") ? undefined : started.join(" ");
}

/** The identity of a process of this machine, if it is running. */
export async function identityOf(pid: number): Promise<Identity | undefined> {
  const started = await startOf(pid);
  return started === undefined ? undefined : { host: hostname(), pid, started };
}

/** Whether this process, not a later one with its id, still runs on this machine. */
export async function isRunning({ pid, started }: Identity): Promise<boolean> {
  return (await startOf(pid)) === started;
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
