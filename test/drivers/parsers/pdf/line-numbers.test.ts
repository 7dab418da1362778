import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, parsePdf } from "../pdf-make.ts";

const transcript = [
  "Q. When did you first see the leak?",
  "A. On the fourth of March, at about seven",
  "in the evening, below the second",
  "stairs.",
  "Q. How far had the seam opened?",
  "A. By the time that I came it had opened by",
  "12 centimetres.",
  "",
  "Q. Did you report it to the office, and",
  "before which hour?",
];

async function blocksOf(draw: (line: string, at: number) => readonly [text: string, x: number][]) {
  const bytes = await drawn([
    ({ write, mono }) => {
      for (const [at, line] of transcript.entries())
        for (const [text, x] of draw(line, at))
          if (text !== "") write(text, x, 100 + at * 20, { font: mono });
    },
  ]);
  return await parsePdf(bytes);
}

test("numbers of lines in the margin do not stand in sentences, as pieces of their own or before the text", async () => {
  const separate = await blocksOf((line, at) => [
    [String(at + 1).padStart(2), 72],
    [line, 110],
  ]);
  const joined = await blocksOf((line, at) => [[`${String(at + 1).padStart(2)}   ${line}`, 72]]);
  const everyFifth = await blocksOf((line, at) => [
    [(at + 11) % 2 === 0 ? String(at + 11) : "", 72],
    [line, 110],
  ]);
  for (const { blocks, pageTexts = [] } of [separate, joined, everyFifth]) {
    const text = blocks.map((block) => block.text).join("\n");
    assert.match(text, /at about seven in the evening, below the second stairs\./);
    assert.match(text, /opened by 12 centimetres\./);
    assert.match(text, /to the office, and before which hour\?/);
    assert.match(pageTexts[0]?.text ?? "", /^in the evening, below the second$/m);
  }
});

test("numbers of the rows of a list stay", async () => {
  const bytes = await drawn([
    ({ write }) => {
      const names = ["Anchor", "Buoy", "Cleat", "Davit", "Fender", "Gangway", "Hawser"];
      for (const [at, name] of names.entries()) {
        write(String(at + 1), 72, 100 + at * 20);
        write(`${name} of the quay, inspected in spring`, 110, 100 + at * 20);
      }
    },
  ]);
  const { pageTexts = [] } = await parsePdf(bytes);
  assert.match(pageTexts[0]?.text ?? "", /3 Cleat of the quay/);
});
