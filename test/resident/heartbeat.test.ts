import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";

const heartbeat = JSON.stringify(new URL("../../src/resident/heartbeat.ts", import.meta.url));

/** How a watched process ends whose main thread does this and then says so. */
function watched(work: string, limits: object): Promise<readonly [NodeJS.Signals | null, string]> {
  const code = `(async () => {
    const { startMainThreadWatchdog } = await import(${heartbeat});
    startMainThreadWatchdog(${JSON.stringify(limits)});
    // The watching thread runs once it answers the first beat.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    ${work}
    console.log("done");
    process.exit();
  })();`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", 2] });
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  return new Promise((resolve) => {
    child.once("close", (_, signal) => resolve([signal, printed.trim()]));
  });
}

const computing =
  "const until = process.cpuUsage().user + 3e6; while (process.cpuUsage().user < until) JSON.stringify(Array(1e5));";
const waiting = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);";

test("a process that computes for long is not taken for a dead one", async () => {
  assert.deepEqual(await watched(computing, { silentBeats: 2 }), [null, "done"]);
});

test("a process that waits for what never comes is ended, and so is one that computes without end", async () => {
  assert.deepEqual(await watched(waiting, { silentBeats: 2 }), ["SIGKILL", ""]);
  assert.deepEqual(await watched("for (;;);", { silentBeats: 2, busyMs: 1500 }), ["SIGKILL", ""]);
});
