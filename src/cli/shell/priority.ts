import { constants, setPriority } from "node:os";
import type { Session } from "./session.ts";
import { terminal } from "./terminal.ts";

/** Lowers the priority on a machine with a user at it. */
export function lowerPriority(session: Session): void {
  // The resident process also works for others.
  if (!session.output.interactive || terminal().resident !== null) return;
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Where the system does not allow it, the work runs at normal priority.
  }
}
