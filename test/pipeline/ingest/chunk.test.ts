import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChunkDraft, Tokenizer } from "../../../src/core/documents/chunk.ts";
import type { ParsedDocument } from "../../../src/core/documents/document.ts";
import { chunk, documentTitle } from "../../../src/pipeline/ingest/chunk.ts";
import { countWords } from "../fixtures.ts";

const tokenizer: Tokenizer = {
  count: countWords,
  encode: () => [],
  encodeForModel: () => ({ ids: [], truncated: 0 }),
};
const place = { documentId: "d", versionId: "v", collection: "library", department: "" };

/** Chunks of a document that a chunker leaves whole. */
function chunksOf(text: string, headings: readonly string[] = [], ownHeadings = 0) {
  const draft: ChunkDraft = {
    text,
    headings,
    ownHeadings,
    pages: [3],
    contentType: "paragraph",
    tokenCount: 1,
  };
  const file = { path: "/in/m.txt", name: "m.txt", format: "text" as const, sizeBytes: 1, sha256: "0" };
  const content = { title: "", blocks: [], pageCount: 0, pagesWithoutText: [], warnings: [] };
  const document: ParsedDocument = { file, content, method: "test" };
  return chunk(document, place, { id: "whole", chunk: () => [draft] }, tokenizer);
}

test("a chunk has at most 16 kB whatever it holds, and together its parts are the text", async () => {
  for (const run of ["x", "7", "e\u0301", "a\u200b", "ü", "中", "🙂"]) {
    const text = run.repeat(150_000 / run.length);
    const chunks = await chunksOf(text);
    assert.ok(chunks.length > 1, run);
    for (const part of chunks)
      assert.ok(Buffer.byteLength(part.text) <= 16_384 && part.text.isWellFormed(), run);
    assert.equal(chunks.map((part) => part.text).join(""), text);
    assert.deepEqual(
      chunks.map(({ id, ordinal }) => [id, ordinal]),
      chunks.map((_, at) => [`v-${at}`, at]),
    );
  }
});

test("a long chunk is cut between words where there are some", async () => {
  const word = "w".repeat(100);
  const chunks = await chunksOf(`${word} `.repeat(1_000));
  assert.ok(chunks.every(({ text }) => text.split(" ").every((part) => part === word)));
});

test("only the first part of a long chunk begins with its own heading", async () => {
  const chunks = await chunksOf(`Seals\n\n${"x".repeat(40_000)}`, ["Pumps", "Seals"], 1);
  assert.deepEqual(
    chunks.map(({ headings, ownHeadings }) => [headings.at(-1), ownHeadings]),
    [
      ["Seals", 1],
      ["Seals", undefined],
      ["Seals", undefined],
    ],
  );
});

test("a heading of any length leaves a path a store can hold", async () => {
  const [only] = await chunksOf("text", ["🙂".repeat(100_000)]);
  assert.ok((only?.headings[0]?.length ?? 0) <= 1_000);
});

test("a long title without blanks is cut between characters, and what is before it does not stand alone", () => {
  const file = (name: string) => ({ file: { name } });
  const long = documentTitle({ ...file("report 2023.pdf"), content: { title: "年度报告".repeat(50) } });
  assert.ok(long.length === 120 && long.startsWith("report 2023: 年度报告年度") && long.endsWith("…"), long);
  for (const before of ["a", "ab"]) {
    const title = documentTitle({ ...file("0.pdf"), content: { title: `${before}${"𠮷".repeat(100)}` } });
    assert.ok(title.isWellFormed() && title.length > 100, title);
  }
  const words = documentTitle({ ...file("0.pdf"), content: { title: "winter ".repeat(50) } });
  assert.match(words, /^(?:winter )+winter…$/);
});
