import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type {
  Later,
  LaterReply,
  Request,
  WorkerData,
  WorkerFailure,
  WorkerReply,
} from "./postgres-protocol.ts";

/** A connection in a separate thread, which synchronous callers can wait for. */
export interface Link {
  /** Sends a request and blocks this thread until it is answered. */
  call(request: Request): WorkerReply;
  /** Sends a request without blocking this thread; it is served in the order of all requests. */
  later(request: Later["request"]): Promise<WorkerReply>;
  /** Sends a request that is not answered. */
  tell(request: Request): void;
  close(): void;
}

const silent: WorkerFailure = { code: "LOST", message: "no response in time", within: true };

/** Starts the thread; nothing is connected before the first request. */
export function startPostgresThread(data: Pick<WorkerData, "address" | "limits">): Link {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1: port, port2: theirs } = new MessageChannel();
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./postgres-worker.${ending}`, import.meta.url), {
    workerData: { ...data, signal } satisfies WorkerData,
    name: "registry",
  });
  const state = { dead: false, sent: 0 };
  const waiting = new Map<number, (reply: WorkerReply) => void>();
  const answer = ({ number, reply }: LaterReply): void => {
    waiting.get(number)?.(reply);
    waiting.delete(number);
    if (waiting.size === 0) worker.unref();
  };
  worker.once("exit", () => {
    state.dead = true;
    for (const number of [...waiting.keys()]) answer({ number, reply: { type: "failed", failure: silent } });
  });
  worker.on("error", () => undefined);
  worker.on("message", answer);
  worker.postMessage(theirs, [theirs]);
  port.unref();
  const { address, limits } = data;
  // The longest the thread itself may take: two reconnects, the wait for the lock, the statement.
  const patienceMs = 4 * address.connectMs + limits.lockMs + limits.statementMs + 5000;
  const reply = (): WorkerReply => {
    const received = receiveMessageOnPort(port);
    if (received !== undefined) return received.message as WorkerReply;
    state.dead = true;
    return { type: "failed", failure: silent };
  };
  const post = (request: Request): void => {
    Atomics.store(signal, 0, 0);
    port.postMessage(request);
  };
  const call = (request: Request, timeoutMs = patienceMs): WorkerReply => {
    if (state.dead) return { type: "failed", failure: silent };
    post(request);
    Atomics.wait(signal, 0, 0, timeoutMs);
    return reply();
  };
  return {
    call,
    async later(request) {
      if (state.dead) return { type: "failed", failure: silent };
      const number = state.sent++;
      // The thread keeps the process alive until it has answered.
      worker.ref();
      port.postMessage({ number, request } satisfies Later);
      return new Promise((resolve) => waiting.set(number, resolve));
    },
    tell: (request) => port.postMessage(request),
    close() {
      call({ type: "close" }, 1000);
      port.close();
      void worker.terminate();
    },
  };
}
