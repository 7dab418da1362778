import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { startClock } from "../../../src/drivers/parsers/parse-clock.ts";

test("time during OCR is not counted, time before and after is", async () => {
  const ended: number[] = [];
  const start = performance.now();
  const clock = startClock(150, 5000, () => ended.push(performance.now() - start));
  clock.pause(true);
  clock.pause(true);
  await wait(300);
  clock.pause(false);
  assert.deepEqual(ended, []);
  clock.pause(false);
  await wait(400);
  assert.equal(ended.length, 1);
  assert.ok((ended[0] ?? 0) >= 400, `${ended[0]}`);
});

test("OCR that never ends is ended by its own limit, and a stopped clock never rings", async () => {
  const ended: string[] = [];
  const clock = startClock(10_000, 50, () => ended.push("pause"));
  clock.pause(true);
  const stopped = startClock(20, 20, () => ended.push("stopped"));
  stopped.stop();
  await wait(200);
  assert.deepEqual(ended, ["pause"]);
});
