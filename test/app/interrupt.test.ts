import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { openHome, records, skipChain, until } from "../cli/support.ts";

const files = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [
    `c${i}.txt`,
    Array.from({ length: 120 }, (_, j) => `Valve ${i}-${j} opens at ${j} bar.`).join("\n\n"),
  ]),
);

it("ends with status 130, and no warning, when SIGINT strikes while the embedder is at work", { skip: skipChain }, async () => {
  await using home = await openHome("embed:\n  threads: 1\n");
  const folder = await home.folder("notes", files);
  for (const delayMs of [0, 150, 400]) {
    const { child, ended } = home.start(["ingest", folder, "-c", "stopped"]);
    const running = () => readdirSync(join(home.path, "host")).includes("public.sock");
    await until(() => {
      try {
        return running();
      } catch {
        return false;
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 500 + delayMs));
    child.kill("SIGINT");
    const { status, stdout, stderr } = await ended;
    assert.ok(status === 130 || status === 0, stderr);
    assert.doesNotMatch(stderr, /warning/i);
    if (status === 130) assert.equal(stdout, "");
  }
  await home.json(["ingest", folder, "-c", "stopped"]);
  assert.equal(records((await home.json(["list", "-c", "stopped"]))["documents"]).length, 12);
});
