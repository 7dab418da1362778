import assert from "node:assert/strict";
import { test } from "node:test";
import { openPort } from "../../../../src/drivers/parsers/pdf/port.ts";

test("items of text arrive as they were sent, uncopied; what else is sent is copied", async () => {
  const port = openPort();
  const events: unknown[] = [];
  const leaving = new AbortController();
  port.addEventListener("message", ({ data }) => events.push(data), { signal: leaving.signal });
  const items = [{ str: "a" }];
  const text = { stream: 5, chunk: { items, styles: {} } };
  const other = { action: "GetPage", data: { at: [1] } };
  port.postMessage(text);
  port.postMessage(other);
  // The sender begins new items as soon as it has sent some, and may go on with its own message.
  text.chunk.items = [];
  other.data.at.push(2);
  assert.deepEqual(events, [], "nothing arrives while the sender runs");
  await Promise.resolve();
  assert.deepEqual(events, [
    { stream: 5, chunk: { items: [{ str: "a" }], styles: {} } },
    { action: "GetPage", data: { at: [1] } },
  ]);
  const [arrived] = events as (typeof text)[];
  assert.equal(arrived?.chunk.items, items);
  leaving.abort();
  port.postMessage(other);
  await Promise.resolve();
  assert.equal(events.length, 2);
});
