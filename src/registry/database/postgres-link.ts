import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Failure, Reply, Request, ThreadData } from "./postgres-protocol.ts";

/** A connection in a separate thread, which synchronous callers can wait for. */
export interface Link {
  /** Sends a request without blocking this thread. */
  begin(request: Request): Promise<Reply>;
  /** Sends a request and blocks this thread until it is answered. */
  call(request: Request): Reply;
  /** Sends a request that is not answered. */
  tell(request: Request): void;
  close(): void;
}

const silent: Failure = { code: "LOST", message: "no response in time", within: true };

/** Starts the thread; nothing is connected before the first request. */
export function openLink(data: Pick<ThreadData, "address" | "limits">): Link {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1: port, port2: theirs } = new MessageChannel();
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./postgres-worker.${ending}`, import.meta.url), {
    workerData: { ...data, signal } satisfies ThreadData,
    name: "registry",
  });
  const state = { dead: false };
  worker.once("error", () => {
    state.dead = true;
  });
  worker.postMessage(theirs, [theirs]);
  port.unref();
  const { address, limits } = data;
  // The longest the thread itself may take: two reconnects, the wait for the lock, the statement.
  const patienceMs = 4 * address.connectMs + limits.lockMs + limits.statementMs + 5000;
  const reply = (): Reply => {
    const received = receiveMessageOnPort(port);
    if (received !== undefined) return received.message as Reply;
    state.dead = true;
    return { type: "failed", failure: silent };
  };
  const post = (request: Request): void => {
    Atomics.store(signal, 0, 0);
    port.postMessage(request);
  };
  const call = (request: Request, timeoutMs = patienceMs): Reply => {
    if (state.dead) return { type: "failed", failure: silent };
    post(request);
    Atomics.wait(signal, 0, 0, timeoutMs);
    return reply();
  };
  return {
    call,
    async begin(request) {
      post(request);
      const { async: waits, value } = Atomics.waitAsync(signal, 0, 0, patienceMs);
      // The thread keeps the process alive for as long as this takes.
      if (waits) await value;
      worker.unref();
      return reply();
    },
    tell: (request) => port.postMessage(request),
    close() {
      call({ type: "close" }, 1000);
      port.close();
      void worker.terminate();
    },
  };
}
