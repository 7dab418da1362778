import assert from "node:assert/strict";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";
import { type Canvas, createCanvas } from "@napi-rs/canvas";
import { imageSize } from "../../../../src/drivers/parsers/image/document.ts";
import imageParser from "../../../../src/drivers/parsers/image/image.ts";
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

/** A bitmap of Windows, 32 bits a pixel. */
function bitmap(canvas: Canvas): Uint8Array {
  const { width, height } = canvas;
  const head = Buffer.alloc(54);
  head.write("BM");
  head.writeUInt32LE(54 + width * height * 4, 2);
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, width],
    [22, -height],
  ] as const)
    head.writeInt32LE(value, at);
  head.writeUInt16LE(1, 26);
  head.writeUInt16LE(32, 28);
  return Buffer.concat([head, canvas.data()]);
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
    const { width, height } = await imageSize(new Uint8Array(bytes), 0);
    assert.deepEqual([width, height], [900, 200]);
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
  huge.writeUInt32BE(crc32(huge.subarray(12, 29)), 29);
  await assert.rejects(parse(huge, "huge.png"), { code: "SOURCE_TOO_LARGE", message: /20000 × 20000/ });
  await assert.rejects(parse(new Uint8Array(Buffer.from("II*\0\x08\0\0\0\xff\xff", "latin1")), "bad.tif"), {
    code: "SOURCE_DAMAGED",
  });
});

test("every page of a TIFF is read, also of one that is packed for a fax; of a BMP its only one", async () => {
  const { default: sharp } = await import("sharp");
  const page = sharp(drawn().toBuffer("image/jpeg"));
  const black = page.clone().toColourspace("b-w").threshold(128);
  const fax = await black.tiff({ compression: "ccittfax4", bitdepth: 1 }).toBuffer();
  const one = await page.png().toBuffer();
  const two = await sharp([one, one], { join: { animated: true } })
    .tiff({ compression: "lzw" })
    .toBuffer();
  for (const [name, bytes, pages] of [
    ["fax.tif", fax, [1]],
    ["two.tif", two, [1, 2]],
    ["a.bmp", bitmap(drawn()), [1]],
  ] as const) {
    const { blocks, pagesByOcr } = await parse(bytes, name);
    assert.deepEqual(pagesByOcr, pages, name);
    assert.match(blocks.at(-1)?.text ?? "", /pump moves water/i, name);
  }
});
