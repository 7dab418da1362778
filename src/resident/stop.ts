import { constants } from "node:os";

/** A running command: a child process, or one in the resident process. */
export interface Awaited {
  /** Forwards the signal. */
  pass(signal: "SIGINT" | "SIGTERM"): void;
  /** Ends it forcibly. */
  kill(): void;
}

/** The signals a command has received. */
export interface Stopping {
  /** The exit status of the signal; undefined if there was none or the command continues. */
  status(): number | undefined;
  /** Called when the signal ended only a part of the command's work. */
  goesOn(): void;
  /** Called when the command has ended. */
  end(): void;
}

/** Time for a command to clean up after a signal, ms. */
export const graceMs = 1500;
/**
 * Signals closer together than this count as one, ms: timeout(1) and npm signal both the process and its
 * group.
 */
const onceMs = 500;

/**
 * Forwards signals once, although a terminal sends Ctrl-C to all its processes. A second signal while the
 * first is pending ends the command at once; a command that continues, such as a chat, acknowledges the
 * signal.
 */
export function forwardSignals({ pass, kill }: Awaited): Stopping {
  let stopped: "SIGINT" | "SIGTERM" | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const end = (): void => {
    kill();
    // Erases the status line, which the killed command could not.
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (signal !== "SIGINT" && signal !== "SIGTERM") return;
    const again = performance.now() - lastAt < onceMs;
    lastAt = performance.now();
    if (again) return;
    if (isOver) {
      leave();
      process.kill(process.pid, signal);
      return;
    }
    if (stopped !== undefined) {
      end();
      return;
    }
    stopped = signal;
    timer = setTimeout(end, graceMs);
    pass(signal);
  };
  const leave = (): void => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    status: () => (stopped === undefined ? undefined : 128 + constants.signals[stopped]),
    goesOn() {
      clearTimeout(timer);
      stopped = undefined;
    },
    end() {
      clearTimeout(timer);
      // A repeated signal must not end this process before it has reported the exit status.
      if (stopped !== undefined) isOver = true;
      else leave();
    },
  };
}
