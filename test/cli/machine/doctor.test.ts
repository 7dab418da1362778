import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { testHome } from "../../contracts/store.ts";
import { builtCommand, openHome, record, skipAnswerer, skipChain, start } from "../support.ts";

describe("doctor --wait", { skip: skipChain }, () => {
  it("looks again until what was missing is there", async () => {
    await using home = await openHome("", []);
    const command = [...builtCommand, "doctor", "--wait", "240", "--json"];
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
    await start(home.path, home.base, [...builtCommand, "stop"]).ended;
  });

  it("ends with the failed checks when the time is over, and at once for wrong settings", async () => {
    await using home = await openHome("", []);
    const doctor = (...more: readonly string[]) =>
      start(home.path, home.base, [...builtCommand, "doctor", ...more]).ended;
    const late = await doctor("--wait", "1", "--json");
    assert.equal(late.status, 1);
    assert.equal(record(JSON.parse(late.stdout))["ok"], false);
    assert.equal((await doctor("--wait", "600", "--set", "retrieve.topK=0")).status, 2);
    assert.equal((await doctor("--wait", "soon")).status, 2);
  });
});

describe("setup and doctor", { skip: skipChain || skipAnswerer }, () => {
  it("say what the reader at hand is good for, and what makes it able", async () => {
    await using home = await openHome("", []);
    for (const id of readdirSync(join(testHome, "models")))
      symlinkSync(join(testHome, "models", id), join(home.path, "models", id));
    const run = (...words: readonly string[]) =>
      start(home.path, home.base, [...builtCommand, ...words]).ended;
    const line =
      /^.*smollm2.* reads as small \(a model file of 0\.1 GB\): answers quote lines of the documents.*$/m;
    const able = /models pull qwen3-4b\S+ .* or an endpoint: ragctl providers add/;
    const setup = await run("setup", "--profile", "light");
    assert.match(line.exec(setup.stdout)?.[0] ?? setup.stderr, able);
    const doctor = await run("doctor");
    assert.match(doctor.stdout, line);
    assert.match(doctor.stdout, able);
    await run("stop");
  });
});
