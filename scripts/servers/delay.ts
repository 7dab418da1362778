/**
 * A TCP proxy on 127.0.0.1 that holds what a client sends for a while: a server that is farther away. It runs
 * in a thread, because a client may block its own.
 */
import { once } from "node:events";
import { createConnection, createServer, type Socket } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

export interface DelayingProxy {
  readonly port: number;
  /** Packets from clients until now: without pipelining, their round trips. */
  sent(): number;
  /** Cuts every connection; new ones are taken. */
  cut(): Promise<void>;
  close(): Promise<void>;
}

interface ThreadData {
  readonly port: number;
  readonly delayMs: number;
  /** One number. */
  readonly sent: Int32Array;
}

/**
 * Forwards to `port` of 127.0.0.1, what comes from a client `delayMs` later: the time that a round trip takes
 * longer.
 */
export async function startDelayingProxy(port: number, delayMs: number): Promise<DelayingProxy> {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ThreadData = { port, delayMs, sent };
  const worker = new Worker(new URL(import.meta.url), { workerData });
  const [own] = await once(worker, "message");
  return {
    port: Number(own),
    sent: () => Atomics.load(sent, 0),
    async cut() {
      worker.postMessage("cut");
      await once(worker, "message");
    },
    async close() {
      await worker.terminate();
    },
  };
}

async function forward({ port, delayMs, sent }: ThreadData): Promise<void> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket.setNoDelay(true));
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (data) => {
      Atomics.add(sent, 0, 1);
      if (delayMs === 0) upstream.write(data);
      else setTimeout(() => upstream.write(data), delayMs);
    });
    upstream.on("data", (data) => client.write(data));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  parentPort?.on("message", () => {
    for (const socket of open) socket.destroy();
    parentPort?.postMessage("cut");
  });
  const address = server.address();
  parentPort?.postMessage(typeof address === "object" ? address?.port : 0);
}

if (!isMainThread) await forward(workerData as ThreadData);
