// Pages a second of the PDF parser, beside raw pdf.js (text layer) and the `tesseract` command (OCR), and
// memory by length.
//   node scripts/bench/pages.ts FILE.pdf…            text layer: ours with OCR off ÷ getTextContent of the same pages
//   node scripts/bench/pages.ts --ocr FILE.pdf…      OCR of the first pages, ours and the tesseract command where it is installed
//   node scripts/bench/pages.ts --memory             peak memory of a generated PDF of 20 and of 2 000 pages
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PDFDocument, StandardFonts } from "pdf-lib";
import { openOcrEngine } from "../../src/drivers/parsers/ocr/engine.ts";
import { encodePgm } from "../../src/drivers/parsers/ocr/tesseract.ts";
import { openPdf } from "../../src/drivers/parsers/pdf/open.ts";
import pdfParser from "../../src/drivers/parsers/pdf/pdf.ts";
import { renderPage } from "../../src/drivers/parsers/pdf/render.ts";
import { median, report } from "./support.ts";

/** As Node has it: the parser puts a faster one in its place, which raw pdf.js shall not gain by. */
const inPieces = globalThis.DecompressionStream;
const rounds = 3;
const ocrPages = 8;
/** Keeps garbage from piling up to what the machine has: what is measured is what is needed. */
const heap = ["--max-old-space-size=128", "--max-semi-space-size=4"];

/** Processor time of `act`, milliseconds: other programs on the machine do not change it. */
async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** pdf.js as it comes, reading the text of every page and doing nothing with it. */
async function raw(bytes: Uint8Array): Promise<number> {
  globalThis.DecompressionStream = inPieces;
  const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");
  const folder = (part: string) =>
    fileURLToPath(new URL(`../../${part}/`, import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs")));
  const task = pdfjs.getDocument({
    ...{ data: new Uint8Array(bytes), verbosity: 0 },
    ...{ cMapUrl: folder("cmaps"), cMapPacked: true, standardFontDataUrl: folder("standard_fonts") },
  });
  const document = await task.promise;
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    await page.getTextContent();
    page.cleanup();
  }
  const pages = document.numPages;
  await task.destroy();
  return pages;
}

async function text(files: readonly string[]): Promise<void> {
  const rows: (string | number)[][] = [];
  const all = { pages: 0, rawMs: 0, oursMs: 0 };
  for (const file of files) {
    const bytes = new Uint8Array(await readFile(file));
    const pages = await raw(bytes);
    const [rawMs, oursMs]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      rawMs.push(await timed(() => raw(bytes)));
      oursMs.push(await timed(() => pdfParser().parse(bytes, { name: basename(file) })));
    }
    rows.push([
      basename(file),
      pages,
      (1000 * pages) / median(rawMs),
      (1000 * pages) / median(oursMs),
      median(rawMs) / median(oursMs),
    ]);
    all.pages += pages;
    all.rawMs += median(rawMs);
    all.oursMs += median(oursMs);
  }
  rows.push([
    "all",
    all.pages,
    (1000 * all.pages) / all.rawMs,
    (1000 * all.pages) / all.oursMs,
    all.rawMs / all.oursMs,
  ]);
  report(["file", "pages", "raw pages/cpu s", "ours pages/cpu s", "ratio"], rows, {
    bench: "pages",
    rounds,
    ...all,
  });
}

async function ocr(files: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-pages-"));
  const rows: (string | number)[][] = [];
  for (const file of files) {
    const bytes = new Uint8Array(await readFile(file));
    const { document, close } = await openPdf(bytes, file);
    const count = Math.min(ocrPages, document.numPages);
    const images: string[] = [];
    await using engine = openOcrEngine({
      languages: ["eng"],
      folder: "",
      pageTimeoutMs: 120_000,
      workers: 1,
    });
    let oursMs = 0;
    let renderMs = 0;
    for (let number = 1; number <= count; number++) {
      const page = await document.getPage(number);
      const start = performance.now();
      const rendered = await renderPage(page, undefined, page.rotate);
      renderMs += performance.now() - start;
      if (rendered === undefined) continue;
      const began = performance.now();
      await engine.recognize(rendered.image);
      oursMs += performance.now() - began;
      images.push(join(folder, `${number}.pgm`));
      await writeFile(images.at(-1) ?? "", encodePgm(rendered.image));
    }
    await close();
    const start = performance.now();
    const command = images.map((image) =>
      spawnSync("tesseract", [image, image], {
        stdio: "ignore",
        env: { ...process.env, OMP_THREAD_LIMIT: "1" },
      }),
    );
    const commandMs = command.every(({ status }) => status === 0) ? performance.now() - start : Number.NaN;
    rows.push([
      basename(file),
      count,
      (1000 * count) / renderMs,
      (1000 * count) / oursMs,
      (1000 * count) / commandMs,
    ]);
  }
  await rm(folder, { recursive: true, force: true });
  report(["file", "pages", "rendered/s", "ours pages/s", "tesseract pages/s"], rows, { bench: "ocr-pages" });
}

async function generate(pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let number = 1; number <= pages; number++) {
    const page = document.addPage([612, 792]);
    page.drawText("Generated report", { x: 72, y: 760, size: 9, font });
    page.drawText(`Chapter ${number}`, { x: 72, y: 730, size: 16, font });
    for (let line = 0; line < 45; line++) {
      const words = `Line ${line} of page ${number} tells of measurement ${(number * 7919 + line * 104_729) % 100_003} and of what followed from it.`;
      page.drawText(words, { x: 72, y: 700 - line * 14, size: 10, font });
    }
    page.drawText(String(number), { x: 300, y: 30, size: 9, font });
  }
  return await document.save();
}

async function memory(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-pages-"));
  const rows = [];
  for (const pages of [20, 2000]) {
    const path = join(folder, `${pages}.pdf`);
    await writeFile(path, await generate(pages));
    const child = spawnSync(process.execPath, [...heap, fileURLToPath(import.meta.url), "--child", path], {
      encoding: "utf8",
    });
    const { rssMb, startMb, ms, blocks } = JSON.parse(child.stdout) as {
      rssMb: number;
      startMb: number;
      ms: number;
      blocks: number;
    }; // our own child's line
    rows.push([pages, blocks, (1000 * pages) / ms, startMb, rssMb]);
  }
  await rm(folder, { recursive: true, force: true });
  report(["pages", "blocks", "pages/s", "MiB before", "peak MiB"], rows, { bench: "pages-memory" });
}

const [mode = "", ...rest] = process.argv.slice(2);
if (mode === "--memory") await memory();
else if (mode === "--ocr") await ocr(rest);
else if (mode === "--child") {
  const bytes = new Uint8Array(await readFile(rest[0] ?? ""));
  await pdfParser().parse(await generate(1), { name: "warm.pdf" });
  const startMb = process.memoryUsage.rss() / 2 ** 20;
  const start = performance.now();
  const { blocks } = await pdfParser().parse(bytes, { name: "generated.pdf" });
  const ms = performance.now() - start;
  process.stdout.write(
    JSON.stringify({ rssMb: process.resourceUsage().maxRSS / 1024, startMb, ms, blocks: blocks.length }),
  );
} else await text([mode, ...rest]);
