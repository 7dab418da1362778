import { parentPort, workerData } from "node:worker_threads";
import { asRagctlError } from "../../core/errors.ts";
import type { RunGate } from "./gate.ts";
import { enterGate, leaveGate } from "./gate.ts";
import type { ModelFacts, ThreadData, ThreadReply, ThreadRequest } from "./threads.ts";

/** A model as its thread runs it. */
export interface ThreadModel<F extends ModelFacts, I, O> extends AsyncDisposable {
  readonly facts: F;
  run(input: I): Promise<O>;
  /** Memory of an output that is handed over instead of copied. */
  memoryOf(output: O): readonly ArrayBuffer[];
}

function reply(message: ThreadReply<unknown, unknown>, memory: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, memory);
}

function failed(error: unknown): ThreadReply<never, never> {
  const { code, message, hint, cause } = asRagctlError(error);
  return { type: "failed", code, message, hint, cause: cause instanceof Error ? cause.message : undefined };
}

function serve<F extends ModelFacts, I, O>(model: ThreadModel<F, I, O>, gate: RunGate): void {
  let last: Promise<void> = Promise.resolve();
  const answer = async (request: ThreadRequest<I>): Promise<void> => {
    if (request.type === "close") {
      await model[Symbol.asyncDispose]();
      parentPort?.close();
      return;
    }
    if (!enterGate(gate)) return;
    try {
      const output = await model.run(request.input);
      reply({ type: "output", output }, model.memoryOf(output));
    } catch (error) {
      reply(failed(error));
    } finally {
      leaveGate(gate);
    }
  };
  parentPort?.on("message", (request: ThreadRequest<I>) => {
    last = last.then(() => answer(request));
  });
}

/**
 * The whole of a thread of `openPool`: opens the model with the settings the thread was started with, and
 * answers in order.
 */
export async function serveThread<S, F extends ModelFacts, I, O>(
  open: (settings: S) => Promise<ThreadModel<F, I, O>>,
): Promise<void> {
  const { settings, gate } = workerData as ThreadData<S>; // `openPool` starts the thread with nothing else
  if (!enterGate(gate)) return;
  try {
    const model = await open(settings);
    serve(model, gate);
    reply({ type: "ready", facts: model.facts });
  } catch (error) {
    reply(failed(error));
  } finally {
    leaveGate(gate);
  }
}
