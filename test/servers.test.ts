import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ready, spawnServer } from "../scripts/servers/server.ts";
import { temporaryFolder } from "./registry/support.ts";

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("a server that does not get ready is ended, with what it started where it outlives its starter", async (context) => {
  for (const detached of [false, true]) {
    const folder = temporaryFolder(context);
    const logPath = join(folder, "log");
    const start = `console.log(require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]).pid);`;
    const spawned = spawnServer(process.execPath, ["-e", `${start} setTimeout(() => {}, 60_000)`], {
      cwd: folder,
      logPath,
      detached,
    });
    const { pid = 0 } = spawned.child;
    const ended = once(spawned.child, "exit");
    const log = () => readFileSync(logPath, "utf8");
    await assert.rejects(
      ready(spawned, async () => (log() === "" ? false : Promise.reject(new Error("not yet"))), 3000),
      { message: `the server is not ready after 3 s and was ended: see ${logPath}` },
    );
    assert.deepEqual([await ended, isRunning(pid)], [[null, "SIGKILL"], false]);
    const own = Number(log());
    if (detached) {
      // Whoever collects orphans may take a moment.
      for (let waited = 0; isRunning(own) && waited < 50; waited++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(isRunning(own), false, "its own child is left");
    } else process.kill(own, "SIGKILL");
  }
});
