import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openHome, records, skipChain } from "../support.ts";

test("pruning keeps as many replaced versions as the setting says", { skip: skipChain }, async () => {
  await using home = await openHome();
  const file = join(home.base, "valve.md");
  for (const bar of [12, 14]) {
    await writeFile(file, `# Valve\n\nThe valve opens at ${bar} bar.\n`);
    await home.json(["ingest", file]);
  }
  const removed = async (...flags: string[]) =>
    records((await home.json(["prune", "--dry-run", ...flags]))["versions"]).map(({ version }) => version);
  assert.deepEqual(await removed(), []);
  assert.deepEqual(await removed("--set", "ingest.keepVersions=0"), [1]);
  assert.deepEqual(await removed("--keep", "0"), [1]);
});
