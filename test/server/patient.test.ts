import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { RagctlError } from "../../src/core/errors.ts";
import { patientJson } from "../../src/server/stream/patient.ts";

function callOf() {
  const left: unknown[] = [];
  const log = { event: () => undefined, warn: () => undefined };
  const run = { id: "run", principal: "owner", signal: new AbortController().signal, log };
  return { run, leave: (reason?: unknown) => void left.push(reason), left };
}

const failing = async (afterMs: number): Promise<never> => {
  await sleep(afterMs);
  throw new RagctlError("MODEL_MISSING", "the model is not here");
};

test("what is answered at once has no heartbeat, and an early failure keeps its status", async () => {
  const response = await patientJson(Promise.resolve({ answer: 1 }), callOf(), 50);
  assert.equal(await response.text(), '{"answer":1}');
  await assert.rejects(patientJson(failing(1), callOf(), 50), { code: "MODEL_MISSING" });
});

test("a long answer is preceded by spaces, and is JSON all the same", async () => {
  const work = sleep(200).then(() => ({ answer: 1 }));
  const response = await patientJson(work, callOf(), 20);
  assert.equal(response.status, 200);
  const text = await response.text();
  assert.match(text, /^ {3,}\{/);
  assert.deepEqual(JSON.parse(text), { answer: 1 });
});

test("a failure after the head is the body, and who leaves ends the work", async () => {
  const response = await patientJson(failing(60), callOf(), 20);
  const { error } = JSON.parse(await response.text());
  assert.equal(error.code, "MODEL_MISSING");
  const call = callOf();
  const stopped = await patientJson(sleep(100), call, 20);
  await stopped.body?.cancel("gone");
  assert.deepEqual(call.left, ["gone"]);
  await sleep(120);
});
