import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { usableCores } from "../../../src/drivers/runtime/cores.ts";

test("a container has the cores of its quota, however many the machine has", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "ragctl-cores-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const under = (quota: number): number => {
    writeFileSync(join(folder, "cpu.cfs_quota_us"), `${quota}\n`);
    writeFileSync(join(folder, "cpu.cfs_period_us"), "50000\n");
    return usableCores(folder);
  };
  assert.equal(under(50_000), 1);
  assert.equal(under(20_000), 1);
  assert.equal(under(availableParallelism() * 2 * 50_000), availableParallelism());
  assert.equal(under(-1), availableParallelism());
  assert.equal(usableCores(join(folder, "none")), availableParallelism());
});
