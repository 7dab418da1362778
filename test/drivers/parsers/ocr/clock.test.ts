import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createOcrTimer } from "../../../../src/drivers/parsers/ocr/clock.ts";

test("a page that waits for a processor is not late, one that uses it is", async () => {
  const used = { ms: 0 };
  const clock = createOcrTimer(() => used.ms);
  const late: string[] = [];
  const end = clock.watch(200, () => late.push("page"));
  await wait(350);
  assert.equal(late.length, 0);
  used.ms = 150;
  assert.equal(end(), 50);
  const second = clock.watch(200, () => late.push("second"));
  used.ms += 250;
  await wait(250);
  assert.deepEqual(late, ["second"]);
  second();
});

test("pages that are read at the same time share what is used, and one that never uses anything is ended too", async () => {
  const used = { ms: 0 };
  const clock = createOcrTimer(() => used.ms);
  const late: string[] = [];
  const ends = [clock.watch(300, () => late.push("patient")), clock.watch(30, () => late.push("hasty"))];
  used.ms = 100;
  await wait(200);
  assert.deepEqual(late, ["hasty"]);
  assert.equal(ends[0]?.(), 250);
  ends[1]?.();
  const idle = createOcrTimer(() => 0);
  const end = idle.watch(5, () => late.push("idle"));
  await wait(300);
  assert.deepEqual(late, ["hasty", "idle"]);
  end();
});
