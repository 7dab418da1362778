// Measures the reading order of PDFs without labels: of two lines that a file draws one after the other, the second
// right below the first, how often does the parser leave them together?
//   node scripts/eval/reading-order.ts FILE.pdf… [--pages 40] [--worst 10]
// Files are drawn column by column as a rule, so that pairs torn apart show pages read across their columns; rows of a
// table with several lines in a cell count too and need not stay together. Only the first pages of a file are looked at.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { isItem } from "../../src/drivers/parsers/page/pieces.ts";
import { openPdf, type PdfPage } from "../../src/drivers/parsers/pdf/open.ts";
import parsePdf from "../../src/drivers/parsers/pdf/pdf.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { pages: { type: "string", default: "40" }, worst: { type: "string", default: "10" } },
});

/** A line as the file draws it; points, `y` grows upwards. */
interface DrawnLine {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
}

/** Lines of upright text in the order of the file. */
async function drawnLines(page: PdfPage): Promise<readonly DrawnLine[]> {
  const { items } = await page.getTextContent({ includeMarkedContent: false, disableNormalization: true });
  const lines: DrawnLine[] = [];
  let isOpen = false;
  for (const item of items.filter(isItem)) {
    const [a = 0, b = 0, , size = 0, x = 0, y = 0] = item.transform;
    const last = lines.at(-1);
    if (Math.abs(b) > Math.abs(a)) isOpen = false;
    else if (item.str.trim() !== "") {
      const x1 = x + item.width;
      const goesOn =
        isOpen && last !== undefined && Math.abs(last.y - y) < 2 && x > last.x0 && x - last.x1 < 12;
      if (goesOn) lines.splice(-1, 1, { ...last, text: `${last.text} ${item.str}`, x1 });
      else lines.push({ text: item.str, x0: x, x1, y, size: Math.abs(size) });
      isOpen = true;
    }
    if (item.hasEOL) isOpen = false;
  }
  return lines;
}

const squash = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** Whether one line stands right below another of the same type and margin, long enough to be told from others. */
function isBelow(line: DrawnLine, above: DrawnLine): boolean {
  const step = above.y - line.y;
  return (
    step > above.size * 0.6 &&
    step <= above.size * 1.7 &&
    Math.abs(above.size - line.size) <= 0.5 &&
    Math.abs(above.x0 - line.x0) <= 30 &&
    squash(above.text).length >= 20 &&
    squash(line.text).length >= 5
  );
}

/** Pairs of lines of a page whose ends are in its text as read, and those that stand together there. */
function countPairs(
  lines: readonly DrawnLine[],
  read: string,
): { readonly pairs: number; readonly kept: number } {
  let [pairs, kept] = [0, 0];
  for (const [at, line] of lines.entries()) {
    const above = lines[at - 1];
    if (above === undefined || !isBelow(line, above)) continue;
    const [end, start] = [squash(above.text).slice(-15), squash(line.text).slice(0, 15)];
    if (!read.includes(end) || !read.includes(start)) continue;
    pairs += 1;
    kept += Number(read.includes(end + start));
  }
  return { pairs, kept };
}

const pages: { readonly name: string; readonly pairs: number; readonly kept: number }[] = [];
for (const file of positionals) {
  const bytes = new Uint8Array(readFileSync(file));
  const { pageTexts = [] } = await parsePdf().parse(bytes.slice(), { name: basename(file) });
  const { document, close } = await openPdf(bytes, basename(file));
  for (const { page, text } of pageTexts.filter(({ page }) => page <= Number(values.pages)))
    pages.push({
      name: `${basename(file)}, page ${page}`,
      ...countPairs(await drawnLines(await document.getPage(page)), squash(text)),
    });
  await close();
}
const sum = (count: "pairs" | "kept"): number => pages.reduce((all, page) => all + page[count], 0);
for (const { name, pairs, kept } of pages
  .filter(({ pairs, kept }) => kept < pairs)
  .sort((one, two) => two.pairs - two.kept - (one.pairs - one.kept))
  .slice(0, Number(values.worst)))
  process.stdout.write(`${pairs - kept} of ${pairs} pairs torn: ${name}\n`);
process.stdout.write(
  `${JSON.stringify({
    pages: pages.length,
    pairs: sum("pairs"),
    kept: Number((sum("kept") / sum("pairs")).toFixed(4)),
  })}\n`,
);
