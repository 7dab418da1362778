import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = await mkdtemp(join(tmpdir(), "ragctl-child-"));
after(() => rm(folder, { recursive: true, force: true }));

/** Makes objects of which many live for a while, then tells how large the young generation was let grow. */
const busy = `
import { getHeapSpaceStatistics } from "node:v8";
const kept = [];
for (let turn = 0; turn < 3_000_000; turn += 1) kept[turn % 400_000] = { turn, text: [turn, turn + 1] };
const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
process.stdout.write(String(space_size / 1024 ** 2));
`;

test("a command does not keep a large young generation for what it has long dropped", async () => {
  const command = join(folder, "busy.mjs");
  await writeFile(command, busy);
  const launcher = new URL("../../src/resident/child.ts", import.meta.url).href;
  const start = `import { runChild } from ${JSON.stringify(launcher)}; runChild(process.execPath, ${JSON.stringify(command)}, [])`;
  const ended = spawnSync(process.execPath, ["--input-type=module", "--eval", start], { encoding: "utf8" });
  assert.equal(ended.status, 0, ended.stderr);
  const youngMb = Number(ended.stdout);
  assert.ok(youngMb > 0 && youngMb <= 16, `${youngMb} MiB`);
});
