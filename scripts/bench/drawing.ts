// What it costs to learn what a page draws while pdf.js reads its text, beside the text alone and pdf.js's own
// operator list, in processor time.
//   node scripts/bench/drawing.ts FILE.pdf…          the first 40 pages of each file; see docs/decisions/0005-pdf-drawing-reader.md
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { openPdf, type PdfPage } from "../../src/drivers/parsers/pdf/open.ts";
import { loadWorker } from "../../src/drivers/parsers/pdf/worker.ts";
import { report } from "./support.ts";

const mostPages = 40;
const { patched } = await loadWorker();
const openDrawing = patched?.openDrawing;

/** Milliseconds of processor time that `act` takes on each page of a file, opened anew. */
async function timed(path: string, act: (page: PdfPage) => Promise<unknown>): Promise<number> {
  const { document, close } = await openPdf(new Uint8Array(await readFile(path)), basename(path));
  const start = process.cpuUsage();
  for (let number = 1; number <= Math.min(document.numPages, mostPages); number++) {
    const page = await document.getPage(number);
    await act(page);
    page.cleanup();
    total.pages++;
  }
  const { user, system } = process.cpuUsage(start);
  await close();
  return (user + system) / 1000;
}

const readText = (page: PdfPage) =>
  page.getTextContent({ includeMarkedContent: false, disableNormalization: true });
// Not among what the parser asks of a page, so not declared there.
const listOperators = (page: PdfPage) =>
  (page as unknown as { getOperatorList(): Promise<unknown> }).getOperatorList();

const total = { pages: 0, text: 0, drawing: 0, operators: 0 };
for (const path of process.argv.slice(2)) {
  // The first reading of a file warms what the others would be compared with.
  await timed(path, readText);
  if (patched) delete patched.openDrawing;
  total.text += await timed(path, readText);
  if (patched && openDrawing) patched.openDrawing = openDrawing;
  total.drawing += await timed(path, readText);
  total.operators += await timed(path, listOperators);
}
report(
  ["read by", "ms", "beside the text"],
  [
    ["getTextContent alone", Math.round(total.text), 1],
    ["with what is drawn", Math.round(total.drawing), total.drawing / total.text],
    ["getOperatorList", Math.round(total.operators), total.operators / total.text],
  ],
  { ...total, pages: total.pages / 4 },
);
