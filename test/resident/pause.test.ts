import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { acquireHost, pauseStores, stopHost } from "../../src/resident/client.ts";
import { withFolder } from "../contracts/store.ts";

const hold = new URL("../../src/resident/client.ts", import.meta.url).href;

const run = {
  id: "r",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event() {}, warn() {} },
};

/** Another process that holds the stores of a home until its input ends. */
async function holder(home: string) {
  const script = `
    const { pauseStores } = await import(${JSON.stringify(hold)});
    await using _ = await pauseStores(${JSON.stringify(home)});
    console.log("held");
    for await (const _ of process.stdin);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

it("a process that copies the stores is ended by no other that would copy or stop them", async () => {
  await withFolder(async (home) => {
    const other = await holder(home);
    const named = { code: "STORE_BUSY", message: new RegExp(`process ${other.pid} `) };
    await assert.rejects(pauseStores(home), named);
    await assert.rejects(stopHost(home), named);
    const asked = { home, runtime: "", instances: [], entry: "", timeoutMs: 50 };
    await assert.rejects(acquireHost(asked, run), named);
    assert.equal(other.exitCode ?? other.signalCode, null);
    other.stdin.end();
    assert.deepEqual(await once(other, "exit"), [0, null]);
    await using _ = await pauseStores(home);
  });
});

it("of many that hold the stores of a home in one process, one does, whenever each of them begins", async () => {
  await withFolder(async (home) => {
    const tries = Array.from({ length: 40 }, async (_, delay) => {
      await setTimeout(delay / 8);
      return pauseStores(home);
    });
    const ends = await Promise.allSettled(tries);
    const held = ends.filter(({ status }) => status === "fulfilled");
    assert.equal(held.length, 1);
    for (const end of ends) if (end.status === "rejected") assert.equal(end.reason.code, "STORE_BUSY");
  });
});
