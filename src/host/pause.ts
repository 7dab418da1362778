import { mkdir } from "node:fs/promises";
import { RagctlError } from "../core/errors.ts";
import { tryLock } from "../lock/lock.ts";
import { hostStatus, stopHost } from "./client.ts";
import { hostFiles } from "./protocol.ts";

/** Times that a host which another command starts just now is asked to end. */
const attempts = 3;

/**
 * Stops a home's idle host and keeps any other from starting until the hold is disposed of or this process
 * ends: the databases are at rest, and a command that needs them waits. @throws STORE_BUSY while another
 * command uses them, or a process, this one too, holds them already
 */
export async function pauseStores(home: string): Promise<AsyncDisposable> {
  const { folder } = hostFiles(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let attempt = 0; attempt < attempts; attempt++) {
    const status = await hostStatus(home);
    if (status !== null && status.clients > 0) {
      throw new RagctlError(
        "STORE_BUSY",
        `${status.clients} other commands are using the stores of ${home}`,
        {
          hint: "run the command again when they have finished; `ragctl status` shows them",
        },
      );
    }
    await stopHost(home);
    const lock = await tryLock(folder);
    if (lock !== undefined) return lock;
  }
  throw new RagctlError("STORE_BUSY", `another command keeps restarting the stores of ${home}`, {
    hint: "run the command again when it has finished",
  });
}
