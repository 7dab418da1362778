import { createInterface } from "node:readline";
import type { Session } from "../shell/session.ts";
import { terminal } from "../shell/terminal.ts";

/** Lines from a pipe, or typed at a prompt until Ctrl-D, or Ctrl-C, which ends the command. */
export async function* inputLines(
  prompt: () => string,
  interactive: boolean,
  session: Session,
): AsyncGenerator<string> {
  const { signal } = session.run;
  session.output.status("");
  if (!interactive) {
    const lines = createInterface({ input: terminal().input });
    signal.addEventListener("abort", () => lines.close(), { once: true });
    yield* lines;
    return;
  }
  let history: string[] = [];
  const waiting: string[] = [];
  while (!signal.aborted) {
    const typed = await typedLines(prompt(), history, session);
    if (typed === null) return;
    history = typed.history;
    waiting.push(...typed.lines);
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) yield line;
  }
}

/**
 * The next line of a terminal, and any text pasted with it; null at its end. The editor is open only while it
 * waits: it keeps the terminal from sending the signals of its keys, and only a signal ends an answer while
 * this process computes.
 */
function typedLines(prompt: string, history: readonly string[], session: Session) {
  const { promise, resolve } = Promise.withResolvers<{
    readonly lines: readonly string[];
    readonly history: string[];
  } | null>();
  const { input, error: output } = terminal();
  const editor = createInterface({ input, output, prompt, history: [...history] });
  const lines: string[] = [];
  let kept = [...history];
  const close = (): void => editor.close();
  const { signal } = session.run;
  signal.addEventListener("abort", close, { once: true });
  editor.on("history", (all) => {
    kept = [...all];
  });
  editor.on("line", (line) => {
    if (lines.push(line) === 1) setImmediate(close);
  });
  editor.on("SIGINT", () => {
    output.write("\n");
    session.interrupt();
  });
  editor.on("close", () => {
    signal.removeEventListener("abort", close);
    resolve(lines.length === 0 ? null : { lines, history: kept });
  });
  editor.prompt();
  return promise;
}

/**
 * The items until the signal; then it raises the signal's reason at once, whatever the source is busy with,
 * which ends by itself.
 */
export async function* abortableIterable<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => {});
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const items = source[Symbol.asyncIterator]();
  try {
    signal.throwIfAborted();
    for (;;) {
      const next = items.next();
      // It may fail after the wait has ended.
      next.catch(() => {});
      const item = await Promise.race([next, aborted]);
      if (item.done === true) return;
      yield item.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    void items.return?.().catch(() => {});
  }
}
