import assert from "node:assert/strict";
import { test } from "node:test";
import { logPhases, phaseClock } from "../../src/pipeline/phases.ts";
import { runOf } from "./fixtures.ts";

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test("time of calls that overlap is counted once, counts add up, and phases keep the order of first use", async () => {
  const clock = phaseClock();
  const since = performance.now();
  await Promise.all([
    clock.time("parse", () => sleep(40)),
    clock.time("parse", () => sleep(40)),
    clock.time("embed", () => sleep(1)),
  ]);
  const elapsedMs = performance.now() - since;
  clock.count("parse", { pages: 2 });
  clock.count("parse", { pages: 3, bytes: 7 });
  const [parse, embed, ...more] = clock.list();
  assert.deepEqual([parse?.phase, embed?.phase, more.length], ["parse", "embed", 0]);
  assert.ok(
    parse !== undefined && parse.durationMs >= 35 && parse.durationMs <= elapsedMs,
    `${parse?.durationMs}`,
  );
  assert.deepEqual(parse.counts, { pages: 5, bytes: 7 });
});

test("a phase that fails is timed too, and the error passes", async () => {
  const clock = phaseClock();
  await assert.rejects(
    clock.time("store", () => Promise.reject(new Error("no"))),
    /no/,
  );
  assert.equal(clock.list()[0]?.phase, "store");
});

test("one event is logged for each phase", () => {
  const run = runOf();
  logPhases(
    [
      { phase: "a", durationMs: 1, counts: {} },
      { phase: "b", durationMs: 2, counts: {} },
    ],
    run,
  );
  assert.deepEqual(run.events, ["phase", "phase"]);
});
