#!/usr/bin/env node
// Launcher and watchdog: runs the command in a child process and ends it within two seconds of a signal, however busy it is.
// A process that computes hears no signal: only another process can end a calculation, a regular expression or a native call.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** Time a command has to put its things in order after a signal, ms. */
const graceMs = 1500;
/** Signals nearer to each other than this are one, ms: timeout(1) and npm send theirs to the process and to its group. */
const onceMs = 500;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const command = fileURLToPath(new URL("command.js", import.meta.url));
const ownNode = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
const node = major > 22 || (major === 22 && minor >= 13) ? process.execPath : ownNode;

if (!existsSync(main)) {
  process.stderr.write("ragctl is not built yet; run `npm ci` (or `npm run build`) in its folder first\n");
  process.exitCode = 1;
} else if (!existsSync(node)) {
  process.stderr.write(`ragctl needs Node 22.13 or newer; this is ${process.version}\n`);
  process.exitCode = 1;
} else if (
  node === process.execPath &&
  process.argv.slice(2).some((word) => ["--help", "-h", "--version"].includes(word))
) {
  // Help computes nothing that could run away: no second process is started for it.
  await import("./command.js");
} else
  watch(
    spawn(node, [command, ...process.argv.slice(2)], { stdio: ["inherit", "inherit", "inherit", "ipc"] }),
  );

/**
 * Passes signals on as messages, since a terminal sends Ctrl-C to both processes and it must count once. A second signal while the first
 * still waits ends the command at once; a command that goes on (a chat) answers that it heard the signal.
 */
function watch(child) {
  let stopped;
  let timer;
  let lastAt = Number.NEGATIVE_INFINITY;
  const kill = () => {
    child.kill("SIGKILL");
    // The command's status line, which it could not erase.
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  };
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      const again = performance.now() - lastAt < onceMs;
      lastAt = performance.now();
      if (again) return;
      if (stopped !== undefined) {
        kill();
        return;
      }
      stopped = signal;
      timer = setTimeout(kill, graceMs);
      if (child.connected) child.send({ signal }, () => {});
    });
  }
  child.on("message", (message) => {
    if (message?.state !== "goes on") return;
    clearTimeout(timer);
    stopped = undefined;
  });
  child.on("error", (error) => {
    process.stderr.write(`ragctl cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    clearTimeout(timer);
    if (stopped !== undefined) process.exitCode = 128 + constants.signals[stopped];
    else if (code !== null) process.exitCode = code;
    else {
      process.stderr.write(
        `ragctl was ended by ${signal}${signal === "SIGKILL" ? ", perhaps for want of memory" : ""}\n`,
      );
      process.exitCode = 128 + constants.signals[signal];
    }
  });
}
