import assert from "node:assert/strict";
import { test } from "node:test";
import { machineResources, workersFor } from "../../../../src/drivers/parsers/process/workers.ts";
import { usableCores } from "../../../../src/drivers/runtime/cores.ts";

const gib = 1024 ** 3;
const automatic = { workers: 0, ocrWorkers: 0, memoryMb: 640 };

test("parsers and threads of OCR grow with the cores while half of the memory holds them", () => {
  const chosen = (cores: number, memoryGib: number) => {
    const { workers, ocrWorkers } = workersFor({ cores, memoryBytes: memoryGib * gib }, automatic);
    return [workers, ocrWorkers];
  };
  assert.deepEqual(chosen(1, 2), [1, 1]);
  assert.deepEqual(chosen(2, 16), [1, 2]);
  assert.deepEqual(chosen(16, 64), [4, 16]);
  assert.deepEqual(chosen(64, 2), [1, 2]);
  assert.deepEqual(chosen(64, 0.25), [1, 1]);
  for (const [cores, memoryGib] of [
    [8, 4],
    [16, 16],
    [64, 32],
    [256, 1024],
  ] as const) {
    const [workers = 0, ocrWorkers = 0] = chosen(cores, memoryGib);
    assert.ok(workers * (64 + 640 + (ocrWorkers - 1) * 256) <= memoryGib * 512, `${cores} cores`);
  }
});

test("a count that is set is kept, and the other one makes room for it", () => {
  const machine = { cores: 8, memoryBytes: 8 * gib };
  assert.deepEqual(workersFor(machine, { ...automatic, workers: 4 }), { workers: 4, ocrWorkers: 2 });
  assert.deepEqual(workersFor(machine, { ...automatic, ocrWorkers: 3 }), { workers: 2, ocrWorkers: 3 });
});

test("the machine has no more cores and memory than this process may use", () => {
  const { cores, memoryBytes } = machineResources();
  assert.equal(cores, usableCores());
  const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  assert.ok(memoryBytes > 0 && memoryBytes <= limit);
});
