import { hostname } from "node:os";

/** `<pid>@<host>` of this process. */
export const thisProcess = `${process.pid}@${hostname()}`;

/** Whether the process an owner names still runs; one on another machine counts as running. */
export function runs(owner: string): boolean {
  const [pid, host] = [Number(owner.slice(0, owner.indexOf("@"))), owner.slice(owner.indexOf("@") + 1)];
  if (owner === "" || !Number.isInteger(pid) || pid <= 0) return false;
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
