import assert from "node:assert/strict";
import { test } from "node:test";
import { createMessageChannel } from "../../../../src/drivers/parsers/pdf/port.ts";

test("items of text arrive as they were sent, uncopied; what else is sent is copied", async () => {
  const port = createMessageChannel();
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

test("a picture of more pixels than are held is handed on smaller, with the mean of its pixels", async () => {
  const port = createMessageChannel();
  const events: { data: unknown[] }[] = [];
  port.addEventListener("message", ({ data }) => events.push(data as { data: unknown[] }));
  const [width, height] = [8000, 4000];
  const send = (kind: number | undefined, data: Uint8Array) =>
    port.postMessage({ action: "obj", data: ["id", 1, "Image", { width, height, kind, data }] });
  const rows = (bytes: number, paint: (row: Uint8Array, y: number) => void): Uint8Array => {
    const data = new Uint8Array(bytes * height);
    for (let y = 0; y < height; y++) paint(data.subarray(y * bytes, (y + 1) * bytes), y);
    return data;
  };
  // Rows by turns black and white, in colour, in bits, and as a mask of which the left half is painted.
  send(
    2,
    rows(3 * width, (row, y) => row.fill((y % 2) * 255)),
  );
  send(
    1,
    rows(width / 8, (row, y) => row.fill((y % 2) * 255)),
  );
  send(
    undefined,
    rows(width / 8, (row) => row.fill(255, width / 16)),
  );
  await Promise.resolve();
  const arrived = events.map(({ data }) => {
    const picture = data.at(-1) as { width: number; height: number; kind?: number; data: Uint8Array };
    return [
      picture.width,
      picture.height,
      picture.kind,
      picture.data.length,
      picture.data[0],
      picture.data.at(-1),
    ];
  });
  assert.deepEqual(arrived, [
    [4000, 2000, 2, 24_000_000, 127, 127],
    [4000, 2000, 2, 24_000_000, 127, 127],
    [4000, 2000, undefined, 1_000_000, 0, 255],
  ]);
});
