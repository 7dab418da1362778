import assert from "node:assert/strict";
import { test } from "node:test";
import epubParser from "../../../../src/drivers/parsers/markup/epub.ts";
import { zip } from "../make.ts";

const container = `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`;
const opf = `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Pump</dc:title></metadata><manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/><item id="b" href="two%20b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="one.xhtml" media-type="application/xhtml+xml"/><item id="gone" href="gone.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="nav"/><itemref idref="a"/><itemref idref="b"/><itemref idref="gone"/></spine></package>`;
const page = (body: string) =>
  `<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "bomb">]><html xmlns="http://www.w3.org/1999/xhtml"><body>${body}</body></html>`;
const parts = {
  mimetype: "application/epub+zip",
  "META-INF/container.xml": container,
  "OPS/book.opf": opf,
  "OPS/nav.xhtml": page("<nav><ol><li>One</li></ol></nav>"),
  "OPS/one.xhtml": page("<h1>One</h1><p>Water &a; moves.</p>"),
  "OPS/two b.xhtml": page("<h1>Two</h1><p>Oil moves.</p>"),
};
const parse = (bytes: Uint8Array) => epubParser().parse(bytes, { name: "book.epub" });

test("chapters come in the order of the spine, their titles as headings; a missing one is named", async () => {
  const { blocks, title, warnings } = await parse(zip(parts));
  assert.equal(title, "The Pump");
  assert.deepEqual(
    blocks.map(({ kind, text }) => [kind, text.replace(/&a;/, "")]),
    [
      ["heading", "One"],
      ["paragraph", "Water  moves."],
      ["heading", "Two"],
      ["paragraph", "Oil moves."],
    ],
  );
  assert.deepEqual(warnings, ["a chapter is missing from the file: gone.xhtml"]);
});

test("a book whose chapters are encrypted is refused, one with scrambled fonts is read", async () => {
  const locked = (uri: string) =>
    `<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:CipherReference URI="${uri}"/></encryption>`;
  await assert.rejects(parse(zip({ ...parts, "META-INF/encryption.xml": locked("OPS/one.xhtml") })), {
    code: "SOURCE_ENCRYPTED",
  });
  assert.equal(
    (await parse(zip({ ...parts, "META-INF/encryption.xml": locked("OPS/font.otf") }))).blocks.length,
    4,
  );
});

test("the style sheets of a book say what is raised and what nobody sees", async () => {
  const linked = page(
    '<p>A fee of 85<span class="note">2</span> euros</p><p class="gone">unseen</p>',
  ).replace("<body>", '<head><link rel="stylesheet" href="css/book.css"/></head><body>');
  const { blocks } = await parse(
    zip({
      ...parts,
      "OPS/one.xhtml": linked,
      "OPS/css/book.css": ".note { vertical-align: super } p.gone { display: none }",
    }),
  );
  assert.equal(blocks[0]?.text, "A fee of 85[2] euros");
  assert.doesNotMatch(JSON.stringify(blocks), /unseen/);
});

test("notes of a book are called by their marks, even where they are hidden until then", async () => {
  const { blocks } = await parse(
    zip({
      ...parts,
      "OPS/one.xhtml": page(
        `<p>Two hours before high water<a epub:type="noteref" href="#n1">1</a>, 2.3 miles<a role="doc-noteref" href="notes.xhtml#n2">2</a>.</p>
        <aside epub:type="footnote" id="n1" hidden="hidden"><p><a href="#r1">1</a>. One hour in winter.</p></aside>`,
      ),
    }),
  );
  assert.deepEqual(
    blocks.slice(0, 2).map(({ kind, text }) => [kind, text]),
    [
      ["paragraph", "Two hours before high water[1], 2.3 miles[2]."],
      ["footnote", "[1] One hour in winter."],
    ],
  );
});

test("a chapter in another character set is read in the one that it declares", async () => {
  const declared = page("<p>Größe</p>").replace('version="1.0"', 'version="1.0" encoding="iso-8859-1"');
  const { blocks } = await parse(zip({ ...parts, "OPS/one.xhtml": Buffer.from(declared, "latin1") }));
  assert.equal(blocks[0]?.text, "Größe");
});
