import assert from "node:assert/strict";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as xlsx from "xlsx";
import type { Format } from "../../../src/core/documents/document.ts";
import { detectFormat, extensionMismatchWarning } from "../../../src/pipeline/ingest/detect.ts";
import { zip } from "../../drivers/parsers/make.ts";

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "ragctl-detect-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function detect(
  name: string,
  content: Uint8Array | string,
  declared?: ReadonlySet<string>,
): Promise<string> {
  const path = join(folder, "file");
  await writeFile(path, content);
  const handle = await open(path);
  try {
    return await detectFormat(handle, name, declared);
  } catch (error) {
    return `${error instanceof Error && "code" in error ? String(error.code) : "?"}: ${error instanceof Error ? error.message : ""}`;
  } finally {
    await handle.close();
  }
}

/** The head of an OLE file that holds streams of the given names. */
function ole(...names: string[]): Uint8Array {
  const entries = names.map((name) => {
    const entry = Buffer.alloc(128);
    entry.write(name, "utf16le");
    return entry;
  });
  return Buffer.concat([
    Buffer.from("d0cf11e0a1b11ae1", "hex"),
    Buffer.alloc(504),
    ...entries,
    Buffer.alloc(2048),
  ]);
}
const packed = (type: string) => {
  // The type stands in the first part, which these formats store unpacked.
  const made = Buffer.from(zip({ mimetype: "" }));
  const name = Buffer.from("mimetype");
  const local = Buffer.alloc(30);
  local.write("PK\x03\x04", "latin1");
  local.writeUInt16LE(name.length, 26);
  return Buffer.concat([local, name, Buffer.from(type), made]);
};

test("every format is recognised by its content under a name that says nothing", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const found = {
    pdf: await detect("x", "%PDF-1.7\n"),
    docx: await detect("x", zip({ "word/document.xml": "x" })),
    xlsx: await detect("x", zip({ "xl/workbook.xml": "x" })),
    pptx: await detect("x", zip({ "ppt/presentation.xml": "x" })),
    odt: await detect("x", packed("application/vnd.oasis.opendocument.text")),
    ods: await detect("x", packed("application/vnd.oasis.opendocument.spreadsheet")),
    odp: await detect("x", packed("application/vnd.oasis.opendocument.presentation")),
    epub: await detect("x", packed("application/epub+zip")),
    html: await detect("x", "<!DOCTYPE html><p>x"),
    rtf: await detect("x", "{\\rtf1 x}"),
    eml: await detect(
      "x",
      "Received: by mx\r\nFrom: a@b.c\r\nTo: d@e.f\r\nSubject: s\r\nMIME-Version: 1.0\r\n\r\nbody",
    ),
    msg: await detect("x", ole("Root Entry", "__properties_version1.0")),
    image: await detect("x", png),
    docling: await detect("x", '{"schema_name": "DoclingDocument", "version": "1.0"}'),
    text: await detect("x", "From: nobody\n\nA note that begins like a letter."),
  };
  for (const [format, detected] of Object.entries(found)) assert.equal(detected, format);
  assert.equal(await detect("x.xls", ole("Workbook")), "xlsx");
  // A long strip of pixels before what the file says of itself.
  const scan = Buffer.concat([
    Buffer.from([0x49, 0x49, 0x2a, 0, 0xa0, 0x92, 0x1a, 0]),
    Buffer.alloc(100_000, 8),
  ]);
  assert.equal(await detect("x.tif", scan), "image");
});

test("a package states its type in whatever part of the archive", async () => {
  const made = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(made, xlsx.utils.aoa_to_sheet([["Part"], ["Seal"]]), "Stock");
  const written = xlsx.write(made, { type: "buffer", bookType: "ods" });
  assert.equal(await detect("stock.ods", new Uint8Array(written)), "ods");
  const mimetype = "application/vnd.oasis.opendocument.text";
  assert.equal(await detect("x", zip({ "meta.xml": "<x/>", mimetype })), "odt");
});

test("the name decides between kinds of text, and content that is not read is refused by what it is", async () => {
  assert.deepEqual(
    [
      await detect("a.csv", "k,v"),
      await detect("a.md", "<html>"),
      await detect("a.txt", "Subject: x"),
      await detect("a.eml", "Subject: x\n\nbody"),
    ],
    ["csv", "markdown", "text", "eml"],
  );
  assert.match(await detect("a.doc", ole("WordDocument")), /SOURCE_UNSUPPORTED.*old Word document \(\.doc\)/);
  assert.match(await detect("a.docx", ole("EncryptedPackage")), /^docx$/);
  assert.match(await detect("a.jar", zip({ "a.txt": "x" })), /SOURCE_UNSUPPORTED.*zip archive/);
  assert.match(
    await detect("a.odt", zip({ "a.txt": "x" })),
    /SOURCE_MISMATCHED.*named \.odt, but its content is a zip archive/,
  );
  assert.match(
    await detect("a.ts", new Uint8Array([0x47, 0x40, 0, 0x10, ...new Uint8Array(400)])),
    /SOURCE_MISMATCHED.*named \.ts, but its content is/,
  );
  assert.match(await detect("a.xyz", "print(1)"), /SOURCE_UNSUPPORTED/);
  assert.equal(await detect("a.py", "print(1)", new Set([".py"])), "text");
});

test("a text in wide characters and one with zeros in it is text where its name says so, and no other bytes are", async () => {
  const wide = Buffer.from("<!doctype html><p>Die Schleuse öffnet</p>", "utf16le");
  assert.equal(await detect("a.html", wide), "html");
  assert.equal(await detect("a.txt", Buffer.from(wide).swap16()), "html");
  assert.equal(await detect("a.csv", Buffer.from("水闸,门\n一,二\n", "utf16le")), "csv");
  const log = Buffer.concat([Buffer.alloc(5000), Buffer.from("10:00 started\n"), Buffer.alloc(70)]);
  assert.equal(await detect("a.log", log), "data");
  assert.equal(await detect("a.log", Buffer.alloc(70_000)), "data");
  for (const name of ["a", "a.xyz"]) assert.match(await detect(name, log), /unknown binary data/);
  const noise = Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * at * 7 + at) % 251));
  assert.match(await detect("a.log", noise), /SOURCE_MISMATCHED/);
});

test("a pointer in the place of a large file is named as that, whatever the name", async () => {
  const lfs =
    "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";
  for (const name of ["plan.pdf", "notes.md", "a.xlsx", "model.bin"])
    assert.match(await detect(name, lfs), /SOURCE_UNSUPPORTED: .* is a pointer of Git LFS/);
  assert.match(
    await detect(
      "a.pdf",
      "/annex/objects/SHA256E-s31390--f50d7ac4c6b9031379986bc362fcefb65f1e52621ce1708d537e740fefc59cc0.pdf\n",
    ),
    /SOURCE_UNSUPPORTED: a\.pdf is a pointer of git-annex/,
  );
  assert.equal(await detect("lfs.md", `# Git LFS\n\n${lfs}`), "markdown");
});

test("what programs export as Excel is read as what it is: HTML, Excel's XML of 2003, a saved page, a table in text", async () => {
  const book = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([["Part"]]), "Stock");
  const written = String(xlsx.write(book, { type: "string", bookType: "xlml" }));
  const xml = written.replace("?>", '?>\r\n<?mso-application progid="Excel.Sheet"?>');
  assert.deepEqual(
    [
      await detect("a.xls", "<table border=1><tr><td>Gasket</td></tr></table>"),
      await detect("a.xls", '<meta charset="utf-8"><table><tr><td>Gasket</td></tr></table>'),
      await detect("a.xls", '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><body></body></html>'),
      await detect("a.xls", xml),
      await detect("a.xls", "MIME-Version: 1.0\r\nFrom: x\r\nSubject: y\r\nDate: z\r\n\r\nbody"),
      await detect("a.xls", "Part\tStock\nGasket\t7\n"),
      await detect("a.xls", "just words\n"),
    ],
    ["html", "html", "html", "xlsx", "eml", "csv", "text"],
  );
});

test("a file whose name claims another format than it has is read by its content, and says so", async () => {
  const warning = async (name: string, content: Uint8Array | string, declared: readonly string[] = []) => {
    const format = await detect(name, content, new Set(declared));
    // A format that is read; an error would begin with its code.
    return extensionMismatchWarning({ name, format: format as Format }, new Set(declared));
  };
  assert.equal(
    await warning("broken.pdf", "only words\n"),
    "named .pdf, but read as plain text because of its content",
  );
  assert.match((await warning("data.xlsx", "a,b\n1,2\n")) ?? "", /named \.xlsx, but read as a table in text/);
  assert.match((await warning("a.DOCX", "%PDF-1.7\n")) ?? "", /named \.docx, but read as pdf/);
  assert.match((await warning("a.txt", "%PDF-1.7\n")) ?? "", /named \.txt, but read as pdf/);
  for (const name of ["a.txt", "a.md", "a.csv", "a"])
    assert.equal(await warning(name, "only words\n"), undefined, name);
  assert.equal(await warning("a.txt", "<!doctype html><html></html>"), undefined);
  assert.equal(await warning("a.pdf", "read by a loader", [".pdf"]), undefined);
});

test("code, data, notebooks, subtitles, mailboxes and archives are told by their names", async () => {
  const found = await Promise.all(
    [
      ["a.ts", "const x = 1;"],
      ["A.JAVA", "class A {}"],
      ["a.php", "<html><?php echo 1; ?></html>"],
      ["a.json", '{"a": 1}'],
      ["a.xml", '<?xml version="1.0"?><a/>'],
      ["a.log", "From: x"],
      ["a.ipynb", '{"cells": []}'],
      ["a.vtt", "WEBVTT"],
      ["a.bib", "@misc{a}"],
      ["a.ics", "BEGIN:VCALENDAR\n"],
      [
        "a.mbox",
        "From a@b.c Sat Nov 28 07:00:00 2026\nSubject: s\nFrom: a@b.c\nTo: x@y.z\nMessage-ID: <1>\n\nx",
      ],
      ["a.zip", zip({ "a.txt": "x" })],
    ].map(async ([name, content], index) => {
      const path = join(folder, `named-${index}`);
      await writeFile(path, content ?? "");
      await using handle = await open(path);
      return await detectFormat(handle, String(name));
    }),
  );
  assert.deepEqual(found, [
    "code",
    "code",
    "code",
    "data",
    "data",
    "data",
    "notebook",
    "subtitles",
    "records",
    "records",
    "mbox",
    "zip",
  ]);
});
