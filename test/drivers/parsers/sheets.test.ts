import assert from "node:assert/strict";
import { test } from "node:test";
import * as xlsx from "xlsx";
import { sheetLimits } from "../../../src/drivers/parsers/office/sheets/blocks.ts";
import csvParser from "../../../src/drivers/parsers/office/sheets/csv.ts";
import xlsxParser from "../../../src/drivers/parsers/office/sheets/xlsx.ts";
import { processorMs } from "../../helpers/processor-time.ts";
import { zip } from "./make.ts";

type Sheets = Readonly<Record<string, xlsx.WorkSheet>>;
function book(
  sheets: Sheets,
  type: xlsx.BookType = "xlsx",
  change: (made: xlsx.WorkBook) => void = () => {},
): Uint8Array {
  const made = xlsx.utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) xlsx.utils.book_append_sheet(made, sheet, name);
  change(made);
  return new Uint8Array(xlsx.write(made, { type: "buffer", bookType: type, bookSST: true }));
}
/** The workbook with parts changed, or made where there is no such part. */
function changed(bytes: Uint8Array, changes: Readonly<Record<string, (xml: string) => string>>): Uint8Array {
  const parts: Record<string, string> = {};
  const made = xlsx.CFB.read(bytes, { type: "array" });
  made.FullPaths.forEach((path: string, at: number) => {
    const content = made.FileIndex[at]?.content;
    if (!path.endsWith("/") && content !== undefined)
      parts[path.replace("Root Entry/", "")] = Buffer.from(content).toString();
  });
  for (const [part, change] of Object.entries(changes)) parts[part] = change(parts[part] ?? "");
  return zip(parts);
}
const parse = (bytes: Uint8Array, name = "book.xlsx") => xlsxParser().parse(bytes, { name });
const csv = (text: string | Uint8Array, name = "data.csv") =>
  csvParser().parse(typeof text === "string" ? new TextEncoder().encode(text) : text, { name });

test("formulas without a saved value are named, with what to do", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Item", "Cost"],
    ["Seal", 3],
    ["Ring", 4],
    ["Total", null],
    ["Note", null],
  ]);
  const saved = xlsx.utils.aoa_to_sheet([["Sum"], [null]]);
  saved["A2"] = { t: "n", v: 7, f: "Costs!B4" };
  const without = changed(book({ Costs: sheet, Saved: saved }), {
    "xl/worksheets/sheet1.xml": (xml) =>
      xml.replace(
        "</sheetData>",
        '<row r="6"><c r="A6" t="str"><f>""</f><v></v></c><c r="B6"><f>SUM(B2:B3)</f><v></v></c><c r="C6"><f>IF(B2&lt;4,B3,0)</f></c><c r="D6"><f>B2*2</f><v>6</v></c></row></sheetData>',
      ),
  });
  const { warnings, blocks } = await parse(without);
  assert.deepEqual(warnings, [
    "sheet 'Costs': 2 formulas have no saved value and were read as empty: B6 (=SUM(B2:B3)), C6 (=IF(B2<4,B3,0)); open the file in a spreadsheet program, save it and ingest it again",
  ]);
  assert.doesNotMatch(JSON.stringify(blocks), /SUM/);
});

const ods = (rows: string, styles = ""): Uint8Array => {
  const spaces = ["office", "text", "table", "style"]
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(" ");
  return zip({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "META-INF/manifest.xml": "<manifest:manifest/>",
    "styles.xml": `<office:document-styles ${spaces}/>`,
    "content.xml": `<?xml version="1.0"?><office:document-content ${spaces}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet><table:table table:name="Shifts">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
  });
};
const odsCell = (text: string, attributes = "") =>
  `<table:table-cell office:value-type="string"${attributes}><text:p>${text}</text:p></table:table-cell>`;

test("rows and columns that a sheet hides or filters are read and named", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Part", "Cost", "Price"],
    ["Seal", 3, 9],
    ["Ring", 4, 8],
  ]);
  sheet["!cols"] = [{}, { hidden: true }];
  sheet["!rows"] = [{}, {}, { hidden: true }, { hidden: true }];
  const { warnings, blocks } = await parse(book({ Parts: sheet }));
  assert.deepEqual(warnings, [
    "sheet 'Parts': hidden rows were also read: 3",
    "sheet 'Parts': hidden columns were also read: B",
  ]);
  assert.match(blocks.at(-1)?.text ?? "", /Ring/);
  const row = (attributes: string, ...cells: readonly string[]) =>
    `<table:table-row${attributes}>${cells.map((cell) => odsCell(cell)).join("")}</table:table-row>`;
  const hidden = await parse(
    ods(
      `<table:table-column/><table:table-column table:visibility="collapse"/>${row("", "Day", "Guard")}${row(' table:number-rows-repeated="3"', "Mon", "Ruiz")}${row(' table:visibility="filter"', "Wed", "Lee")}${row(' table:visibility="collapse" table:number-rows-repeated="2"', "Thu", "Ono")}<table:table-row table:visibility="collapse" table:number-rows-repeated="1048568"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`,
    ),
    "shifts.ods",
  );
  assert.deepEqual(hidden.warnings, [
    "sheet 'Shifts': hidden rows were also read: 5–7",
    "sheet 'Shifts': hidden columns were also read: B",
  ]);
  assert.match(hidden.blocks.at(-1)?.text ?? "", /Wed \| Lee/);
});

test("cells and parts of cells that are struck out are left out and counted", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Job", "Rate"],
    ["Welder", 71],
    ["Old", 62],
  ]);
  const styles = (xml: string) =>
    xml
      .replace(/<fonts[^>]*>/, '<fonts count="2">')
      .replace("</fonts>", '<font><strike/><sz val="11"/></font></fonts>')
      .replace("</cellXfs>", '<xf numFmtId="0" fontId="1"/></cellXfs>');
  const count = (xml: string): number => /<cellXfs count="(\d+)"/.exec(xml)?.[1] as unknown as number;
  let struck = "";
  const bytes = changed(book({ Rates: sheet }), {
    "xl/styles.xml": (xml) => {
      struck = String(count(xml));
      return styles(xml);
    },
    "xl/worksheets/sheet1.xml": (xml) =>
      xml.replace('<c r="A3"', `<c r="A3" s="${struck}"`).replace('<c r="B3"', `<c r="B3" s="${struck}"`),
    "xl/sharedStrings.xml": (xml) =>
      xml.replace("<t>Welder</t>", "<r><t>Welder</t></r><r><rPr><strike/></rPr><t> (62)</t></r>"),
  });
  const { blocks, warnings } = await parse(bytes);
  assert.deepEqual(blocks.at(-1)?.table?.rows, [
    ["Job", "Rate"],
    ["Welder", "71"],
  ]);
  assert.deepEqual(warnings, ["3 struck-out passages were left out"]);
  const lines =
    '<style:style style:name="ce1" style:family="table-cell"><style:text-properties style:text-line-through-style="solid"/></style:style><style:style style:name="T1" style:family="text"><style:text-properties style:text-line-through-type="single"/></style:style>';
  const opened = await parse(
    ods(
      `<table:table-row>${odsCell("Job")}${odsCell("Rate")}</table:table-row><table:table-row>${odsCell('Welder<text:span text:style-name="T1"> (62)</text:span>')}<table:table-cell office:value-type="float" office:value="71"><text:p>71</text:p></table:table-cell></table:table-row><table:table-row>${odsCell("Old")}<table:table-cell table:style-name="ce1" office:value-type="float" office:value="62"><text:p>62</text:p></table:table-cell></table:table-row>`,
      lines,
    ),
    "rates.ods",
  );
  assert.deepEqual(opened.blocks.at(-1)?.table?.rows, [
    ["Job", "Rate"],
    ["Welder", "71"],
    ["Old", ""],
  ]);
  assert.deepEqual(opened.warnings, ["2 struck-out passages were left out"]);
});

test("several tables on a sheet come apart, each with its header and its range", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Pump", "Bar", null, null, "Valve", "Turns"],
    ["P-1", 10, null, null, "V-1", 3],
    ["P-2", 20, null, null, "V-2", 4],
    [],
    [],
    ["Site", "Crew"],
    ["North", 7],
    ["South", 9],
  ]);
  for (const type of ["xlsx", "biff8", "ods"] as const) {
    const { blocks } = await parse(book({ Plant: sheet }, type), `plant.${type}`);
    assert.deepEqual(
      blocks.map(({ kind, table }) => [kind, table?.range, table?.headerRows, table?.rows[0]?.join()]),
      [
        ["heading", undefined, undefined, undefined],
        ["table", "A1:B3", 1, "Pump,Bar"],
        ["table", "E1:F3", 1, "Valve,Turns"],
        ["table", "A6:B8", 1, "Site,Crew"],
      ],
      type,
    );
  }
});

test("a table knows which rows and columns of the sheet its cells come from", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Stock of the plant"],
    [],
    ["Part", null, "Count"],
    ["Seal", null, 3],
    [],
    ["Ring", null, 4],
  ]);
  const { blocks } = await parse(book({ Stock: sheet }));
  const table = blocks.find(({ table }) => table !== undefined)?.table;
  assert.deepEqual(table?.rows, [
    ["Part", "Count"],
    ["Seal", "3"],
    ["Ring", "4"],
  ]);
  assert.deepEqual([table?.range, table?.rowNumbers, table?.columnNumbers], ["A3:C6", [4, 6], [0, 2]]);
});

test("each row of a sheet is in one table, though one beside it reaches down to another", async () => {
  const { blocks } = await parse(
    book({
      Plant: xlsx.utils.aoa_to_sheet([
        ["Part", "Count", null, null, "Notes"],
        ["Seal", 3, null, null, "counted in March"],
        ["Ring", 4, null, null, "by the night shift"],
        [null, null, null, null, "twice"],
        ["Site", "Crew", null, null, "without spares"],
        ["North", 7, null, null, "on loan"],
        ["South", 9, null, null, "in the hall"],
      ]),
      Form: xlsx.utils.aoa_to_sheet([
        ["Name", null, "Pump hall"],
        ["Site", null, "North"],
        [null, null, "Gate 2"],
        ["Crew", null, "7"],
        ["Shift", null, "late"],
      ]),
    }),
  );
  assert.deepEqual(
    blocks.flatMap(({ table }) => (table === undefined ? [] : [table.range])),
    ["A1:B3", "E1:E7", "A5:B7", "A1:C5"],
  );
});

test("a title merged over rows and columns heads the tables below it without being a row of them", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Stock of the plant"],
    [],
    ["Part", "Count", null, "Site", "Crew"],
    ["Seal", 3, null, "North", 7],
    ["Ring", 4, null, "South", 9],
  ]);
  sheet["!merges"] = [xlsx.utils.decode_range("A1:H2")];
  const { blocks } = await parse(book({ Stock: sheet }));
  assert.deepEqual(
    blocks.map(({ text, table }) => table?.range ?? text),
    ["Stock", "Stock of the plant", "A3:B5", "D3:E5"],
  );
});

test("a CSV counts lines that are empty and those above its header", async () => {
  const { blocks } = await csv("sep=;\n# counted in March\n\nPart;Count\nSeal;3\n;\n\nRing;4\n");
  const table = blocks.find(({ table }) => table !== undefined)?.table;
  assert.deepEqual([table?.range, table?.rowNumbers], ["A4:B8", [5, 8]]);
});

test("a header of two rows with merged cells is found, and its texts stand over every column", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Region", "2023", null, "2024", null],
    [null, "Plan", "Actual", "Plan", "Actual"],
    ["North", 1, 2, 3, 4],
  ]);
  sheet["!merges"] = ["A1:A2", "B1:C1", "D1:E1"].map((range) => xlsx.utils.decode_range(range));
  const { blocks } = await parse(book({ Sales: sheet }));
  assert.deepEqual(blocks[1]?.table, {
    rows: [
      ["Region", "2023", "2023", "2024", "2024"],
      ["Region", "Plan", "Actual", "Plan", "Actual"],
      ["North", "1", "2", "3", "4"],
    ],
    headerRows: 2,
    sheet: "Sales",
    range: "A1:E3",
    spans: [
      { row: 0, column: 0, rows: 2, columns: 1 },
      { row: 0, column: 1, rows: 1, columns: 2 },
      { row: 0, column: 3, rows: 1, columns: 2 },
    ],
  });
});

test("dates, shares and formulas are read as shown; a hidden sheet is read and named", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([["When", "Share", "Sum"], []]);
  sheet["A2"] = { t: "n", v: 45_292, z: "yyyy-mm-dd" };
  sheet["B2"] = { t: "n", v: 0.125, z: "0.0%" };
  sheet["C2"] = { t: "n", v: 7, f: "3+4" };
  sheet["!ref"] = "A1:C2";
  const other = xlsx.utils.aoa_to_sheet([
    ["k", "v"],
    ["a", 1],
  ]);
  const bytes = book({ Main: sheet, Secret: other }, "xlsx", (made) => {
    made.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  });
  const { blocks, warnings } = await parse(bytes);
  assert.deepEqual(blocks[1]?.table?.rows[1], ["2024-01-01", "12.5%", "7"]);
  assert.deepEqual(warnings, ["sheet 'Secret' is hidden, but was read"]);
  assert.equal(blocks.at(-1)?.table?.sheet, "Secret");
});

test("a form keeps label and value on one row although columns between them are empty", async () => {
  const { blocks } = await parse(
    book({
      Form: xlsx.utils.aoa_to_sheet([
        ["Voltage", null, "kV", "130"],
        ["Frequency", null, "Hz", "50"],
      ]),
    }),
  );
  assert.deepEqual(blocks[1]?.table?.rows, [
    ["Voltage", "kV", "130"],
    ["Frequency", "Hz", "50"],
  ]);
});

test("a sheet that claims a million columns and rows of nothing is read by what is in it", async () => {
  const main = `<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>Bar</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>P-1</t></is></c><c r="B2"><v>10</v></c><c r="XFD2" t="inlineStr"><is><t>far away</t></is></c></row></sheetData></worksheet>`;
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const related = (type: string, target: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/${type}" Target="${target}"/></Relationships>`;
  const media = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const parts = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${media}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${media}.worksheet+xml"/></Types>`,
    "_rels/.rels": related("officeDocument", "xl/workbook.xml"),
    "xl/workbook.xml": `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${office}"><sheets><sheet name="Wide" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": related("worksheet", "worksheets/sheet1.xml"),
  };
  const file = zip({ ...parts, "xl/worksheets/sheet1.xml": main });
  const { blocks, warnings } = await parse(file);
  const tookMs = await processorMs(() => parse(file));
  assert.ok(tookMs < 5000, `${tookMs} ms`);
  assert.deepEqual(blocks[1]?.table?.rows, [
    ["Name", "Bar"],
    ["P-1", "10"],
  ]);
  assert.match(warnings.join(), /1 cells beyond column ALL were skipped/);
});

test("a CSV beyond the limit is read as far as it goes, and the rest is counted", async () => {
  const rows = sheetLimits.maxRows + 500;
  const text = `id,name\n${Array.from({ length: rows }, (_, index) => `${index},n${index}`).join("\n")}\n`;
  const { blocks, warnings } = await csv(text);
  assert.equal(
    blocks.reduce((sum, { table }) => sum + (table?.rows.length ?? 1) - 1, 0),
    sheetLimits.maxRows - 1,
  );
  assert.match(
    warnings.join(),
    new RegExp(`only the first ${sheetLimits.maxRows} rows were read; about 50[01] more were skipped`),
  );
});

test("CSV: quoted fields hold delimiters, quotes and line breaks; ragged rows stay", async () => {
  const { blocks } = await csv('name|note\n"a|b"|"say ""hi""\nthere"\nc|d|extra\n');
  assert.deepEqual(blocks[0]?.table?.rows, [
    ["name", "note", ""],
    ["a|b", 'say "hi" there', ""],
    ["c", "d", "extra"],
  ]);
});

test("CSV in an old charset is read with a warning; a wide one loses columns aloud", async () => {
  const old = await csv(Buffer.from("Stra\xdfe;Ort\nM\xfchlweg;K\xf6ln\nRing;Ulm\n", "latin1"));
  assert.deepEqual(old.blocks[0]?.table?.rows[0], ["Straße", "Ort"]);
  assert.match(old.warnings.join(), /not UTF-8/);
  const wide = await csv(
    `${Array.from({ length: 1500 }, (_, index) => `c${index}`).join(",")}\n${Array.from({ length: 1500 }, () => "1").join(",")}\n`,
  );
  assert.match(wide.warnings.join(), /first 1000 columns were read; 500 more/);
});

test("raised digits of a cell's text do not join the number before them", async () => {
  const run = (text: string, rise = "") =>
    `<r>${rise === "" ? "" : `<rPr><vertAlign val="${rise}"/></rPr>`}<t xml:space="preserve">${text}</t></r>`;
  const rich = `${run("3 &lt; 10")}${run("6", "superscript")}${run(" of CO")}${run("2", "subscript")}`;
  const { blocks } = await parse(
    changed(book({ Fees: xlsx.utils.aoa_to_sheet([["shared", "inline"]]) }), {
      "xl/sharedStrings.xml": (xml) => xml.replace(/<si><t[^<>]*>shared<\/t><\/si>/, `<si>${rich}</si>`),
      "xl/worksheets/sheet1.xml": (xml) =>
        xml.replace(
          /<c r="B1"[\s\S]*?<\/c>/,
          `<c r="B1" t="inlineStr"><is>${run("85")}${run("2", "superscript")}</is></c>`,
        ),
    }),
  );
  assert.equal(blocks[1]?.text, "3 < 10⁶ of CO2 | 85[2]");
});

test("CSV: the mark that divides the rows alike wins, however many decimal commas or titles there are", async () => {
  const rowsOf = async (text: string) => {
    const { blocks } = await csv(text);
    return [
      ...blocks.filter(({ kind }) => kind === "paragraph").map((block) => block.text),
      ...(blocks.find(({ table }) => table !== undefined)?.table?.rows ?? []).map((row) => row.join(" / ")),
    ];
  };
  assert.deepEqual(
    await rowsOf(
      "Readings, March, all sites\nCreated;2026-03-01 08:00\n\nMeter;Date;kWh\nM1;01.02.2026;1.204,7\nM2;01.02.2026;88,0\n",
    ),
    [
      "Readings, March, all sites",
      "Created 2026-03-01 08:00",
      "Meter / Date / kWh",
      "M1 / 01.02.2026 / 1.204,7",
      "M2 / 01.02.2026 / 88,0",
    ],
  );
  assert.deepEqual(await rowsOf("M1;1,5;2,5\nM2;88,0;3,25\nM3;7,1;4,0\n"), [
    "M1 / 1,5 / 2,5",
    "M2 / 88,0 / 3,25",
    "M3 / 7,1 / 4,0",
  ]);
  assert.deepEqual(await rowsOf("1,5;2,5;3,5\n4,5;5,5;6,5\n"), ["1,5 / 2,5 / 3,5", "4,5 / 5,5 / 6,5"]);
  assert.deepEqual(await rowsOf("name,tags,count\nseal,red;blue,3\nring,green;red;blue,4\n"), [
    "name / tags / count",
    "seal / red;blue / 3",
    "ring / green;red;blue / 4",
  ]);
  assert.deepEqual(await rowsOf("Stock of the plant\n\nPart\tPrice\nSeal, large\t1,50\nRing\t2,25\n"), [
    "Stock of the plant",
    "Part / Price",
    "Seal, large / 1,50",
    "Ring / 2,25",
  ]);
  assert.deepEqual(await rowsOf("Report;;\nDate;2026-03-01;\nMeter;Day;kWh\nM1;Monday;12\n"), [
    "Report",
    "Date 2026-03-01",
    "Meter / Day / kWh",
    "M1 / Monday / 12",
  ]);
  assert.deepEqual(await rowsOf(";Jan;Feb\nNorth;12;7\nSouth;3;\n"), [
    " / Jan / Feb",
    "North / 12 / 7",
    "South / 3 / ",
  ]);
});

test("CSV: a quote that nothing closes is read as it stands, and named", async () => {
  const { blocks, warnings } = await csv('id,note\n1,"open here\n2,plain\n3,"closed, here"\n');
  assert.deepEqual(blocks[0]?.table?.rows, [
    ["id", "note"],
    ["1", '"open here'],
    ["2", "plain"],
    ["3", "closed, here"],
  ]);
  assert.match(warnings.join(), /unclosed quotation mark \(line 2\)/);
  const last = await csv('sep=;\nid;note\n1;5" pipe\n2;"two\nlines"\n3;"open\n4;x\n');
  assert.deepEqual(last.blocks[0]?.table?.rows.slice(1), [
    ["1", '5" pipe'],
    ["2", "two lines"],
    ["3", '"open'],
    ["4", "x"],
  ]);
  assert.match(last.warnings.join(), /line 6/);
  assert.deepEqual((await csv('a,b\n"x ""y""",2\n')).warnings, []);
});

test("a date is read in every format of a spreadsheet, also with bare full stops or letters of no format", async () => {
  const serial = 46_086.604_340_277_78;
  const formats = [
    ["dd.mm.yyyy", "05.03.2026"],
    ["DD.MM.YY", "05.03.26"],
    ["d. mmmm yyyy", "5. March 2026"],
    ["dd.mm.yyyy hh:mm;@", "05.03.2026 14:30"],
    ["[$-407]ddd, dd.mm.yyyy", "Thu, 05.03.2026"],
    ["yyyy.mm.dd.", "2026.03.05."],
    ["dd.mm.yyyy hh.mm.ss.000", "05.03.2026 14.30.15.000"],
    ["hh:mm:ss.0000", "14:30:15.000"],
    ["m/d/yy h:mm AM/PM", "3/5/26 2:30 PM"],
    ["yyyy年m月d日", "2026年3月5日"],
    ["ggge.mm.dd aaa", "2026.03.05 Thu"],
    ["yyyy-mm-ddThh:mm:ss", "2026-03-05 14:30:15"],
    ["TT.MM.JJJJ", "2026-03-05 14:30:15"],
    ["jj/mm/aaaa", "2026-03-05 14:30:15"],
    ["[h]:mm", "1106078:30"],
    ["0.00", "46086.60"],
    ['0.0" days"', "46086.6 days"],
  ] as const;
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Format", "Value"],
    ...formats.map(([format]) => [format, serial]),
  ]);
  formats.forEach(([format], index) => {
    Object.assign(sheet[`B${index + 2}`], { z: format });
  });
  for (const type of ["xlsx", "biff8"] as const) {
    const { blocks } = await parse(book({ Dates: sheet }, type), `dates.${type}`);
    assert.deepEqual(
      blocks[1]?.table?.rows.slice(1),
      formats.map((row) => [...row]),
      type,
    );
  }
  const negative = xlsx.utils.aoa_to_sheet([["Day"], [-5]]);
  Object.assign(negative["A2"], { z: "dd.mm.yyyy" });
  assert.match((await parse(book({ Days: negative }))).blocks[1]?.text ?? "", /-5/);
});

test("numbers keep the digits that were written, whatever a narrow cell would show of them", async () => {
  const numbers = [
    [4_006_381_333_931, "4006381333931"],
    [-100_234_567_890, "-100234567890"],
    [356_938_035_643_809, "356938035643809"],
    [12_345_678.9012, "12345678.9012"],
    [0.000_001_234_5, "0.0000012345"],
    [100 / 3, "33.33333333"],
    [0.1 + 0.2, "0.3"],
    [6.022e23, "6.022E+23"],
  ] as const;
  const sheet = xlsx.utils.aoa_to_sheet([["Number"], ...numbers.map(([number]) => [number])]);
  for (const type of ["xlsx", "biff8", "ods"] as const) {
    const { blocks } = await parse(book({ Ids: sheet }, type), `ids.${type}`);
    const rows = blocks[1]?.table?.rows.slice(1).map(([cell]) => cell);
    if (type !== "ods")
      assert.deepEqual(
        rows,
        numbers.map(([, text]) => text),
        type,
      );
    else assert.equal(rows?.[0], "4006381333931");
  }
  const { blocks } = await csv("id\n4006381333931\n356938035643809\n");
  assert.equal(blocks[0]?.text, "id\n4006381333931\n356938035643809");
});

test("text boxes of a sheet are read, under whatever prefix", async () => {
  const relation = (type: string, target: string) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`;
  const box = (prefix: string, ...lines: string[]) =>
    `<${prefix}sp><${prefix}txBody>${lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join("")}</${prefix}txBody></${prefix}sp>`;
  const { blocks } = await parse(
    changed(book({ Plan: xlsx.utils.aoa_to_sheet([["Step", "Days"]]) }), {
      "xl/worksheets/_rels/sheet1.xml.rels": () => relation("drawing", "../drawings/drawing1.xml"),
      "xl/drawings/drawing1.xml": () =>
        `<xdr:wsDr xmlns:xdr="x" xmlns:a="a">${box("xdr:", "Start after 12 May.", "Ask first.")}<xdr:grpSp>${box("xdr:", "Grouped")}</xdr:grpSp>${box("", "Bare")}${box("xdr:", "")}</xdr:wsDr>`,
    }),
  );
  assert.deepEqual(
    blocks.slice(2).map(({ text }) => text),
    ["Start after 12 May.\nAsk first.", "Grouped", "Bare"],
  );
});

test("a title with a line under it, above the table and apart from it, is text and no table", async () => {
  const sheet = xlsx.utils.aoa_to_sheet([
    ["Spare parts store"],
    ["Prices net, last review February"],
    [],
    ["Part", "Stock"],
    ["Seal", 3],
    ["Ring", 4],
  ]);
  const { blocks } = await parse(book({ Parts: sheet }));
  assert.deepEqual(
    blocks.map(({ kind, table }) => table?.range ?? kind),
    ["heading", "paragraph", "paragraph", "A4:B6"],
  );
});
