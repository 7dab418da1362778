import assert from "node:assert/strict";
import { test } from "node:test";
import odfParser from "../../../../../src/drivers/parsers/office/odf/odf.ts";
import { zip } from "../../make.ts";

const spaces = ["office", "text", "table", "draw", "presentation", "svg"]
  .map(
    (name) =>
      `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === "draw" ? "drawing" : name}:1.0"`,
  )
  .join(" ");
const content = (body: string, styles = "") =>
  `<?xml version="1.0"?><office:document-content ${spaces} xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`;
const parse = (bytes: Uint8Array, name = "guide.odt") => odfParser().parse(bytes, { name });
const shape = (blocks: readonly { kind: string; text: string }[]) =>
  blocks.map(({ kind, text }) => [kind, text]);

test("ODT gives headings, nested lists, tables with spans, notes, comments and the texts of pictures", async () => {
  const styles = `<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-bullet text:level="2"/></text:list-style>`;
  const body = `<office:text><text:tracked-changes><text:changed-region><text:deletion><text:p>Gone</text:p></text:deletion></text:changed-region></text:tracked-changes>
    <text:h text:outline-level="2">Pumps</text:h>
    <text:p>Ten<text:s text:c="2"/>bar<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>At sea level.</text:p></text:note-body></text:note><office:annotation><dc:creator>Ann</dc:creator><text:p>Check</text:p></office:annotation></text:p>
    <text:list text:style-name="L1"><text:list-item><text:p>Open</text:p><text:list><text:list-item><text:p>Left</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>Close</text:p></text:list-item></text:list>
    <table:table><table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Limits</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>
    <text:p><draw:frame><draw:image/><svg:desc>A red pump</svg:desc></draw:frame></text:p></office:text>`;
  const { blocks, warnings } = await parse(
    zip({ mimetype: "application/vnd.oasis.opendocument.text", "content.xml": content(body, styles) }),
  );
  assert.deepEqual(shape(blocks), [
    ["heading", "Pumps"],
    ["paragraph", "Ten bar[1]"],
    ["footnote", "[1] At sea level."],
    ["footnote", "Comment by Ann: Check"],
    ["list", "1. Open\n  - Left\n2. Close"],
    ["table", "Limits | Limits\na | b"],
    ["picture", "A red pump"],
  ]);
  assert.equal(blocks[0]?.level, 2);
  assert.deepEqual(blocks[5]?.table, {
    rows: [
      ["Limits", "Limits"],
      ["a", "b"],
    ],
    headerRows: 1,
    spans: [{ row: 0, column: 0, rows: 1, columns: 2 }],
  });
  assert.match(warnings.join(), /1 tracked changes/);
});

test("counts that make no sense in ODF are one", async () => {
  for (const count of ["-1", "x", "", "1e999", "0"]) {
    const repeated = `<table:table-cell table:number-columns-repeated="${count}"><text:p>a</text:p></table:table-cell>`;
    const body = `<office:text><text:p>Ten<text:s text:c="${count}"/>bar</text:p><table:table><table:table-row>${repeated}<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table></office:text>`;
    const { blocks } = await parse(zip({ "content.xml": content(body) }));
    assert.deepEqual(shape(blocks), [
      ["paragraph", "Ten bar"],
      ["table", "a | b"],
    ]);
  }
});

test("ODP gives a page a slide, titles as headings and notes last", async () => {
  const frame = (kind: string, text: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
  const notes = `<presentation:notes>${frame("notes", "Say hello.")}</presentation:notes>`;
  const body = `<office:presentation><draw:page>${frame("outline", "Body text")}${frame("title", "First")}${notes}</draw:page><draw:page/></office:presentation>`;
  const { blocks, pageCount, pagesWithoutText } = await parse(
    zip({ "content.xml": content(body) }),
    "deck.odp",
  );
  assert.deepEqual(shape(blocks), [
    ["heading", "First"],
    ["paragraph", "Body text"],
    ["notes", "Say hello."],
  ]);
  assert.deepEqual([pageCount, pagesWithoutText, blocks[0]?.pages], [2, [2], [1]]);
});

test("a claimed repetition of a million cells stays small, and encrypted parts are refused", async () => {
  const row = `<table:table-row><table:table-cell table:number-columns-repeated="1000000"><text:p>x</text:p></table:table-cell></table:table-row>`;
  const { blocks } = await parse(
    zip({ "content.xml": content(`<office:text><table:table>${row}${row}</table:table></office:text>`) }),
  );
  assert.equal(blocks[0]?.table?.rows[0]?.length, 64);
  const manifest = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`;
  await assert.rejects(parse(zip({ "META-INF/manifest.xml": manifest, "content.xml": "noise" })), {
    code: "SOURCE_ENCRYPTED",
  });
});

test("raised digits of OpenDocument text do not join the number before them", async () => {
  const style = (name: string, place: string, parent = "") =>
    `<style:style style:name="${name}" style:parent-style-name="${parent}"><style:text-properties ${place === "" ? "" : `style:text-position="${place}"`}/></style:style>`;
  const styles = `${style("T1", "super 58%")}${style("T2", "33% 58%")}${style("T3", "-25% 58%")}${style("T4", "", "T1")}${style("T5", "0% 100%", "T1")}${style("T6", "", "Mark")}`;
  const span = (name: string, words: string) => `<text:span text:style-name="${name}">${words}</text:span>`;
  const body = `<office:text><text:p>10${span("T1", "6")} of 85${span("T2", "2")}, CO${span("T3", "2")}, 640${span("T4", "1")}, 64${span("T5", "0")}, 12${span("T6", "3")}</text:p></office:text>`;
  const parts = {
    "content.xml": content(body, styles),
    "styles.xml": content("", style("Mark", "super 58%")),
  };
  const { blocks } = await parse(zip(parts));
  assert.deepEqual(shape(blocks), [["paragraph", "10⁶ of 85[2], CO2, 640[1], 640, 12[3]"]]);
});

test("lists of OpenDocument text go on with the numbers of an earlier list, at every level", async () => {
  const level = (number: number, more = "") =>
    `<text:list-level-style-number text:level="${number}" style:num-format="1" style:num-suffix="." ${more}/>`;
  const styles = `<text:list-style style:name="L1">${level(1)}${level(2, 'text:display-levels="2"')}</text:list-style><text:list-style style:name="L2">${level(1, 'text:start-value="5"')}</text:list-style>`;
  const item = (inner: string) => `<text:list-item>${inner}</text:list-item>`;
  const p = (words: string) => `<text:p>${words}</text:p>`;
  const list = (attributes: string, ...items: string[]) =>
    `<text:list ${attributes}>${items.map(item).join("")}</text:list>`;
  const body = `<office:text>
    ${list('xml:id="a" text:style-name="L1"', p("Open"), p("Turn") + list("", p("left")))}${p("A pause.")}
    ${list('text:style-name="L2"', p("Five"))}
    ${list('text:style-name="L1" text:continue-numbering="true"', list("", p("right")), p("Close"))}
    ${list('text:continue-list="a" text:style-name="L1"', p("Third of the first"))}
    ${list('text:style-name="L1"', p("Anew"))}</office:text>`;
  const { blocks } = await parse(zip({ "content.xml": content(body, styles) }));
  assert.deepEqual(
    blocks.map(({ text }) => text),
    [
      "1. Open\n2. Turn\n  2.1. left",
      "A pause.",
      "5. Five",
      "  2.2. right\n3. Close",
      "3. Third of the first",
      "1. Anew",
    ],
  );
});

test("ODT leaves out what its styles strike or hide, counts it, and reads symbol fonts by what they show", async () => {
  const style = (name: string, properties: string, basis = "") =>
    `<style:style style:name="${name}" style:family="text"${basis}><style:text-properties ${properties}/></style:style>`;
  const styles =
    style("T1", 'style:text-line-through-style="solid" style:text-line-through-type="single"') +
    style("T2", 'style:text-line-through-style="none"', ' style:parent-style-name="T1"') +
    style("T3", 'fo:font-weight="bold"', ' style:parent-style-name="T1"') +
    style("T4", 'text:display="none"') +
    style("T5", 'style:font-name="Wingdings"') +
    style("P1", 'style:text-line-through-type="double"');
  const span = (name: string, text: string) => `<text:span text:style-name="${name}">${text}</text:span>`;
  const body = `<office:text>
    <text:p>Rate: ${span("T1", "62")}${span("T3", " euros")} 71 euros</text:p>
    <text:p text:style-name="P1">Old rule. ${span("T2", "Kept.")}</text:p>
    <text:p>Price 18,400.${span("T4", " Lowest 15,900.")}</text:p>
    <text:section text:display="none"><text:p>Draft.</text:p></text:section>
    <text:p>Secret <text:hidden-paragraph text:is-hidden="true"/></text:p>
    <text:p>${span("T5", "\uf0a8")} yes</text:p>
    <table:table><table:table-row><table:table-cell><text:p>Pump</text:p></table:table-cell><table:table-cell><text:p>${span("T1", "8")} 9</text:p></table:table-cell></table:table-row></table:table></office:text>`;
  const { blocks, warnings } = await parse(zip({ "content.xml": content(body, styles) }));
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ["Rate: 71 euros", "Kept.", "Price 18,400.", "☐ yes", "Pump | 9"],
  );
  assert.deepEqual(warnings, ["3 struck-out passages were left out", "3 hidden passages were left out"]);
});

test("what only page headers and footers of ODT say is kept once, without page numbers", async () => {
  const master = `<office:document-styles ${spaces} xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:master-styles><style:master-page style:name="Standard"><style:header><text:p>Instruction WI-4471<text:tab/>Page <text:page-number>2</text:page-number> of <text:page-count>5</text:page-count></text:p></style:header><style:header-left style:display="false"><text:p>Never shown</text:p></style:header-left><style:footer><text:p>Plant Safety</text:p></style:footer></style:master-page><style:master-page style:name="Other"><style:header><text:p>Instruction WI-4471</text:p></style:header><style:footer><text:p>Close V3.</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`;
  const body = "<office:text><text:h>Emptying</text:h><text:p>Close V3.</text:p></office:text>";
  const { blocks } = await parse(zip({ "content.xml": content(body), "styles.xml": master }));
  assert.deepEqual(shape(blocks), [
    ["paragraph", "Instruction WI-4471"],
    ["heading", "Emptying"],
    ["paragraph", "Close V3."],
    ["paragraph", "Plant Safety"],
  ]);
});
