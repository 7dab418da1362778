import { parentPort, workerData } from "node:worker_threads";
import type { Embedding } from "../../core/documents/embedding.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Encoder } from "./encoder.ts";
import { openEncoder } from "./encoder.ts";
import type { Gate } from "./gate.ts";
import { enter, leave } from "./gate.ts";
import type { ThreadData, WorkerReply, WorkerRequest } from "./pool.ts";

/** The memory of an embedding, handed over instead of copied. */
function memoryOf({ dense, sparse, multi }: Embedding): ArrayBuffer[] {
  const views = [dense, ...(sparse ? [sparse.indices, sparse.values] : []), ...(multi ? [multi] : [])];
  return views.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
}

function reply(message: WorkerReply, memory: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, memory);
}

function failed(error: unknown): WorkerReply {
  const { code, message, hint, cause } = asRagctlError(error);
  return { type: "failed", code, message, hint, cause: cause instanceof Error ? cause.message : undefined };
}

function serve(encoder: Encoder, gate: Gate): void {
  let last: Promise<void> = Promise.resolve();
  const answer = async (request: WorkerRequest): Promise<void> => {
    if (request.type === "close") {
      await encoder[Symbol.asyncDispose]();
      parentPort?.close();
      return;
    }
    if (!enter(gate)) return;
    try {
      const embeddings = await encoder.encode(request.rows, request.multi);
      reply({ type: "embeddings", embeddings }, embeddings.flatMap(memoryOf));
    } catch (error) {
      reply(failed(error));
    } finally {
      leave(gate);
    }
  };
  parentPort?.on("message", (request: WorkerRequest) => {
    last = last.then(() => answer(request));
  });
}

const { settings, gate } = workerData as ThreadData; // pool.ts starts this thread with nothing else
if (enter(gate)) {
  try {
    const encoder = await openEncoder(settings);
    serve(encoder, gate);
    reply({ type: "ready", facts: encoder.facts });
  } catch (error) {
    reply(failed(error));
  } finally {
    leave(gate);
  }
}
