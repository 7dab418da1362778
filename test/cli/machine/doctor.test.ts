import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { testHome } from "../../contracts/store.ts";
import { openHome, record, root, skipChain, start } from "../support.ts";

describe("doctor --wait", { skip: skipChain }, () => {
  it("looks again until what was missing is there", async () => {
    await using home = await openHome("", []);
    const command = [process.execPath, join(root, "src/main.ts"), "doctor", "--wait", "240", "--json"];
    const { child, ended } = start(home.path, home.base, command);
    let said = "";
    child.stderr?.on("data", (text: string) => {
      said += text;
    });
    while (!said.includes("waiting for: embedding model")) await once(child.stderr ?? child, "data");
    for (const id of readdirSync(join(testHome, "models")))
      symlinkSync(join(testHome, "models", id), join(home.path, "models", id));
    const { status, stdout, stderr } = await ended;
    assert.equal(status, 0, stderr);
    assert.equal(record(JSON.parse(stdout))["ok"], true);
    await start(home.path, home.base, [process.execPath, join(root, "src/main.ts"), "stop"]).ended;
  });

  it("ends with the failed checks when the time is over, and at once for wrong settings", async () => {
    await using home = await openHome("", []);
    const doctor = (...more: readonly string[]) =>
      start(home.path, home.base, [process.execPath, join(root, "src/main.ts"), "doctor", ...more]).ended;
    const late = await doctor("--wait", "1", "--json");
    assert.equal(late.status, 1);
    assert.equal(record(JSON.parse(late.stdout))["ok"], false);
    assert.equal((await doctor("--wait", "600", "--set", "retrieve.topK=0")).status, 2);
    assert.equal((await doctor("--wait", "soon")).status, 2);
  });
});
