import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { asRagctlError, RagctlError } from "../core/errors.ts";
import { nodeFlags } from "../core/remote.ts";
import type { Run } from "../core/run.ts";
import type { z } from "../core/schema.ts";
import { type Owner, ownerOf } from "../lock/lock.ts";
import { endProcess, waitForEnd } from "../lock/process.ts";
import {
  type HostConfig,
  type HostRequest,
  hostFiles,
  type LocalDatabase,
  leaseSchema,
  protocolVersion,
  readAddress,
  sendRequest,
  statusSchema,
  throwFailure,
} from "./protocol.ts";
import { releaseDiskReserve } from "./reserve.ts";

export interface AcquireOptions {
  readonly home: string;
  /** Folder with the native Milvus Lite. */
  readonly runtime: string;
  /** Which local databases this command needs; each server starts on first use. */
  readonly instances: readonly LocalDatabase[];
  /** How long the host stays without a lease, ms. Default 60 000. Fixed by the command that starts it. */
  readonly idleMs?: number;
  /** Path of start-resident.ts or start-resident.js. */
  readonly hostEntry: string;
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
  release(): void;
}

export type HostStatus = Omit<z.infer<typeof statusSchema>, "ok">;

/** A new host is not tried more often than this, ms: starting one takes about 200 ms. */
const spawnEveryMs = 3_000;

/**
 * Leases the home's host, starting it when none runs. Any number of processes may do so at once. @throws
 * HOST_UNAVAILABLE RUNTIME_MISSING STORE_UNAVAILABLE STORE_BUSY DISK_FULL
 */
export async function acquireHost(options: AcquireOptions, run: Run): Promise<HostLease> {
  const { home, instances, runtime } = options;
  const deadline = performance.now() + (options.timeoutMs ?? 30_000);
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 30_000);
  const signal = AbortSignal.any([run.signal, timeout]);
  const { folder } = hostFiles(home);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let spawnedAt = Number.NEGATIVE_INFINITY;
  /** On a full disk, continues in the reserved space. */
  const makeRoom = async (error: unknown): Promise<undefined> => {
    if (asRagctlError(error).code !== "DISK_FULL" || !(await releaseDiskReserve(folder))) throw error;
    spawnedAt = Number.NEGATIVE_INFINITY;
  };
  let hasFailed = false;
  while (performance.now() < deadline) {
    run.signal.throwIfAborted();
    const lease = await tryLease(
      home,
      { request: "lease", instances: [...instances], runtime },
      signal,
    ).catch((error: unknown) => {
      if (timeout.aborted && !run.signal.aborted) return undefined;
      return makeRoom(error);
    });
    if (lease !== undefined) {
      run.log.event("host-leased", { host_pid: lease.pid, instances });
      return lease;
    }
    const running = await ownerOf(folder);
    if (running === undefined && performance.now() - spawnedAt > spawnEveryMs) {
      spawnedAt = performance.now();
      startHost(options, () => {
        hasFailed = true;
      });
    }
    if (hasFailed) {
      hasFailed = false;
      await checkRoom(folder).catch(makeRoom);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const owner = await ownerOf(folder);
  if (owner !== undefined) throwIfBusy(owner, home);
  throw new RagctlError("HOST_UNAVAILABLE", `the resident process of ${home} did not answer in time`, {
    hint: `run "ragctl stop" and try again; details are in ${hostFiles(home).log}`,
  });
}

async function tryLease(
  home: string,
  request: HostRequest,
  signal: AbortSignal,
): Promise<HostLease | undefined> {
  const address = await readAddress(home);
  if (address === undefined) return undefined;
  if (address.protocol !== protocolVersion && (await ownerOf(hostFiles(home).folder)) !== undefined) {
    throw new RagctlError(
      "HOST_UNAVAILABLE",
      "the resident process was started by another version of ragctl",
      {
        hint: "run: ragctl stop",
      },
    );
  }
  const response = await sendRequest(address.control, request, signal);
  if (response === undefined) return undefined;
  const { answer, socket } = response;
  const parsed = leaseSchema.safeParse(answer);
  if (!parsed.success) {
    socket.destroy();
    throwFailure(answer);
    throw new RagctlError("HOST_UNAVAILABLE", "the resident process gave an unreadable reply", {
      hint: "run: ragctl stop",
      cause: parsed.error,
    });
  }
  return holdLease(socket, parsed.data);
}

function holdLease(
  socket: Socket,
  granted: { readonly pid: number; readonly uris: HostLease["uris"] },
): HostLease {
  // The lease lives as long as the connection; it must not keep a finished command alive.
  socket.unref();
  const release = (): void => {
    socket.destroy();
  };
  return {
    uris: granted.uris,
    pid: granted.pid,
    isLost: () => socket.destroyed,
    release,
    [Symbol.asyncDispose]: async () => release(),
  };
}

/** What a host writes when it starts, bytes: its identity and its address take a page each. */
const hostBytes = 16_384;

/** A host on a full disk cannot even write down why it ended. @throws DISK_FULL */
async function checkRoom(folder: string): Promise<void> {
  const probe = join(folder, `room.${process.pid}`);
  try {
    await writeFile(probe, Buffer.alloc(hostBytes), { mode: 0o600 });
  } catch (cause) {
    const error = asRagctlError(cause);
    if (error.code !== "DISK_FULL") return;
    throw new RagctlError(
      "DISK_FULL",
      `the disk of ${folder} is full: the resident process could not start`,
      {
        hint: "free some space and run the command again",
        cause,
      },
    );
  } finally {
    await rm(probe, { force: true });
  }
}

/** Starts a host and lets it go; `failed` is called should it end with an error while this process lives. */
function startHost(options: AcquireOptions, failed: () => void): void {
  const { home, hostEntry } = options;
  const config: HostConfig = { home, idleMs: options.idleMs ?? 60_000 };
  const log = openSync(hostFiles(home).log, "a", 0o600);
  try {
    const child = spawn(process.execPath, [...nodeFlags, hostEntry, JSON.stringify(config)], {
      cwd: home,
      detached: true,
      stdio: ["ignore", log, log],
    });
    // Whether it came up shows when the socket answers; why not is in the log.
    child.on("error", () => undefined);
    child.on("exit", (status) => {
      if (status !== 0) failed();
    });
    child.unref();
  } finally {
    closeSync(log);
  }
}

/** @throws STORE_BUSY for an owner of the stores that this process must not or cannot end */
function throwIfBusy({ pid, role, host, isElsewhere }: Owner, home: string): void {
  const where = isElsewhere ? ` of ${host}` : "";
  if (role === "worker") {
    throw new RagctlError("STORE_BUSY", `process ${pid}${where} is copying the stores of ${home}`, {
      hint: "run the command again when it has finished",
    });
  }
  if (!isElsewhere) return;
  throw new RagctlError("STORE_BUSY", `process ${pid}${where} serves the stores of ${home}`, {
    hint: "use the home there, or run there: ragctl stop",
  });
}

/** The status of the home's host; null when none runs. */
export async function hostStatus(home: string): Promise<HostStatus | null> {
  const address = await readAddress(home);
  const response =
    address &&
    (await sendRequest(address.control, { request: "status" }, AbortSignal.timeout(5_000)).catch(
      () => undefined,
    ));
  if (response === undefined) return null;
  response.socket.destroy();
  throwFailure(response.answer);
  const { ok: _, ...status } = statusSchema.parse(response.answer);
  return status;
}

/**
 * Stops the home's host and its servers, by signal if it does not answer; false when none runs. @throws
 * STORE_BUSY while a process copies the stores, whose copy would stay half, or one of another machine runs
 */
export async function stopHost(home: string): Promise<boolean> {
  const owner = await ownerOf(hostFiles(home).folder);
  if (owner === undefined) return false;
  throwIfBusy(owner, home);
  const address = await readAddress(home);
  const response =
    address &&
    (await sendRequest(address.control, { request: "stop" }, AbortSignal.timeout(5_000)).catch(
      () => undefined,
    ));
  response?.socket.destroy();
  if (response === undefined || !(await waitForEnd(owner, 10_000))) await endProcess(owner);
  return true;
}
