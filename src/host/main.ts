import { appendFileSync } from "node:fs";
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { asRagctlError } from "../core/errors.ts";
import type { Instance } from "../core/retrieval.ts";
import { privateFolder, removeSocket, socketFolderFor } from "../drivers/stores/lite-server.ts";
import { takeOwnership } from "./lock.ts";
import {
  type HostConfig,
  hostConfigSchema,
  hostFiles,
  protocolVersion,
  readMessages,
  requestSchema,
} from "./protocol.ts";
import { createServers } from "./servers.ts";

const socketName = "control.sock";

/**
 * The resident process of a home: owns its databases, lends their servers, ends when nobody has leased one for a while.
 * 1. become the owner or leave; 2. listen on the control socket and write its address down; 3. serve; 4. stop the servers and leave.
 */
async function main(config: HostConfig): Promise<void> {
  const files = hostFiles(config.home);
  await privateFolder(config.home);
  await privateFolder(files.folder);
  if (!(await takeOwnership(files.folder))) return;

  const log = (message: string): void =>
    appendFileSync(
      files.log,
      `${JSON.stringify({ time: new Date().toISOString(), pid: process.pid, message })}\n`,
      { mode: 0o600 },
    );
  const since = performance.now();
  const leases = new Set<Socket>();
  const connections = new Set<Socket>();
  const servers = createServers(config, () => leases.size > 0, log);
  let stopping = false;
  let idle: NodeJS.Timeout | undefined;

  const stop = async (reason: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log(`stopping: ${reason}`);
    clearTimeout(idle);
    control.close();
    await servers.stop();
    for (const socket of connections) socket.destroy();
    await removeSocket(path, files.folder);
    log("stopped");
    process.exit(0);
  };
  /** A lease can come before the host has said that it listens: whoever holds one keeps it. */
  const waitForWork = (): void => {
    clearTimeout(idle);
    if (leases.size > 0 || stopping) return;
    idle = setTimeout(() => void stop(`no lease for ${config.idleMs} ms`), config.idleMs);
  };

  const answer = async (socket: Socket, message: unknown): Promise<object> => {
    const request = requestSchema.parse(message);
    switch (request.request) {
      case "health":
        return { ok: true };
      case "status":
        return {
          ok: true,
          pid: process.pid,
          uptimeMs: Math.round(performance.now() - since),
          clients: leases.size,
          instances: await servers.status(),
        };
      case "stop":
        setImmediate(() => void stop("asked to"));
        return { ok: true };
      case "lease": {
        leases.add(socket);
        clearTimeout(idle);
        const uris: Partial<Record<Instance, string>> = {};
        for (const instance of request.instances) uris[instance] = await servers.uri(instance);
        return { ok: true, pid: process.pid, uris };
      }
    }
  };

  const serve = async (socket: Socket): Promise<void> => {
    for await (const message of readMessages(socket)) {
      const reply = await answer(socket, message).catch((error: unknown) => {
        const { code, message: text, hint } = asRagctlError(error);
        log(`request failed: ${code} ${text}`);
        return { ok: false, code, message: text, ...(hint === undefined ? {} : { hint }) };
      });
      if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
    }
  };

  const control = createServer((socket) => {
    if (stopping) {
      socket.destroy();
      return;
    }
    connections.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => {
      connections.delete(socket);
      leases.delete(socket);
      waitForWork();
    });
    serve(socket).catch(() => socket.destroy());
  });

  const path = join(await socketFolderFor(files.folder, socketName), socketName);
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    control.once("error", reject);
    control.listen(path, resolve);
  });
  await chmod(path, 0o600);
  const draft = `${files.address}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ protocol: protocolVersion, control: path }), { mode: 0o600 });
  await rename(draft, files.address);
  log(`listening at ${path}`);
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  process.on("SIGHUP", () => undefined);
  waitForWork();
}

await main(hostConfigSchema.parse(JSON.parse(process.argv[2] ?? "{}")));
