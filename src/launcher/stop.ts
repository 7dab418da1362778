import { constants } from "node:os";

/** What a launcher waits for: its child, or the command that the resident process runs for it. */
export interface Awaited {
  /** Passes the request to end on. */
  pass(signal: "SIGINT" | "SIGTERM"): void;
  /** Ends it without asking. */
  kill(): void;
}

/** Whether a command was asked to end, and by what. */
export interface Stopping {
  /** The signal's own exit status; undefined where none came, or the command goes on. */
  status(): number | undefined;
  /** The command says that the signal ended only a part of its work. */
  goesOn(): void;
  /** Nothing is waited for any more. */
  end(): void;
}

/** Time a command has to put its things in order after a signal, ms. */
const graceMs = 1500;
/**
 * Signals nearer to each other than this are one, ms: timeout(1) and npm send theirs to the process and to
 * its group.
 */
const onceMs = 500;

/**
 * Passes signals on, since a terminal sends Ctrl-C to all its processes and it must count once. A second
 * signal while the first still waits ends the command at once; a command that goes on (a chat) answers that
 * it heard the signal.
 */
export function passSignals({ pass, kill }: Awaited): Stopping {
  let stopped: "SIGINT" | "SIGTERM" | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let isOver = false;
  const end = (): void => {
    kill();
    // The command's status line, which it could not erase.
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
      // A signal that ended the command and comes twice would else end this process before its status is told.
      if (stopped !== undefined) isOver = true;
      else leave();
    },
  };
}
