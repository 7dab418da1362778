import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnswerEvent } from "../../src/core/answers/answer.ts";
import { createPendingAnswers } from "../../src/server/stream/under-way.ts";
import { bodyOf, eventsOf, jsonBody, openSite, refusal } from "./support.ts";

const stream = { accept: "text/event-stream" };
const id = "0123456789abcdef";
const list = (value: unknown): Record<string, unknown>[] => value as Record<string, unknown>[];

test("questions of a conversation are kept together, and only the one who asked sees them", async (context) => {
  const { send, keyOf } = await openSite(context);
  const [ada, bob] = [await keyOf("ada"), await keyOf("bob")];
  const ask = (query: string, more: object) => send("/v1/ask", { ...jsonBody({ query, ...more }), key: ada });
  await ask("What does the policy say?", { conversation: id });
  await ask("Who wrote it?", { conversation: id });
  await ask("What is the notice period?", { conversation: "another-one" });
  await ask("Which policy covers parental leave?", {});
  const listed = await bodyOf(await send("/v1/conversations", { key: ada }));
  assert.deepEqual(
    list(listed["conversations"]).map(({ title, questions }) => [title, questions]),
    [
      ["What is the notice period?", 1],
      ["What does the policy say?", 2],
    ],
  );
  const { runs } = await bodyOf(await send(`/v1/conversations/${id}`, { key: ada }));
  assert.deepEqual(
    list(runs).map(({ question, state }) => [question, state]),
    [
      ["What does the policy say?", "completed"],
      ["Who wrote it?", "completed"],
    ],
  );
  for (const key of [bob, undefined]) {
    const as = key === undefined ? {} : { key };
    assert.deepEqual((await bodyOf(await send("/v1/conversations", as)))["conversations"], []);
    assert.equal((await refusal(await send(`/v1/conversations/${id}`, as)))[1], "NOT_FOUND");
    assert.equal((await refusal(await send(`/v1/conversations/${id}/events`, as)))[1], "NOT_FOUND");
  }
  assert.equal((await refusal(await ask("What?", { conversation: "a b" })))[1], "REQUEST_INVALID");
});

test("a streamed answer of a conversation is written on when its reader leaves, and can be followed again", async (context) => {
  const { send, server } = await openSite(context);
  const body = jsonBody({ query: "What does the policy say?", conversation: id }, stream);
  const leaving = new AbortController();
  const first = await send("/v1/ask", { ...body, signal: leaving.signal });
  const reader = first.body?.getReader();
  await reader?.read();
  leaving.abort();
  await reader?.cancel();
  const again = await send(`/v1/conversations/${id}/events`, { headers: stream });
  const seen = again.status === 200 ? await eventsOf(again) : [];
  if (again.status === 200) {
    assert.equal(seen[0]?.name, "node-end", "from its beginning");
    assert.equal(seen.at(-1)?.name, "answer-end");
  }
  const states = async () =>
    list((await bodyOf(await send(`/v1/conversations/${id}`)))["runs"]).map(({ state }) => state);
  while ((await states())[0] === "running") await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(await states(), ["completed"]);
  assert.throws(() => server.underWay.stop({ principal: "owner", conversation: id }), { code: "NOT_FOUND" });
});

/** An answer that says one word at once, and ends when it is let or stopped. */
function slowAnswer() {
  const { promise, resolve } = Promise.withResolvers<string>();
  async function* events(): AsyncGenerator<AnswerEvent> {
    yield { type: "text-delta", text: "one" };
    yield { type: "text-delta", text: await promise };
  }
  const held = { slot: true };
  const slot = {
    [Symbol.dispose]: () => {
      held.slot = false;
    },
  };
  return { events: events(), slot, held, end: () => resolve("two"), stop: () => resolve("stopped") };
}
const key = { principal: "ada", conversation: id };
const textOf = (events: readonly AnswerEvent[]) =>
  events.map((event) => (event.type === "text-delta" ? event.text : ""));

test("every reader of an answer in the making gets all of it, one that leaves nothing more, and the slot is held to its end", async () => {
  const underWay = createPendingAnswers<AnswerEvent>();
  const { events, slot, held, end, stop } = slowAnswer();
  underWay.begin(key, events, slot, stop);
  const leaving = new AbortController();
  const left = Array.fromAsync(underWay.follow(key, leaving.signal));
  const stays = Array.fromAsync(underWay.follow(key, new AbortController().signal));
  leaving.abort(new Error("left"));
  await assert.rejects(left, /left/);
  assert.ok(held.slot);
  end();
  assert.deepEqual(textOf(await stays), ["one", "two"]);
  assert.ok(!held.slot);
  assert.throws(() => underWay.follow(key, leaving.signal), { code: "NOT_FOUND" });
});

test("an answer that nobody reads is stopped after a while, and one that is read is not", async () => {
  const underWay = createPendingAnswers<AnswerEvent>(5);
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const alone = slowAnswer();
  underWay.begin(key, alone.events, alone.slot, () => resolve(alone.stop()));
  await stopped;
  const read = slowAnswer();
  underWay.begin(key, read.events, read.slot, () => assert.fail("it is read"));
  const reading = Array.fromAsync(underWay.follow(key, new AbortController().signal));
  await new Promise((done) => setTimeout(done, 20));
  read.end();
  assert.deepEqual(textOf(await reading), ["one", "two"]);
});
