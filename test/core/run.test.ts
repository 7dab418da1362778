import assert from "node:assert/strict";
import { test } from "node:test";
import { abortable } from "../../src/core/run.ts";

const endless = (): Promise<never> => new Promise(() => undefined);
const reason = new Error("stopped");

test("work is waited for until the signal ends, also where it has ended before", async () => {
  assert.equal(await abortable(Promise.resolve(1), new AbortController().signal), 1);
  await assert.rejects(abortable(endless(), AbortSignal.abort(reason)), reason);
  const later = new AbortController();
  const waiting = abortable(endless(), later.signal);
  later.abort(reason);
  await assert.rejects(waiting, reason);
});

test("work that fails after it was given up disturbs nobody", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await assert.rejects(abortable(promise, AbortSignal.abort(reason)), reason);
  reject(new Error("late"));
  await new Promise(setImmediate);
});
