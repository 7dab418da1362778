// What it costs to learn what a page draws: our own reader beside pdf.js's operator list and its text, in
// processor time.
//   node scripts/bench/drawing.ts FILE.pdf…          the first 40 pages of each file; see docs/decisions/0005-pdf-drawing-reader.md
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { readDrawing } from "../../src/drivers/parsers/pdf/file/content.ts";
import { openObjects } from "../../src/drivers/parsers/pdf/file/objects.ts";
import { readContent } from "../../src/drivers/parsers/pdf/file/streams.ts";
import { openPdf } from "../../src/drivers/parsers/pdf/open.ts";
import { report } from "./support.ts";

const mostPages = 40;

/** Processor time of `act`, milliseconds. */
async function timed<T>(act: () => T | Promise<T>): Promise<{ value: T; ms: number }> {
  const start = process.cpuUsage();
  const value = await act();
  const { user, system } = process.cpuUsage(start);
  return { value, ms: (user + system) / 1000 };
}

const total = { pages: 0, text: 0, own: 0, operators: 0 };
for (const path of process.argv.slice(2)) {
  const bytes = new Uint8Array(await readFile(path));
  const { document, close } = await openPdf(bytes, basename(path));
  const { value: objects, ms } = await timed(() => openObjects(bytes));
  total.own += ms;
  for (let number = 1; number <= Math.min(document.numPages, mostPages); number++) {
    const page = await document.getPage(number);
    const { transform } = page.getViewport({ scale: 1 });
    const text = await timed(() =>
      page.getTextContent({ includeMarkedContent: false, disableNormalization: true }),
    );
    const own = await timed(() => {
      const content =
        objects === undefined || page.ref === null ? undefined : readContent(objects, page.ref.num);
      if (objects !== undefined && typeof content === "object") readDrawing(objects, content, transform);
    });
    // Not among what the parser asks of a page, so not declared there.
    const { getOperatorList } = page as unknown as { getOperatorList(): Promise<unknown> };
    const operators = await timed(() => getOperatorList.call(page));
    total.pages++;
    total.text += text.ms;
    total.own += own.ms;
    total.operators += operators.ms;
    page.cleanup();
  }
  await close();
}
report(
  ["read by", "ms", "beside the text"],
  [
    ["getTextContent", Math.round(total.text), 1],
    ["our reader", Math.round(total.own), total.own / total.text],
    ["getOperatorList", Math.round(total.operators), total.operators / total.text],
  ],
  total,
);
