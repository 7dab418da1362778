import { hostname } from "node:os";
import { identityOf, isRunning } from "../lock/process.ts";
import type { Database } from "../registry/database.ts";
import type { RunProcess, RunRecord } from "../registry/history/runs.ts";

/** This process, as the row of a run that has not ended names it. */
export async function currentProcess(): Promise<RunProcess> {
  const { pid } = process;
  return (await identityOf(pid)) ?? { host: hostname(), pid, started: "" };
}

/**
 * The state of a run: `interrupted` when its process is gone and did not record its end. A registry on a
 * server is shared by machines, and a process of another machine counts as running; a file is used by this
 * machine only, whatever its host name was then.
 */
export async function stateOf(
  { state, process }: Pick<RunRecord, "state" | "process">,
  { kind }: Pick<Database, "kind">,
): Promise<RunRecord["state"] | "running" | "interrupted"> {
  if (process === undefined) return state;
  const isElsewhere = kind === "postgresql" && process.host !== hostname();
  return isElsewhere || (await isRunning(process)) ? "running" : "interrupted";
}
