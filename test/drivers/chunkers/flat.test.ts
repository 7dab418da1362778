import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Tokenizer } from "../../../src/core/documents/chunk.ts";
import { type FlatPreset, flatPresets, type GivenSizes } from "../../../src/core/documents/chunk-sizes.ts";
import type { Block, ParsedDocument } from "../../../src/core/documents/document.ts";
import { headingsAbove } from "../../../src/core/documents/sections.ts";
import openFlatChunker from "../../../src/drivers/chunkers/flat.ts";
import { eager } from "../../helpers/chunk.ts";

/** One token per word: enough to test sizes without weights. */
const words: Tokenizer = {
  count: (text) => text.split(/\s+/).filter((word) => word !== "").length,
  encode: (text) => text.split(/\s+/).map((_, i) => i),
  encodeForModel: (text) => ({ ids: text.split(/\s+/).map((_, i) => i), truncated: 0 }),
};
// The keys are the presets themselves.
const presets = Object.keys(flatPresets) as FlatPreset[];
const open = (preset: FlatPreset, maxTokens = 512, sizes?: GivenSizes) =>
  eager(
    openFlatChunker({
      preset,
      maxTokens,
      titleOf: ({ content }) => content.title,
      ...(sizes === undefined ? {} : { sizes }),
    }),
  );

function documentOf(blocks: readonly Block[]): ParsedDocument {
  const file = {
    path: "/documents/manual.pdf",
    name: "manual.pdf",
    format: "pdf" as const,
    sizeBytes: 1,
    sha256: "0".repeat(64),
  };
  return {
    file,
    content: { title: "Manual", blocks, pageCount: 9, pagesWithoutText: [], warnings: [] },
    method: "test",
  };
}
const paragraph = (text: string, ...pages: number[]): Block => ({ kind: "paragraph", text, pages });
const prose = (count: number): string =>
  Array.from({ length: count }, (_, at) => `Sentence number ${at} says something new.`).join(" ");
const bare = (text: string): string => text.replace(/\s+/g, "");

test("no preset makes a chunk longer than its size", () => {
  for (const preset of presets) {
    const { size, unit } = flatPresets[preset];
    for (const { text } of open(preset).chunk(documentOf([paragraph(prose(200), 1)]), words)) {
      assert.ok((unit === "tokens" ? words.count(text) : text.length) <= size, `${preset}: ${text.length}`);
    }
  }
});

test("every preset takes the size and overlap of the settings, and says them in its id", () => {
  for (const preset of presets) {
    const { unit } = flatPresets[preset];
    for (const [size, overlap] of [
      [120, 40],
      [80, 0],
    ] as const) {
      const chunker = open(preset, 512, { size, overlap });
      const texts = chunker.chunk(documentOf([paragraph(prose(200), 1)]), words).map(({ text }) => text);
      const longest = Math.max(...texts.map((text) => (unit === "tokens" ? words.count(text) : text.length)));
      assert.ok(longest <= size && longest > size / 2, `${preset}: ${longest} of ${size}`);
      if (overlap === 0) assert.equal(bare(texts.join("")), bare(prose(200)), preset);
      assert.deepEqual(
        [chunker.id, chunker.overlap],
        [`${preset}-${size}-${overlap}-512-3`, { size: overlap, unit }],
      );
    }
  }
});

test("neighbours share text up to the declared overlap, at the end of one and the start of the next", () => {
  for (const preset of presets) {
    const chunks = open(preset, 8192).chunk(documentOf([paragraph(prose(200), 1)]), words);
    assert.ok(chunks.length > 2, preset);
    const [first, second] = chunks;
    const shared = [...Array(first?.text.length ?? 0).keys()].findLast((length) =>
      first?.text.endsWith(second?.text.slice(0, length) ?? ""),
    );
    const { overlap, unit } = flatPresets[preset];
    const measured = unit === "tokens" ? words.count(second?.text.slice(0, shared) ?? "") : (shared ?? 0);
    assert.ok(measured > 0 && measured <= overlap, `${preset}: ${measured} of ${overlap}`);
  }
});

test("the sentence preset ends its chunks at sentences", () => {
  for (const { text } of open("sentence").chunk(documentOf([paragraph(prose(60), 1)]), words))
    assert.ok(text.endsWith("."), text.slice(-20));
});

test("a chunk records the pages its text stands on and the headings it begins under", () => {
  const heading: Block = { kind: "heading", level: 1, text: "Seals", pages: [3] };
  const [chunk] = open("recursive").chunk(
    documentOf([heading, paragraph("Replace them yearly.", 3), paragraph("Then test.", 4)]),
    words,
  );
  assert.deepEqual(chunk?.pages, [3, 4]);
  assert.deepEqual(chunk?.headings, ["Seals"]);
});

test("a chunk never exceeds what the model reads, however short its words", () => {
  const text = Array.from({ length: 900 }, () => "a").join(" ");
  for (const preset of presets) {
    for (const { tokenCount } of open(preset, 64).chunk(documentOf([paragraph(text, 1)]), words))
      assert.ok(tokenCount <= 64, preset);
  }
});

test("every character of every block stands in a chunk, in order, whatever the text", () => {
  const text = fc
    .array(fc.constantFrom("a", "Bc", ".", " ", "\n", "\n\n", "数", "😀", "12", "Word"), {
      minLength: 1,
      maxLength: 400,
    })
    .map((p) => p.join(""));
  fc.assert(
    fc.property(
      fc.constantFrom(...presets),
      fc.array(text, { minLength: 1, maxLength: 4 }),
      (preset, texts) => {
        const blocks = texts.map((each, at) => paragraph(each, at + 1));
        const whole = bare(texts.join(""));
        let from = 0;
        for (const chunk of open(preset, 96).chunk(documentOf(blocks), words)) {
          const own = bare(chunk.text);
          let start = Math.min(from, whole.length);
          while (start >= 0 && !whole.startsWith(own, start)) start -= 1;
          assert.ok(start >= 0, `${preset}: a chunk does not go on where the one before it ended`);
          from = Math.max(from, start + own.length);
        }
        assert.equal(from, whole.length, preset);
      },
    ),
    { numRuns: 200 },
  );
});

test("every preset keeps the heading of a sentence in the middle of a chunk", () => {
  const heading = (text: string): Block => ({ kind: "heading", text, level: 1, pages: [] });
  const blocks = [heading("Locks"), paragraph("Fit a lock."), heading("Gear"), paragraph("Wear gloves.")];
  for (const preset of presets) {
    const drafts = open(preset, 512, { size: 60, overlap: 0 }).chunk(documentOf(blocks), words);
    const draft = drafts.find(({ text }) => text.includes("Wear gloves."));
    assert.ok(draft !== undefined, preset);
    assert.deepEqual(headingsAbove("Wear gloves.", draft), ["Gear"], preset);
  }
});

test("tokens of a long text are counted a few times at most", () => {
  for (const preset of presets) {
    let counted = 0;
    const counting: Tokenizer = {
      ...words,
      count(part) {
        counted += part.length;
        return words.count(part);
      },
    };
    const text = prose(20_000);
    assert.ok(open(preset).chunk(documentOf([paragraph(text, 1)]), counting).length > 10);
    assert.ok(counted < 8 * text.length, `${preset}: ${(counted / text.length).toFixed(1)} times`);
  }
});
