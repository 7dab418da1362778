import assert from "node:assert/strict";
import { test } from "node:test";
import PptxGenJS from "pptxgenjs";
import pptxParser from "../../../../../src/drivers/parsers/office/slides/pptx.ts";
import type { PageTurns } from "../../../../../src/drivers/parsers/pages.ts";
import { zip } from "../../make.ts";

const shape = (blocks: readonly { kind: string; text: string; pages: readonly number[] }[]) =>
  blocks.map(({ kind, text, pages }) => [kind, text, pages[0]]);
const spaces =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relations = (...list: [string, string][]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}"/>`).join("")}</Relationships>`;
const text = (words: string, properties = "") => `<a:p>${properties}<a:r><a:t>${words}</a:t></a:r></a:p>`;
const box = (body: string, placeholder = "") =>
  `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${body}</p:txBody></p:sp>`;

/** A presentation whose slides hold the given shapes. */
function deck(slides: readonly string[], others: Record<string, string> = {}): Uint8Array {
  const parts: Record<string, string> = {
    "_rels/.rels": relations(["officeDocument", "ppt/presentation.xml"]),
    "ppt/presentation.xml": `<p:presentation ${spaces}><p:sldIdLst>${slides.map((_, index) => `<p:sldId r:id="rId${slides.length - index}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(
      ...slides.map((_, index): [string, string] => ["slide", `slides/slide${slides.length - index}.xml`]),
    ),
  };
  slides.forEach((slide, index) => {
    parts[`ppt/slides/slide${index + 1}.xml`] =
      `<p:sld ${spaces}><p:cSld><p:spTree>${slide}</p:spTree></p:cSld></p:sld>`;
  });
  return zip({ ...parts, ...others });
}
const parse = (bytes: Uint8Array) => pptxParser().parse(bytes, { name: "deck.pptx" });

test("slides follow the order of the presentation, not of the file names", async () => {
  const { blocks, pageCount } = await parse(deck([box(text("First here.")), box(text("Second here."))]));
  assert.equal(pageCount, 2);
  assert.deepEqual(shape(blocks), [
    ["paragraph", "First here.", 1],
    ["paragraph", "Second here.", 2],
  ]);
});

test("groups are opened, numbered and bulleted lines are lists, pictures give their alternative text", async () => {
  const group = `<p:grpSp><p:grpSp>${box(text("Deep inside the groups."))}</p:grpSp></p:grpSp>`;
  const auto = '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>';
  const picture =
    '<p:pic><p:nvPicPr><p:cNvPr id="1" name="x" descr="A map of the plant"/></p:nvPicPr></p:pic>';
  const title = box(text("Overview"), '<p:ph type="title"/>');
  const number = box(text("7"), '<p:ph type="sldNum"/>');
  const { blocks, warnings } = await parse(
    deck([`${group}${box(text("One", auto) + text("Two", auto))}${picture}${title}${number}`]),
  );
  assert.deepEqual(shape(blocks), [
    ["heading", "Overview", 1],
    ["paragraph", "Deep inside the groups.", 1],
    ["list", "1. One\n2. Two", 1],
    ["picture", "A map of the plant", 1],
  ]);
  assert.match(warnings.join(), /1 image was skipped/);
});

test("merged cells of a table are laid out, comments come with their author, notes last", async () => {
  const cell = (words: string, attributes = "") =>
    `<a:tc ${attributes}><a:txBody>${text(words)}</a:txBody></a:tc>`;
  const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr>${cell("Region")}${cell("Sales", 'gridSpan="2"')}${cell("", 'hMerge="1"')}</a:tr><a:tr>${cell("North")}${cell("12")}${cell("14")}</a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  const { blocks } = await parse(
    deck([table], {
      "ppt/slides/_rels/slide1.xml.rels": relations(
        ["comments", "../comments/comment1.xml"],
        ["notesSlide", "../notesSlides/notesSlide1.xml"],
      ),
      "ppt/commentAuthors.xml": `<ns0:cmAuthorLst xmlns:ns0="http://schemas.openxmlformats.org/presentationml/2006/main"><ns0:cmAuthor id="3" name="Ann"/></ns0:cmAuthorLst>`,
      "ppt/comments/comment1.xml": `<p:cmLst ${spaces}><p:cm authorId="3"><p:text>Check this</p:text></p:cm></p:cmLst>`,
      "ppt/notesSlides/notesSlide1.xml": `<p:notes ${spaces}><p:cSld><p:spTree>${box(text("Say hello."), '<p:ph type="body"/>')}</p:spTree></p:cSld></p:notes>`,
    }),
  );
  assert.deepEqual(blocks[0]?.table?.rows[0], ["Region", "Sales", "Sales"]);
  assert.deepEqual(blocks[0]?.table?.spans, [{ row: 0, column: 1, rows: 1, columns: 2 }]);
  assert.deepEqual(shape(blocks.slice(1)), [
    ["footnote", "Comment by Ann: Check this", 1],
    ["notes", "Say hello.", 1],
  ]);
});

test("a chart gives its title and its figures as a table", async () => {
  // The package's declaration puts the class one default deeper than Node does.
  const Deck = PptxGenJS as unknown as new () => PptxGenJS.default;
  const made = new Deck();
  made
    .addSlide()
    .addChart(
      "bar" as PptxGenJS.default.CHART_NAME,
      [{ name: "Ducks", labels: ["2019", "2020"], values: [120, 130] }],
      {
        title: "Ducks a year",
        showTitle: true,
      },
    ); // a name of the list
  const bytes = new Uint8Array((await made.write({ outputType: "nodebuffer" })) as Uint8Array<ArrayBuffer>); // "nodebuffer" gives a Buffer
  const { blocks } = await parse(bytes);
  assert.equal(blocks[0]?.text, "Ducks a year (bar chart)");
  assert.deepEqual(blocks[1]?.table?.rows, [
    ["", "Ducks"],
    ["2019", "120"],
    ["2020", "130"],
  ]);
});

test("a slide that has to be left out is named, and the others are read", async () => {
  const limits = { pageMs: 2000, memoryBytes: 1024 ** 3 };
  const turns = (lost: readonly number[]): PageTurns => ({
    limits,
    expect: () => undefined,
    run: async (page, work) => (lost.includes(page) ? { leftOut: "time", page } : await work()),
  });
  const bytes = deck([box(text("First here.")), box(text("Second here."))]);
  const { blocks, warnings, omitted } = await pptxParser({ turns: turns([1]) }).parse(bytes, {
    name: "deck.pptx",
  });
  assert.deepEqual(shape(blocks), [["paragraph", "Second here.", 2]]);
  assert.deepEqual([warnings, omitted], [["skipped page 1: more than 2 s of CPU time"], "page 1"]);
  await assert.rejects(pptxParser({ turns: turns([1, 2]) }).parse(bytes, { name: "deck.pptx" }), {
    code: "PARSER_TIMEOUT",
  });
});

test("raised digits on slides do not join the number before them", async () => {
  const run = (words: string, baseline: number) =>
    `<a:r><a:rPr baseline="${baseline}"/><a:t>${words}</a:t></a:r>`;
  const line = `<a:p>${run("10", 0)}${run("−", 30000)}${run("6", 30000)}${run(" of 85", 0)}${run("2", 30000)}${run(" CO", 0)}${run("2", -25000)}</a:p>`;
  const { blocks } = await parse(deck([box(line)]));
  assert.deepEqual(shape(blocks), [["paragraph", "10⁻⁶ of 85[2] CO2", 1]]);
});

test("text that a slide strikes out or hides is left out and counted, and symbol fonts are read", async () => {
  const part = (words: string, properties = "") => `<a:r><a:rPr ${properties}/><a:t>${words}</a:t></a:r>`;
  const struck = 'strike="sngStrike"';
  const symbol = '<a:r><a:rPr><a:sym typeface="Wingdings"/></a:rPr><a:t>\uf0fe</a:t></a:r>';
  const slide =
    box(
      `<a:p>${part("Rate: ")}${part("62", struck)}${part(" euros", 'strike="dblStrike"')}${part(" 71 euros")}</a:p>`,
    ) +
    box(`<a:p>${part("Fee 110", 'strike="noStrike"')}</a:p><a:p>${symbol}${part(" paid")}</a:p>`) +
    box(text("Lowest 15,900.")).replace("<p:nvSpPr>", '<p:nvSpPr><p:cNvPr id="9" name="x" hidden="1"/>');
  const { blocks, warnings } = await parse(deck([slide]));
  assert.deepEqual(
    blocks.map(({ text: own }) => own),
    ["Rate: 71 euros", "Fee 110", "🗹 paid"],
  );
  assert.deepEqual(warnings, ["1 struck-out passage was left out", "1 hidden passage was left out"]);
});
