import { RagctlError } from "../../core/errors.ts";

/** Longest pause between two pieces of a body, ms. */
export const idleMs = 60_000;

/** A body whose sender may not pause for longer than `idleMs`. @throws REQUEST_INVALID */
export async function* withIdleTimeout(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inTime(source.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a silent sender would not let this end.
    source.return?.().catch(() => undefined);
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(idle()), idleMs).unref();
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const idle = (): RagctlError =>
  new RagctlError("REQUEST_INVALID", `no data for ${idleMs / 1000} s`, {
    hint: "upload the file again",
  });
