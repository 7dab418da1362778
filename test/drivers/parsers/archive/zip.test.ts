import assert from "node:assert/strict";
import { test } from "node:test";
import type { ParsedContent } from "../../../../src/core/documents/document.ts";
import { loadParser } from "../../../../src/drivers/parsers/by-format.ts";
import { zip } from "../make.ts";

const read = async (parts: Parameters<typeof zip>[0]): Promise<ParsedContent> =>
  (await loadParser("zip")).parse(zip(parts), { name: "archive.zip" });
const shown = ({ blocks }: ParsedContent) =>
  blocks.map(({ kind, text, level = 0, place }) =>
    kind === "heading"
      ? `${"#".repeat(level)} ${text}`
      : [place?.member, place?.number, text].filter((part) => part !== undefined).join(" "),
  );

test("an archive is read as a folder: each file below its path, by the parser of its format", async () => {
  const content = await read({
    "src/a.py": "import os\n\ndef stop(): pass",
    "docs/": "",
    "docs/a.md": "# Limits\n\nWords.",
    README: "Read me.",
  });
  assert.deepEqual(shown(content), [
    "# src/a.py",
    "src/a.py 1 import os",
    "## stop",
    "src/a.py 3 def stop(): pass",
    "# docs/a.md",
    "## Limits",
    "Words.",
    "# README",
    "README 1 Read me.",
  ]);
  assert.deepEqual(content.warnings, []);
});

test("archives in archives are opened three deep, and the next one is named", async () => {
  const fourth = zip({ "d.txt": "Fourth." });
  const third = zip({ "c.txt": "Third.", "fourth.zip": fourth });
  const second = zip({ "b.txt": "Second.", "third.zip": third });
  const content = await read({ "a.txt": "First.", "second.zip": second });
  assert.deepEqual(
    content.blocks.flatMap(({ place }) => place?.member ?? []),
    ["a.txt", "second.zip/b.txt", "second.zip/third.zip/c.txt"],
  );
  assert.deepEqual(content.warnings, [
    "second.zip: third.zip: fourth.zip: skipped: archives are opened 3 levels deep",
  ]);
});

test("what an archive holds that is not read is named, and costs no other file", async () => {
  const content = await read({
    "a.txt": "Words.",
    "b.exe": "x",
    "c.docx": "no document",
    "d.png": "x",
    ".git/config": "x",
    "__MACOSX/a.txt": "x",
    "e.txt": new Uint8Array(26 * 1024 ** 2).fill(120),
  });
  assert.deepEqual(shown(content), ["# a.txt", "a.txt 1 Words."]);
  assert.match(content.warnings[0] ?? "", /^c\.docx skipped: /);
  assert.deepEqual(content.warnings.slice(1), [
    "b.exe: skipped: unsupported format",
    "d.png: skipped: OCR does not read images in archives",
    ".git/config, __MACOSX/a.txt: hidden files are skipped",
    "e.txt: skipped: the limit for a file in an archive is 25 MiB",
  ]);
});

test("of an archive of very many files the first are read, and the others counted", async () => {
  const parts = Array.from({ length: 1_005 }, (_, at) => [`${at}.txt`, `Text ${at}.`]);
  const { blocks, warnings } = await read(Object.fromEntries(parts));
  assert.equal(blocks.filter(({ isName }) => isName).length, 1_000);
  assert.deepEqual(warnings, [
    "1000.txt, 1001.txt, 1002.txt and 2 more: skipped: only 1000 files of an archive are read",
  ]);
});

test("an archive that unpacks to more than it may is refused before it is read", async () => {
  const parts = { "a.txt": new Uint8Array(80 * 1024 ** 2).fill(120) };
  await assert.rejects(read(parts), { code: "SOURCE_TOO_LARGE", message: /times its packed size/ });
});

test("an archive without a file that is read holds no text", async () => {
  await assert.rejects(read({ "a.exe": "x" }), { code: "SOURCE_EMPTY" });
});
