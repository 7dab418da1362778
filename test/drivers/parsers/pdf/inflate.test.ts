import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { patchStreamInflate } from "../../../../src/drivers/parsers/pdf/inflate.ts";

/** Unpacks as pdf.js does. */
async function unpack(
  bytes: Uint8Array,
  format: ConstructorParameters<typeof DecompressionStream>[0],
): Promise<Uint8Array> {
  const { readable, writable } = new DecompressionStream(format);
  const writer = writable.getWriter();
  writer.write(new Uint8Array(bytes)).catch(() => undefined);
  writer.close().catch(() => undefined);
  const reader = readable.getReader();
  const pieces: Uint8Array[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) pieces.push(next.value);
  return new Uint8Array(Buffer.concat(pieces));
}

function restoreAfter(test: TestContext): typeof DecompressionStream {
  const inPieces = globalThis.DecompressionStream;
  test.after(() => {
    globalThis.DecompressionStream = inPieces;
  });
  return inPieces;
}

describe("unpacking a PDF's streams at once", () => {
  const text = new Uint8Array(Buffer.from("BT (words) Tj ET\n".repeat(20_000)));

  it("gives the bytes that unpacking in pieces gives, in one piece of their size", async (test) => {
    restoreAfter(test);
    patchStreamInflate();
    for (const bytes of [text, text.subarray(0, 3), text.subarray(0, 0)]) {
      const unpacked = await unpack(deflateSync(bytes), "deflate");
      assert.deepEqual(unpacked, new Uint8Array(bytes));
    }
  });

  it("fails for what is damaged or cut short, as pdf.js expects", async (test) => {
    restoreAfter(test);
    patchStreamInflate();
    const packed = deflateSync(text);
    await assert.rejects(unpack(packed.subarray(0, packed.length / 2), "deflate"));
    await assert.rejects(unpack(new Uint8Array(100).fill(7), "deflate"));
  });

  it("leaves other formats to Node, and is put in place once", async (test) => {
    const inPieces = restoreAfter(test);
    patchStreamInflate();
    const atOnce = globalThis.DecompressionStream;
    patchStreamInflate();
    assert.equal(globalThis.DecompressionStream, atOnce);
    assert.ok(new DecompressionStream("gzip") instanceof inPieces);
    assert.deepEqual(await unpack(gzipSync(text), "gzip"), text);
  });
});
