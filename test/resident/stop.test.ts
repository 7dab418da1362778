import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const stop = fileURLToPath(new URL("../../src/resident/stop.ts", import.meta.url));

/** A launcher whose command ends as soon as it is asked to, and which takes `lingerMs` to leave. */
const launcher = (lingerMs: number): string => `
  import { forwardSignals } from ${JSON.stringify(stop)};
  const open = setInterval(() => {}, 1000);
  const stopping = forwardSignals({
    pass() {
      stopping.end();
      process.exitCode = stopping.status();
      clearInterval(open);
      setTimeout(() => {}, ${lingerMs});
      console.log("ended");
    },
    kill() {},
  });
  console.log("ready");`;

/** Sends SIGTERM, and again `pauseMs` after the command ended. */
async function signalTwice(pauseMs: number, lingerMs: number) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", launcher(lingerMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  await once(child.stdout, "data");
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  child.kill("SIGTERM");
  return await closed;
}

test("a signal that comes twice, the second time after the command ended, leaves its status", async () => {
  assert.deepEqual(await signalTwice(3, 400), [143, null]);
});

test("a later signal ends a launcher that does not leave", async () => {
  assert.deepEqual(await signalTwice(700, 60_000), [null, "SIGTERM"]);
});
