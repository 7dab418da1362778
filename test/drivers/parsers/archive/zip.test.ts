import assert from "node:assert/strict";
import { test } from "node:test";
import iconv from "iconv-lite";
import type { ParsedContent } from "../../../../src/core/documents/document.ts";
import { loadParser } from "../../../../src/drivers/parsers/by-format.ts";
import { processorMs } from "../../../helpers/processor-time.ts";
import { zip } from "../make.ts";

const readBytes = async (bytes: Uint8Array): Promise<ParsedContent> =>
  (await loadParser("zip")).parse(bytes, { name: "archive.zip" });
const read = (parts: Parameters<typeof zip>[0]): Promise<ParsedContent> => readBytes(zip(parts));
const names = ({ blocks }: ParsedContent) => blocks.filter(({ isName }) => isName).map(({ text }) => text);
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

test("files of an export are named without its ids", async () => {
  const id = "a1b2c3d4e5f60718293a4b5c6d7e8f90";
  const content = await read({
    [`Plans ${id}/New pier ${id}.md`]: "Words.",
    [`Bad ${id}.docx`]: "no document",
  });
  assert.deepEqual(names(content), ["Plans/New pier.md"]);
  assert.match(content.warnings.join(), /^Bad\.docx skipped: /);
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

test("archives that unpack to very much cost no more than one, and what was left out is named", async () => {
  const zeros = new Uint8Array(24 * 1024 ** 2);
  const inner = zip(Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.bin`, zeros])));
  const texts = zip(Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`${at}.txt`, zeros])));
  const document = zip({ "word/document.xml": "", "word/media/a.bin": new Uint8Array(200 * 1024 ** 2) });
  const parts = {
    "a.txt": "Words.",
    ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`bins${at}.zip`, inner])),
    ...Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`document${at}.docx`, document])),
    ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`texts${at}.zip`, texts])),
  };
  const bomb = zip({ "inner.zip": zip(parts) });
  let content: ParsedContent | undefined;
  const spent = await processorMs(async () => {
    content = await readBytes(bomb);
  });
  assert.ok(spent < 8_000, `${spent} ms`);
  assert.ok(content?.blocks.some(({ text }) => text === "Words."));
  assert.match(
    content?.warnings.join("\n") ?? "",
    /bins0\.zip skipped: nothing in bins0\.zip was read: 0\.bin/,
  );
  assert.match(
    content?.warnings.join("\n") ?? "",
    /the limit for all files in an archive is 256 MiB, unpacked/,
  );
});

test("of archives of very many names only the first are looked at", async () => {
  const many = zip(Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`${at}.bin`, ""])));
  const content = await read({ "1.zip": many, "2.zip": many, "3.zip": many, "a.txt": "Words." });
  assert.deepEqual(names(content), ["a.txt"]);
  assert.match(content.warnings.join("\n"), /3\.zip.*only the first 20000 files of an archive/);
});

test("names are read in the character set that they are written in, and a guess is said", async () => {
  const cases: readonly (readonly [charset: string, ...names: string[]])[] = [
    ["shift_jis", "資料/議事録ソ.txt", "資料/予算.txt"],
    ["shift_jis", "ノート.txt"],
    ["gbk", "会议记录.txt"],
    ["big5", "會議記錄.txt"],
    ["euc-kr", "회의록.txt"],
    ["cp866", "Отчёт за март.txt"],
    ["windows-1251", "Смета.txt"],
    ["cp437", "Prüfung.txt", "Größe.txt", "créée.txt"],
    ["windows-1252", "Größe.txt", "Übung.txt"],
  ];
  for (const [charset, ...given] of cases) {
    const parts = Object.fromEntries(given.map((name) => [name, "Words."]));
    const content = await readBytes(
      zip(parts, undefined, { bytesOf: (name) => iconv.encode(name, charset) }),
    );
    assert.deepEqual(names(content), given);
    assert.deepEqual(content.warnings, [`names of files were read as ${charset} (a guess)`]);
  }
  const plain = await read({ "Größe.txt": "Words.", "資料.txt": "Words." });
  assert.deepEqual([names(plain), plain.warnings], [["Größe.txt", "資料.txt"], []]);
});

test("a file with a path out of the archive or with a password costs only itself", async () => {
  const parts = { "/etc/a.txt": "x", "../b.txt": "x", "C:\\c.txt": "x", "d.txt": "x", "e.txt": "Words." };
  const content = await readBytes(zip(parts, undefined, { locked: ["d.txt"] }));
  assert.deepEqual(names(content), ["e.txt"]);
  assert.deepEqual(content.warnings, [
    "/etc/a.txt, ../b.txt, C:/c.txt: skipped: its path leads out of the archive",
    "d.txt: skipped: protected by a password",
  ]);
  await assert.rejects(readBytes(zip({ "d.txt": "x" }, undefined, { locked: ["d.txt"] })), {
    code: "SOURCE_ENCRYPTED",
  });
});

test("an archive without a file that is read says why", async () => {
  await assert.rejects(read({ "a.exe": "x", "b.png": "x" }), {
    code: "SOURCE_EMPTY",
    message: "nothing in archive.zip was read: a.exe: skipped: unsupported format; and 1 more",
  });
  await assert.rejects(read({ "a.txt": new Uint8Array(80 * 1024 ** 2).fill(120) }), {
    code: "SOURCE_EMPTY",
    message: /the limit for a file in an archive is 25 MiB/,
  });
});
