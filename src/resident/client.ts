import { mkdir } from "node:fs/promises";
import { asRagctlError, RagctlError } from "../core/errors.ts";
import type { Run } from "../core/run.ts";
import { type Owner, ownerOf, tryLock } from "../lock/lock.ts";
import { endProcess, identityOf, waitForEnd } from "../lock/process.ts";
import {
  hostFiles,
  protocolVersion,
  readAddress,
  type StartOptions,
  startMs,
  startResident,
} from "./address.ts";
import {
  type HostRequest,
  type HostStatus,
  type LocalDatabase,
  leaseSchema,
  readReply,
  sendRequest,
  statusSchema,
} from "./protocol.ts";
import { checkDiskSpace, releaseDiskReserve } from "./reserve.ts";

/** `idleMs` and `entry` are for a host that this starts. */
export interface AcquireOptions extends Omit<StartOptions, "node"> {
  /** Folder with the native Milvus Lite. */
  readonly runtime: string;
  /** Which local databases this command needs; each server starts on first use. */
  readonly instances: readonly LocalDatabase[];
  /** How long to wait for a host to start and answer, ms. Default 30 000. */
  readonly timeoutMs?: number;
}

/** A hold on the resident host: its servers stay up until this is released or this process ends. */
export interface HostLease extends AsyncDisposable {
  /** Addresses of the requested instances. */
  readonly uris: Readonly<Partial<Record<LocalDatabase, string>>>;
  readonly pid: number;
  /** Whether the host has ended, or the lease was released. */
  readonly isLost: () => boolean;
}

/** A new host is not tried more often than this, ms: starting one takes about 200 ms. */
const spawnEveryMs = 3_000;

/**
 * Leases the home's host, starting it when none runs. Any number of processes may do so at once. @throws
 * HOST_UNAVAILABLE RUNTIME_MISSING STORE_UNAVAILABLE STORE_BUSY DISK_FULL
 */
export async function acquireHost(options: AcquireOptions, run: Run): Promise<HostLease> {
  const { home, instances, runtime, timeoutMs = startMs, ...start } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([run.signal, timeout]);
  const { folder, log } = hostFiles(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let spawnedAt = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  /** On a full disk, continues in the reserved space. */
  const makeRoom = async (error: unknown): Promise<undefined> => {
    if (asRagctlError(error).code !== "DISK_FULL" || !(await releaseDiskReserve(folder))) throw error;
    spawnedAt = Number.NEGATIVE_INFINITY;
  };
  while (!timeout.aborted) {
    run.signal.throwIfAborted();
    const lease = await tryLease(
      home,
      { request: "lease", instances: [...instances], runtime },
      signal,
    ).catch((error: unknown) => (timeout.aborted && !run.signal.aborted ? undefined : makeRoom(error)));
    if (lease !== undefined) {
      run.log.event("host-leased", { host_pid: lease.pid, instances });
      return lease;
    }
    if (performance.now() - spawnedAt > spawnEveryMs && (await ownerOf(folder)) === undefined) {
      spawnedAt = performance.now();
      startResident({ home, ...start }, () => {
        hasFailed = true;
      });
    }
    if (hasFailed) {
      hasFailed = false;
      await checkDiskSpace(folder).catch(makeRoom);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const owner = await ownerOf(folder);
  if (owner !== undefined) throwIfBusy(owner, home);
  throw new RagctlError("HOST_UNAVAILABLE", `the resident process of ${home} did not answer in time`, {
    hint: `run "ragctl stop" and try again; details are in ${log}`,
  });
}

async function tryLease(
  home: string,
  request: HostRequest,
  signal: AbortSignal,
): Promise<HostLease | undefined> {
  const address = readAddress(home);
  if (address === undefined) return undefined;
  const response = await sendRequest(address.control, request, signal);
  if (response === undefined) return undefined;
  const { answer, socket } = response;
  try {
    if (address.protocol !== protocolVersion) {
      const why = "the resident process was started by another version of ragctl";
      throw new RagctlError("HOST_UNAVAILABLE", why, { hint: "run: ragctl stop" });
    }
    const granted = readReply(leaseSchema, answer);
    // The lease lives as long as the connection, which must not keep a finished command alive.
    socket.unref();
    const release = async (): Promise<void> => void socket.destroy();
    return { ...granted, isLost: () => socket.destroyed, [Symbol.asyncDispose]: release };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const busy = (what: string, hint: string): RagctlError => new RagctlError("STORE_BUSY", what, { hint });

/** @throws STORE_BUSY for an owner of the stores that this process must not or cannot end */
function throwIfBusy({ pid, role, host, isElsewhere }: Owner, home: string): void {
  const owner = `process ${pid}${isElsewhere ? ` of ${host}` : ""}`;
  if (role === "worker")
    throw busy(`${owner} is copying the stores of ${home}`, "run the command again when it has finished");
  if (isElsewhere)
    throw busy(`${owner} serves the stores of ${home}`, "use the home there, or run there: ragctl stop");
}

/** The reply of the home's host; undefined where none answers in time. */
async function ask(home: string, request: "status" | "stop"): Promise<unknown> {
  const address = readAddress(home);
  if (address === undefined) return undefined;
  const timeout = AbortSignal.timeout(5_000);
  const response = await sendRequest(address.control, { request }, timeout).catch(() => undefined);
  response?.socket.destroy();
  return response?.answer;
}

/** The status of the home's host; null when none runs. */
export async function hostStatus(home: string): Promise<HostStatus | null> {
  const answer = await ask(home, "status");
  return answer === undefined ? null : readReply(statusSchema, answer);
}

/**
 * Stops the home's host and its servers, by signal if it does not answer; false when none runs. @throws
 * STORE_BUSY while a process copies the stores, whose copy would stay half, or one of another machine runs
 */
export async function stopHost(home: string): Promise<boolean> {
  const holder = await ownerOf(hostFiles(home).folder);
  // One of an earlier version holds another lock, but answers.
  const status = holder === undefined ? await hostStatus(home) : null;
  const owner = holder ?? (status === null ? undefined : await identityOf(status.pid));
  if (owner === undefined) return false;
  const isAsked = holder?.role !== "worker" && (await ask(home, "stop")) !== undefined;
  if (!isAsked && holder !== undefined) throwIfBusy(holder, home);
  if (!isAsked || !(await waitForEnd(owner, 10_000))) await endProcess(owner);
  return true;
}

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
    const { clients } = (await hostStatus(home)) ?? { clients: 0 };
    const hint = "run the command again when they have finished; `ragctl status` shows them";
    if (clients > 0) throw busy(`${clients} other commands are using the stores of ${home}`, hint);
    await stopHost(home);
    const lock = await tryLock(folder);
    if (lock !== undefined) return lock;
  }
  const hint = "run the command again when it has finished";
  throw busy(`another command keeps restarting the stores of ${home}`, hint);
}
