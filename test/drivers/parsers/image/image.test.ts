import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type Canvas, createCanvas } from "@napi-rs/canvas";
import imageParser from "../../../../src/drivers/parsers/image/image.ts";
import { imageSize } from "../../../../src/drivers/parsers/image/size.ts";
import { openOcrEngine } from "../../../../src/drivers/parsers/ocr/engine.ts";

const engine = openOcrEngine({ languages: ["eng"], folder: "", pageTimeoutMs: 60_000, workers: 1 });
after(() => engine[Symbol.asyncDispose]());

function drawn(): Canvas {
  const canvas = createCanvas(900, 200);
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, 900, 200);
  context.fillStyle = "#000";
  context.font = "44px sans-serif";
  context.fillText("The pump moves water", 40, 110);
  return canvas;
}

/** An uncompressed TIFF of grey pixels. */
function tiff(canvas: Canvas): Uint8Array {
  const { width, height } = canvas;
  const rgba = canvas.data();
  const gray = Uint8Array.from({ length: width * height }, (_, index) => rgba[index * 4] ?? 0);
  const entries: [number, number, number][] = [
    [256, 4, width],
    [257, 4, height],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [277, 3, 1],
    [278, 4, height],
    [279, 4, gray.length],
  ];
  const directory = Buffer.alloc(2 + entries.length * 12 + 4);
  directory.writeUInt16LE(entries.length, 0);
  entries.forEach(([tag, type, value], index) => {
    directory.writeUInt16LE(tag, 2 + index * 12);
    directory.writeUInt16LE(type, 4 + index * 12);
    directory.writeUInt32LE(1, 6 + index * 12);
    directory.writeUInt32LE(value, 10 + index * 12);
  });
  const head = Buffer.alloc(8);
  head.write("II*\0", "latin1");
  head.writeUInt32LE(8 + gray.length, 4);
  return Buffer.concat([head, gray, directory]);
}

const parse = (bytes: Uint8Array, name: string) =>
  imageParser({ ocr: { mode: "auto", engine } }).parse(new Uint8Array(bytes), { name });

test("PNG, JPEG, WebP and TIFF are read by OCR, with their confidence", async () => {
  const canvas = drawn();
  const files = {
    "a.png": canvas.toBuffer("image/png"),
    "a.jpg": canvas.toBuffer("image/jpeg"),
    "a.webp": canvas.toBuffer("image/webp"),
    "a.tif": tiff(canvas),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const { blocks, pagesByOcr, pageCount } = await parse(bytes, name);
    assert.match(blocks.map(({ text }) => text).join(" "), /pump moves water/i, name);
    assert.deepEqual([pagesByOcr, pageCount], [[1], 1]);
    assert.ok((blocks[0]?.confidence ?? 0) > 0.5);
    if (name !== "a.tif") assert.deepEqual(imageSize(bytes), { width: 900, height: 200 });
  }
});

test("without OCR an image's page is listed as not read; damaged and gigantic ones are refused", async () => {
  const png = drawn().toBuffer("image/png");
  const unread = await imageParser().parse(png, { name: "a.png" });
  assert.deepEqual([unread.blocks.length, unread.pagesWithoutText], [0, [1]]);
  await assert.rejects(parse(png.subarray(0, 60), "cut.png"), { code: "SOURCE_DAMAGED" });
  const huge = Buffer.from(png);
  huge.writeUInt32BE(20_000, 16);
  huge.writeUInt32BE(20_000, 20);
  await assert.rejects(parse(huge, "huge.png"), { code: "SOURCE_TOO_LARGE", message: /20000 × 20000/ });
  await assert.rejects(parse(new Uint8Array(Buffer.from("II*\0\x08\0\0\0\xff\xff", "latin1")), "bad.tif"), {
    code: "SOURCE_DAMAGED",
  });
});
