import { spawn } from "node:child_process";
import { constants } from "node:os";
import { nodeFlags } from "../core/remote.ts";
import { forwardSignals } from "./stop.ts";

/**
 * Runs the command in a child process and ends it within two seconds of a signal, however busy it is: a
 * process that computes hears no signal, and only another process can end a calculation, a regular expression
 * or a native call.
 * @param command path of bin/command.js
 */
export function runChild(node: string, command: string, argv: readonly string[]): void {
  const child = spawn(node, [...nodeFlags, command, ...argv], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const stopping = forwardSignals({
    pass(signal) {
      if (child.connected) child.send({ signal }, () => {});
    },
    kill: () => void child.kill("SIGKILL"),
  });
  child.on("message", (message) => {
    if (typeof message === "object" && "state" in message && message.state === "goes on") stopping.goesOn();
  });
  child.on("error", (error) => {
    process.stderr.write(`ragctl cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    stopping.end();
    const status = stopping.status();
    if (status !== undefined) process.exitCode = status;
    else if (signal === null) process.exitCode = code ?? 1;
    else {
      process.stderr.write(
        `ragctl was ended by ${signal}${signal === "SIGKILL" ? ", possibly because the machine ran out of memory" : ""}\n`,
      );
      process.exitCode = 128 + constants.signals[signal];
    }
  });
}
