import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { RagctlError } from "../../src/core/errors.ts";
import { keepAliveJson } from "../../src/server/stream/keep-alive.ts";
import { jsonBody, openSite } from "./support.ts";

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
  const response = await keepAliveJson(Promise.resolve({ answer: 1 }), callOf(), 50);
  assert.equal(await response.text(), '{"answer":1}');
  await assert.rejects(keepAliveJson(failing(1), callOf(), 50), { code: "MODEL_MISSING" });
});

test("a long answer is preceded by spaces, and is JSON all the same", async () => {
  const work = sleep(200).then(() => ({ answer: 1 }));
  const response = await keepAliveJson(work, callOf(), 20);
  assert.equal(response.status, 200);
  const text = await response.text();
  assert.match(text, /^ {3,}\{/);
  assert.deepEqual(JSON.parse(text), { answer: 1 });
});

test("a completion that takes long shows life, and its failure is one of OpenAI", async (context) => {
  const site = await openSite(context);
  const { promise: asked, resolve: begin } = Promise.withResolvers<void>();
  const { promise: failed, reject: fail } = Promise.withResolvers<never>();
  Object.assign(site.app, {
    async *ask() {
      begin();
      yield await failed;
    },
  });
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const messages = [{ role: "user", content: "What is the companypoliciessecret of part 0?" }];
  const answer = site.send("/v1/chat/completions", {
    ...jsonBody({ model: "ragctl", messages }),
    // Whether it fits its description is seen by those that end.
    signal: new AbortController().signal,
  });
  await asked;
  context.mock.timers.tick(15_000);
  const response = await answer;
  assert.equal(response.status, 200);
  fail(new RagctlError("MODEL_MISSING", "the model is not here"));
  const text = await response.text();
  assert.match(text, /^ \{/);
  assert.equal(JSON.parse(text).error.code, "model_missing");
});

test("a failure after the head is the body, and who leaves ends the work", async () => {
  const response = await keepAliveJson(failing(60), callOf(), 20);
  const { error } = JSON.parse(await response.text());
  assert.equal(error.code, "MODEL_MISSING");
  const call = callOf();
  const stopped = await keepAliveJson(sleep(100), call, 20);
  await stopped.body?.cancel("gone");
  assert.deepEqual(call.left, ["gone"]);
  await sleep(120);
});
