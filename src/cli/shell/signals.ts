/** Signals that ask a command to end; SIGPIPE: the reader of its output is gone. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGPIPE";

/**
 * Whether a command that was asked to end does so, or continues because the signal ended only a part of it,
 * as in a chat.
 */
export type Reaction = "ends" | "goes on";

/**
 * Calls `react` for every request to end until disposed. Under `bin/ragctl.js` requests are messages: a
 * terminal sends Ctrl-C to that process and to this one, and it must count once. The watchdog there ends this
 * process when it neither ends nor says that it goes on.
 */
export function onStopSignal(react: (signal: StopSignal) => Reaction): Disposable {
  const watched = process.send !== undefined;
  const heard = (signal: StopSignal): void => {
    if (react(signal) === "goes on" && watched) process.send?.({ state: "goes on" });
  };
  const onMessage = (message: unknown): void => {
    if (typeof message !== "object" || message === null || !("signal" in message)) return;
    if (message.signal === "SIGINT" || message.signal === "SIGTERM") heard(message.signal);
  };
  const onInterrupt = (): void => {
    if (!watched) heard("SIGINT");
  };
  const onTerminate = (): void => heard("SIGTERM");
  // Not the signal itself: without a listener it would end the process, which node lets it not.
  const onLost = (error: NodeJS.ErrnoException): void => {
    if (error.code === "EPIPE") heard("SIGPIPE");
  };
  process.on("message", onMessage);
  process.channel?.unref();
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onTerminate);
  process.stdout.on("error", onLost);
  return {
    [Symbol.dispose]() {
      process.off("message", onMessage);
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", onTerminate);
      process.stdout.off("error", onLost);
    },
  };
}
