import assert from "node:assert/strict";
import { test } from "node:test";
import { parsePdf } from "../pdf-make.ts";

/** A PDF of one page; objects 1 to 4 are the catalog, the pages, the page and a font. */
function layered(properties: string, layers: string, content: string, others: readonly string[]): Uint8Array {
  const stream = (entries: string, text: string) =>
    `<< ${entries} /Length ${text.length} >>\nstream\n${text}\nendstream`;
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R 7 0 R] /D << ${layers} >> >> >>`,
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /A 4 0 R >> /Properties << ${properties} >> /XObject << /F 8 0 R >> >> >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    stream("", content),
    "<< /Type /OCG /Name (Old) /Usage << /View << /ViewState /OFF >> >> >>",
    "<< /Type /OCG /Name (New) >>",
    ...others.map((each) =>
      each.startsWith("BT")
        ? stream(
            "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /OC 6 0 R /Resources << /Font << /A 4 0 R >> >>",
            each,
          )
        : each,
    ),
  ];
  let body = "%PDF-1.7\n";
  const places = objects.map((object, at) => {
    const place = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  const size = body.length;
  return Buffer.from(
    `${body}${table}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${size}\n%%EOF`,
    "latin1",
  );
}
const line = (text: string, y: number) => `BT /A 11 Tf 72 ${y} Td (${text}) Tj ET`;
const textOf = async (bytes: Uint8Array) => {
  const { blocks, warnings } = await parsePdf(bytes);
  return { text: blocks.map(({ text }) => text).join(" "), warnings };
};
const names = "/Old 6 0 R /New 7 0 R";

test("text of a layer that is off is not read, even where a layer that is on has text in the same place", async () => {
  const content = [
    line("Mooring fee a night:", 720),
    `/OC /Old BDC ${line("24 euros", 700)} EMC`,
    `/OC /New BDC ${line("29 euros", 700)} EMC`,
    `/OC /Old BDC /Span << /MCID 0 >> BDC ${line("Draft of 2019", 660)} EMC EMC`,
    line("By the meter.", 640),
  ].join("\n");
  for (const layers of [
    "/ON [7 0 R] /OFF [6 0 R]",
    "/BaseState /OFF /ON [7 0 R]",
    "/AS [<< /Event /View /Category [/View] /OCGs [6 0 R 7 0 R] >>]",
  ])
    assert.deepEqual(await textOf(layered(names, layers, content, [])), {
      text: "Mooring fee a night: 29 euros By the meter.",
      warnings: ["text of layers that are off was skipped on pages: 1"],
    });
  const shown = await textOf(layered(names, "/ON [6 0 R 7 0 R]", content, []));
  assert.match(shown.text, /Draft of 2019/);
});

test("a rule over several layers, and the layer of a form, decide what is read", async () => {
  const content = [
    `/OC /Either BDC ${line("Either.", 720)} EMC`,
    `/OC /All BDC ${line("All.", 700)} EMC`,
    `/OC /Not BDC ${line("Not old.", 680)} EMC`,
    "/F Do",
    line("End.", 640),
  ].join("\n");
  const rule = (entries: string) => `<< /Type /OCMD ${entries} >>`;
  const properties = `/Either ${rule("/OCGs [6 0 R 7 0 R]")} /All ${rule("/OCGs [6 0 R 7 0 R] /P /AllOn")} /Not ${rule("/VE [/Not 6 0 R]")}`;
  const { text } = await textOf(layered(properties, "/OFF [6 0 R]", content, [line("In a form.", 660)]));
  assert.equal(text, "Either. Not old. End.");
});
