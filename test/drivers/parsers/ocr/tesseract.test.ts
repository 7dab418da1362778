import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOcrResult } from "../../../../src/drivers/parsers/ocr/tesseract.ts";

/** What the engine returns for lines of `word:confidence`. */
function found(...lines: readonly string[]) {
  const box = { x0: 0, y0: 0, x1: 40, y1: 20 };
  const rowAttributes = { rowHeight: 20 };
  const read = lines.map((line) => {
    const words = line.split(" ").map((word) => {
      const [text = "", confidence = ""] = word.split(/:(?=\d+$)/);
      return { text, confidence: Number(confidence), bbox: box };
    });
    return { baseline: { x0: 0, y0: 18, x1: 40, y1: 18 }, bbox: box, rowAttributes, words };
  });
  return { data: { blocks: [{ paragraphs: [{ lines: read }] }] } };
}

const read = (...lines: readonly string[]) => {
  const page = parseOcrResult(found(...lines), { width: 100, height: 100, data: new Uint8Array() }, 0);
  return [page.lines.map(({ words }) => words.map(({ text }) => text).join(" ")), page.dropped];
};

test("what symbols of a drawing read as is left out and counted", () => {
  assert.deepEqual(
    read("[oo:62 lo:71 ich:55 EN:80 [or:50", "VA:86", "o:74 W:76 WA:67", "a:93 O:69", "0:66"),
    [[], 12],
  );
});

test("a label and a dimension in a drawing are kept", () => {
  assert.deepEqual(read("VA:72", "o:74 W:76", "605:96", "Pump:91 P2:60"), [["605", "Pump P2"], 3]);
});

test("text, short cells among it, words in a language that is not installed, and ideographs are kept", () => {
  const lines = [
    "Item:69 11:95",
    "Vilt:76 Nam:96 la:82 mit:57 quic:45",
    "No:93",
    "水槽:70 の:66",
    "12:85 kg:60",
  ];
  assert.deepEqual(read(...lines), [lines.map((line) => line.replace(/:\d+/g, "")), 0]);
});
