import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AlignmentType,
  CommentRangeEnd,
  CommentRangeStart,
  CommentReference,
  Document,
  FootnoteReferenceRun,
  HeadingLevel,
  ImageRun,
  LevelFormat,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from "docx";
import { loadParser } from "../../../../../src/drivers/parsers/by-format.ts";
import docxParser from "../../../../../src/drivers/parsers/office/word/docx.ts";
import { zip } from "../../make.ts";

const parse = (bytes: Uint8Array) => docxParser().parse(bytes, { name: "guide.docx" });
const shape = (blocks: readonly { kind: string; text: string }[]) =>
  blocks.map(({ kind, text }) => [kind, text]);

const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const rels = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;
const spaces =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"';

/** A Word file whose body is the given XML. */
function word(body: string, others: Record<string, string | Uint8Array> = {}, head = ""): Uint8Array {
  const document = `<?xml version="1.0"?>${head}<w:document ${spaces}><w:body>${body}</w:body></w:document>`;
  return zip({ "[Content_Types].xml": types, "_rels/.rels": rels, "word/document.xml": document, ...others });
}
const p = (text: string) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

test("lists keep their nesting and their numbers as printed, also where numbering goes on after other text", async () => {
  const numbered = (level: number, text: string) =>
    new Paragraph({ text, numbering: { reference: "steps", level } });
  const format = (level: number, text: string) => ({
    level,
    format: LevelFormat.DECIMAL,
    text,
    alignment: AlignmentType.START,
  });
  const document = new Document({
    numbering: { config: [{ reference: "steps", levels: [format(0, "%1."), format(1, "%1.%2")] }] },
    sections: [
      {
        children: [
          numbered(0, "Open the valve"),
          numbered(1, "Turn left"),
          numbered(1, "Turn right"),
          new Paragraph("A pause."),
          numbered(0, "Close the valve"),
          new Paragraph({ text: "Grease", bullet: { level: 0 } }),
          new Paragraph({ text: "White grease", bullet: { level: 1 } }),
        ],
      },
    ],
  });
  const { blocks } = await parse(new Uint8Array(await Packer.toBuffer(document)));
  assert.deepEqual(shape(blocks), [
    ["list", "1. Open the valve\n  1.1 Turn left\n  1.2 Turn right"],
    ["paragraph", "A pause."],
    ["list", "2. Close the valve\n- Grease\n  - White grease"],
  ]);
});

test("footnotes and comments stand after the paragraph that points at them", async () => {
  const document = new Document({
    footnotes: { 1: { children: [new Paragraph("Measured in 2024.")] } },
    comments: {
      children: [{ id: 0, author: "Ann", date: new Date(0), children: [new Paragraph("Please check.")] }],
    },
    sections: [
      {
        children: [
          new Paragraph({
            children: [
              new TextRun("Pressure is 10 bar"),
              new FootnoteReferenceRun(1),
              new CommentRangeStart(0),
              new TextRun(" at most."),
              new CommentRangeEnd(0),
              new TextRun({ children: [new CommentReference(0)] }),
            ],
          }),
          new Paragraph("Next."),
        ],
      },
    ],
  });
  const { blocks } = await parse(new Uint8Array(await Packer.toBuffer(document)));
  assert.deepEqual(shape(blocks), [
    ["paragraph", "Pressure is 10 bar[1] at most."],
    ["footnote", "[1] Measured in 2024."],
    ["footnote", "Comment by Ann: Please check."],
    ["paragraph", "Next."],
  ]);
});

test("merged cells stand in every place they cover and are named as spans; a picture gives its alternative text", async () => {
  const cell = (text: string, options: object = {}) =>
    new TableCell({ children: [new Paragraph(text)], ...options });
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const document = new Document({
    sections: [
      {
        children: [
          new Paragraph({ text: "Title of it", heading: HeadingLevel.TITLE }),
          new Table({
            rows: [
              new TableRow({ children: [cell("Pump", { rowSpan: 2 }), cell("Pressure", { columnSpan: 2 })] }),
              new TableRow({ children: [cell("min"), cell("max")] }),
              new TableRow({ children: [cell("P-1"), cell("2"), cell("10")] }),
            ],
          }),
          new Paragraph({ text: "Table 1: pumps", style: "Caption" }),
          new Paragraph({
            children: [
              new ImageRun({
                type: "png",
                data: png,
                transformation: { width: 9, height: 9 },
                altText: { name: "x", title: "x", description: "A red pump" },
              }),
            ],
          }),
        ],
      },
    ],
    styles: { paragraphStyles: [{ id: "Caption", name: "caption" }] },
  });
  const { blocks, warnings, title } = await parse(new Uint8Array(await Packer.toBuffer(document)));
  assert.equal(title, "Title of it");
  assert.deepEqual(blocks[1]?.table, {
    rows: [
      ["Pump", "Pressure", "Pressure"],
      ["Pump", "min", "max"],
      ["P-1", "2", "10"],
    ],
    headerRows: 2,
    spans: [
      { row: 0, column: 0, rows: 2, columns: 1 },
      { row: 0, column: 1, rows: 1, columns: 2 },
    ],
  });
  assert.deepEqual(shape(blocks.slice(2)), [
    ["caption", "Table 1: pumps"],
    ["picture", "A red pump"],
  ]);
  assert.match(warnings.join(), /1 image was skipped/);
});

test("tracked changes are read as final text and counted", async () => {
  const body = `<w:p><w:r><w:t>Pay </w:t></w:r><w:del><w:r><w:delText>10</w:delText></w:r></w:del><w:ins><w:r><w:t>20</w:t></w:r></w:ins><w:r><w:t> euros</w:t></w:r></w:p>`;
  const { blocks, warnings } = await parse(word(body));
  assert.deepEqual(shape(blocks), [["paragraph", "Pay 20 euros"]]);
  assert.match(warnings.join(), /2 tracked changes/);
});

test("a text box is read once, whether it has an older form beside it or not", async () => {
  const box = `<wps:txbx><w:txbxContent>${p("In a box")}</w:txbxContent></wps:txbx>`;
  const both = `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>${box}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>${p("In a box")}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`;
  const alone = `<w:p><w:r><w:drawing>${box.replace("In a box", "Alone")}</w:drawing></w:r></w:p>`;
  const { blocks } = await parse(word(`${p("Before")}${both}${alone}`));
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ["Before", "In a box", "Alone"],
  );
});

test("formulas become LaTeX, monospaced lines become code, a table of one cell is only a frame", async () => {
  const formula = `<w:p><w:r><w:t xml:space="preserve">Area </w:t></w:r><m:oMath><m:r><m:t>A=π</m:t></m:r><m:sSup><m:e><m:r><m:t>r</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>`;
  const mono = (text: string) =>
    `<w:p><w:r><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
  const frame = `<w:tbl><w:tr><w:tc>${p("Note:")}${p("Keep dry.")}</w:tc></w:tr></w:tbl>`;
  const { blocks } = await parse(word(`${formula}${mono("if (a) {")}${mono("  b();")}${p("Text")}${frame}`));
  assert.deepEqual(shape(blocks), [
    ["paragraph", "Area $A= \\pi r^{2}$"],
    ["code", "if (a) {\n  b();"],
    ["paragraph", "Text"],
    ["paragraph", "Note:"],
    ["paragraph", "Keep dry."],
  ]);
});

test("entities are never expanded: neither a bomb of them nor one that points at a file", async () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
  const { blocks } = await parse(word(`${p("Good text")}${p("&c;")}${p("&f;")}`, {}, bomb));
  const text = blocks.map((block) => block.text).join("\n");
  assert.match(text, /Good text/);
  assert.doesNotMatch(text, /aaaa|root:/);
});

test("macros, embedded files and nested archives are named and not opened", async () => {
  const { warnings } = await parse(
    word(p("Text"), {
      "word/vbaProject.bin": "x",
      "word/embeddings/oleObject1.bin": "x",
      "word/media/inner.zip": "x",
    }),
  );
  assert.match(
    warnings.join("; "),
    /macros; they were ignored.*1 embedded object was not opened.*1 nested archive was not opened/,
  );
});

test("a raised number is the mark of a note behind a word, an exponent behind a unit or a number", async () => {
  const up = (text: string) =>
    `<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>${text}</w:t></w:r>`;
  const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const { blocks } = await parse(
    word(
      `<w:p>${run("The pressure")}${up("1")}${run(" must hold 40 m")}${up("2")}${run(" and 10")}${up("11")}${run(" at 5 s")}${up("-1")}${run(".")}${up("2")}${run(" A fee of 85")}<w:r><w:rPr><w:rStyle w:val="Mark"/></w:rPr><w:t>3</w:t></w:r></w:p>`,
      {
        "word/_rels/document.xml.rels": rels.replace(
          'officeDocument" Target="word/document.xml',
          'styles" Target="styles.xml',
        ),
        "word/styles.xml": `<w:styles ${spaces}><w:style w:type="character" w:styleId="Mark"><w:name w:val="Mark"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>`,
      },
    ),
  );
  assert.deepEqual(shape(blocks), [
    ["paragraph", "The pressure[1] must hold 40 m² and 10¹¹ at 5 s⁻¹.[2] A fee of 85[3]"],
  ]);
});

/** The relations of the story, by id. */
const related = (...list: readonly (readonly [id: string, type: string, target: string])[]) => ({
  "word/_rels/document.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.map(([id, type, target]) => `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`).join("")}</Relationships>`,
});

test("text inside elements that the library does not know is read: fields, directions, readings, breaks", async () => {
  const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const field = (inner: string) => `<w:fldSimple w:instr=" REF x ">${inner}</w:fldSimple>`;
  const dropDown = (chosen: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList>${chosen}<w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMDROPDOWN</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const { blocks } = await parse(
    word(
      `<w:p>${run("Figure ")}${field(run("7"))}${run(", for ")}${field(field(run("Aldous")))}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>
      <w:p><w:bdo w:val="rtl">${run("shalom")}</w:bdo><w:dir w:val="ltr">${run(" there")}</w:dir><w:r><w:cr/><w:t>below</w:t><w:ptab w:alignment="right"/><w:t>9</w:t></w:r></w:p>
      <w:p><w:r><w:ruby><w:rubyPr/><w:rt>${run("kan")}</w:rt><w:rubyBase>${run("漢")}</w:rubyBase></w:ruby></w:r>${run(" ")}${dropDown("")}${run(" or ")}${dropDown('<w:result w:val="1"/>')}</w:p>
      <w:p><w:moveFrom>${run("gone")}</w:moveFrom><w:moveTo>${run("kept")}</w:moveTo></w:p>`,
      {
        ...related(["n", "footnotes", "footnotes.xml"]),
        "word/footnotes.xml": `<w:footnotes ${spaces}><w:footnote w:id="2"><w:p>${run("See page ")}${field(run("12"))}</w:p></w:footnote></w:footnotes>`,
      },
    ),
  );
  assert.deepEqual(shape(blocks), [
    ["paragraph", "Figure 7, for Aldous[1]"],
    ["footnote", "[1] See page 12"],
    ["paragraph", "shalom there\nbelow 9"],
    ["paragraph", "漢(kan) Red or Blue"],
    ["paragraph", "kept"],
  ]);
});

test("a diagram is read in the order of its connections, an inserted document where it stands", async () => {
  const point = (id: string, text: string) =>
    `<dgm:pt modelId="${id}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const link = (from: string, to: string, place: number, more = "") =>
    `<dgm:cxn srcId="${from}" destId="${to}" srcOrd="${place}" ${more}/>`;
  const data = `<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst><dgm:pt modelId="0" type="doc"/>${point("3", "Store")}${point("4", "at -18")}${point("1", "Receive")}${point("5", "alone")}${point("6", "then")}</dgm:ptLst><dgm:cxnLst>${link("0", "3", 1)}${link("0", "1", 0, 'sibTransId="6"')}${link("3", "4", 0)}${link("3", "1", 0, 'type="presOf"')}${link("4", "3", 0)}</dgm:cxnLst></dgm:dataModel>`;
  const bytes = word(
    `${p("Before")}<w:p><w:r><w:drawing><wp:inline xmlns:wp="wp"><a:graphic xmlns:a="a"><dgm:relIds xmlns:dgm="d" xmlns:r="r" r:dm="dm"/></a:graphic></wp:inline></w:drawing></w:r></w:p><w:altChunk xmlns:r="r" r:id="web"/><w:altChunk xmlns:r="r" r:id="own"/><w:altChunk xmlns:r="r" r:id="odd"/>${p("After")}`,
    {
      ...related(
        ["dm", "diagramData", "diagrams/data1.xml"],
        ["web", "aFChunk", "chunk1.html"],
        ["own", "aFChunk", "/word/chunk2.docx"],
        ["odd", "aFChunk", "chunk3.xyz"],
      ),
      "word/diagrams/data1.xml": data,
      "word/chunk1.html": "<html><body><h2>Inserted</h2><p>As a page</p></body></html>",
      "word/chunk2.docx": word(p("As Word")),
      "word/chunk3.xyz": "?",
    },
  );
  const { blocks, warnings } = await (await loadParser("docx")).parse(bytes, { name: "guide.docx" });
  assert.deepEqual(shape(blocks), [
    ["paragraph", "Before"],
    ["list", "- Receive\n- then\n- Store\n  - at -18\n- alone"],
    ["heading", "Inserted"],
    ["paragraph", "As a page"],
    ["paragraph", "As Word"],
    ["paragraph", "After"],
  ]);
  assert.deepEqual(warnings, ["cannot read the inserted document word/chunk3.xyz: unsupported format"]);
});

test("a legal label writes the numbers of all levels in digits", async () => {
  const level = (index: number, format: string, text: string, more = "") =>
    `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
  const item = (depth: number, text: string) =>
    p(text).replace(
      "<w:p>",
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="${depth}"/><w:numId w:val="1"/></w:numPr></w:pPr>`,
    );
  const { blocks } = await parse(
    word(item(0, "Terms") + item(1, "One") + item(2, "Two"), {
      ...related(["n", "numbering", "numbering.xml"]),
      "word/numbering.xml": `<w:numbering ${spaces}><w:abstractNum w:abstractNumId="3">${level(0, "upperRoman", "Article %1")}${level(1, "decimalZero", "Section %1.%2", "<w:isLgl/>")}${level(2, "lowerLetter", "%1(%3)", '<w:isLgl w:val="0"/>')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="3"/></w:num></w:numbering>`,
    }),
  );
  assert.equal(blocks[0]?.text, "Article I Terms\n  Section 1.01 One\n    I(a) Two");
});

test("a paragraph of a ticked box alone is text, not code", async () => {
  const box =
    '<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="1"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt>';
  const { blocks } = await parse(word(`<w:p>${box}</w:p><w:p>${box}<w:r><w:t>order</w:t></w:r></w:p>`));
  assert.deepEqual(shape(blocks), [
    ["paragraph", "[x]"],
    ["paragraph", "[x] order"],
  ]);
});

const run = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const styled = (id: string, type: string, properties: string, more = "") =>
  `<w:style w:type="${type}" w:styleId="${id}"${more}><w:name w:val="${id}"/>${properties}</w:style>`;
const withStyles = (...styles: readonly string[]): Record<string, string> => ({
  ...related(["r1", "styles", "styles.xml"]),
  "word/styles.xml": `<w:styles ${spaces}>${styles.join("")}</w:styles>`,
});

test("text struck out or hidden, by itself or by its style, is left out and counted", async () => {
  const body = [
    `<w:p>${run("Rate: ")}${run("62", "<w:strike/>")}${run(" euros", "<w:strike/>")}${run(" 71 euros")}</w:p>`,
    `<w:p>${run("Fee: ")}${run("90", "<w:dstrike/>")}${run(" 110", '<w:strike w:val="0"/>')}</w:p>`,
    `<w:p>${run("Price 18,400.")}${run(" Lowest 15,900.", "<w:vanish/>")}</w:p>`,
    `<w:p>${run("Seen. ")}${run("Secret.", '<w:rStyle w:val="Quiet"/>')}</w:p>`,
    `<w:p><w:pPr><w:pStyle w:val="Old"/></w:pPr>${run("Obsolete rule.")}${run(" Kept.", '<w:strike w:val="false"/>')}</w:p>`,
    `<w:tbl><w:tr><w:tc>${p("Item")}</w:tc><w:tc>${p("Price")}</w:tc></w:tr><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>${p("Cost")}</w:tc><w:tc>${p("5")}</w:tc></w:tr><w:tr><w:tc>${p("Pump")}</w:tc><w:tc>${p("9")}</w:tc></w:tr></w:tbl>`,
  ].join("");
  const styles = withStyles(
    styled("Quiet", "character", "", "").replace("</w:style>", '<w:basedOn w:val="Veiled"/></w:style>'),
    styled("Veiled", "character", "<w:rPr><w:vanish/></w:rPr>"),
    styled("Old", "paragraph", "<w:rPr><w:strike/></w:rPr>"),
  );
  const { blocks, warnings } = await parse(word(body, styles));
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ["Rate: 71 euros", "Fee: 110", "Price 18,400.", "Seen.", "Kept.", "Item | Price\nPump | 9"],
  );
  assert.deepEqual(warnings, ["3 struck-out passages were left out", "3 hidden passages were left out"]);
});

test("a struck item of a list keeps its number, and a hidden end of a paragraph hides nothing", async () => {
  const numbering = `<w:numbering ${spaces}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
  const item = (content: string) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:vanish/><w:specVanish/></w:rPr></w:pPr>${content}</w:p>`;
  const body = item(run("Open")) + item(run("Shout", "<w:strike/>")) + item(run("Close"));
  const { blocks } = await parse(
    word(body, {
      ...related(["r1", "numbering", "numbering.xml"]),
      "word/numbering.xml": numbering,
    }),
  );
  assert.deepEqual(shape(blocks), [["list", "1. Open\n3. Close"]]);
});

test("boxes of symbol fonts are read as form controls are, and other symbols as what they show", async () => {
  const symbol = (font: string, code: string) => `<w:r><w:sym w:font="${font}" w:char="${code}"/></w:r>`;
  const inFont = (text: string) => run(text, '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>');
  const body = [
    `<w:p>${symbol("Wingdings", "F0A8")}${run("yes")}${symbol("Wingdings", "F0FE")}${run("no")}</w:p>`,
    `<w:p>${run("Sealed: ")}${symbol("Wingdings 2", "F052")}${run(" yes ")}${symbol("Wingdings 2", "F0A3")}${run(" no")}</w:p>`,
    `<w:p>${inFont("\uf06f")}${run(" open ")}${inFont("x")}${run(" shut")}</w:p>`,
    `<w:p>${run("21 ")}${symbol("Symbol", "F0B0")}${run("C, 5 ")}${symbol("Symbol", "F06D")}${run("g")}</w:p>`,
    `<w:tbl><w:tr><w:tc>${p("Pump")}</w:tc><w:tc>${p("☑ checked")}</w:tc></w:tr><w:tr><w:tc>${p("Fan")}</w:tc><w:tc>${p("☐")}</w:tc></w:tr></w:tbl>`,
  ].join("");
  const parser = await loadParser("docx");
  const { blocks } = await parser.parse(word(body), { name: "form.docx" });
  assert.deepEqual(blocks.at(-1)?.table?.rows, [
    ["Pump", "[x] checked"],
    ["Fan", "[ ]"],
  ]);
  assert.deepEqual(
    blocks.slice(0, -1).map(({ text }) => text),
    ["[ ] yes [x] no", "Sealed: [x] yes [ ] no", "[ ] open [x] shut", "21 °C, 5 μg"],
  );
});

test("what only page headers and footers say is kept once, without page numbers", async () => {
  const field = (name: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> ${name} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run("7")}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const part = (kind: string, content: string) => `<w:${kind} ${spaces}>${content}</w:${kind}>`;
  const cell = (content: string) => `<w:tc><w:p>${content}</w:p></w:tc>`;
  const sections = (references: string) =>
    `<w:sectPr>${references}<w:pgSz w:w="12240" w:h="15840"/></w:sectPr>`;
  const reference = (kind: string, type: string, id: string) =>
    `<w:${kind}Reference w:type="${type}" r:id="${id}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/>`;
  const files = {
    ...related(
      ["r1", "header", "header1.xml"],
      ["r2", "footer", "footer1.xml"],
      ["r3", "header", "header2.xml"],
      ["r4", "header", "unused.xml"],
    ),
    "word/header1.xml": part(
      "hdr",
      `<w:tbl><w:tr>${cell(run("Instruction WI-4471"))}${cell(run("Revision C"))}${cell(`${run("Page ")}${field("PAGE")}${run(" of ")}<w:fldSimple w:instr="NUMPAGES">${run("9")}</w:fldSimple>`)}</w:tr></w:tbl>${p("Emptying the separator")}`,
    ),
    "word/footer1.xml": part(
      "ftr",
      `<w:p>${run("Plant Safety")}<w:r><w:tab/></w:r>${run("Page ")}${field("PAGE")}</w:p>`,
    ),
    "word/header2.xml": part("hdr", p("First page alone")),
    "word/unused.xml": part("hdr", p("Never shown")),
  };
  const body = (references: string) =>
    `<w:p><w:pPr>${sections(references)}</w:pPr>${run("Emptying the separator")}</w:p>${p("Close V3.")}${sections(references)}`;
  const references = `${reference("header", "default", "r1")}${reference("footer", "default", "r2")}${reference("header", "first", "r3")}`;
  const { blocks } = await parse(word(body(references), files));
  assert.deepEqual(
    blocks.map(({ text }) => text),
    ["Instruction WI-4471 | Revision C", "Emptying the separator", "Close V3.", "Plant Safety"],
  );
});
