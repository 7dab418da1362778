import { createCanvas } from "@napi-rs/canvas";
import { PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from "pdf-lib";
import type { Block, ParsedContent } from "../../../src/core/documents/document.ts";
import type { ParserOptions } from "../../../src/drivers/parsers/options.ts";
import pdfParser from "../../../src/drivers/parsers/pdf/pdf.ts";

/** A page to draw on, its fonts, and a pen whose y runs down from the top of a Letter page. */
export interface Sheet {
  readonly document: PDFDocument;
  readonly page: PDFPage;
  readonly font: PDFFont;
  readonly bold: PDFFont;
  readonly mono: PDFFont;
  write(
    text: string,
    x: number,
    y: number,
    options?: { size?: number; font?: PDFFont; white?: boolean },
  ): void;
  rule(x0: number, y0: number, x1: number, y1: number): void;
}

/** A PDF of Letter pages, each drawn by a function. */
export async function drawn(
  pages: readonly ((sheet: Sheet) => void | Promise<void>)[],
  size: [number, number] = [612, 792],
): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const bold = await document.embedFont(StandardFonts.HelveticaBold);
  const mono = await document.embedFont(StandardFonts.Courier);
  for (const draw of pages) {
    const page = document.addPage(size);
    await draw({
      document,
      page,
      font,
      bold,
      mono,
      write: (text, x, y, { size: points = 10, font: face = font, white = false } = {}) =>
        page.drawText(text, {
          x,
          y: page.getHeight() - y,
          size: points,
          font: face,
          color: white ? rgb(1, 1, 1) : rgb(0, 0, 0),
        }),
      rule: (x0, y0, x1, y1) =>
        page.drawLine({
          start: { x: x0, y: page.getHeight() - y0 },
          end: { x: x1, y: page.getHeight() - y1 },
          thickness: 0.7,
        }),
    });
  }
  return await document.save();
}

/** A picture of typed lines, as a scanner would make it: PNG, black on white, turned clockwise. */
export function scanned(lines: readonly string[], turned: 0 | 90 | 180 | 270 = 0): Uint8Array {
  const [width, height] = [1240, 1000];
  const flat = createCanvas(width, height);
  const pen = flat.getContext("2d");
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, width, height);
  pen.fillStyle = "#000000";
  pen.font = "34px sans-serif";
  for (const [index, line] of lines.entries()) pen.fillText(line, 90, 120 + index * 52);
  if (turned === 0) return flat.toBuffer("image/png");
  const upright = turned === 180;
  const canvas = createCanvas(upright ? width : height, upright ? height : width);
  const context = canvas.getContext("2d");
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate((turned * Math.PI) / 180);
  context.drawImage(flat, -width / 2, -height / 2);
  return canvas.toBuffer("image/png");
}

/** A PDF of scanned pages, alike but for their number: a JPEG in colour of so many pixels each. */
export async function scannedPdf(
  lines: readonly string[],
  [width, height]: readonly [number, number],
  count: number,
): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (let number = 1; number <= count; number++) {
    const canvas = createCanvas(width, height);
    const pen = canvas.getContext("2d");
    pen.fillStyle = "#fdfaf2";
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = "#202020";
    pen.font = `${Math.round(width / 45)}px sans-serif`;
    for (const [index, line] of lines.entries())
      pen.fillText(`${line} ${number}`, width * 0.1, height * 0.1 + index * width * 0.035);
    const page = document.addPage([595, 842]);
    const picture = await document.embedJpg(canvas.toBuffer("image/jpeg"));
    page.drawImage(picture, { x: 0, y: 0, width: 595, height: 842 });
  }
  return await document.save();
}

/** The pages of both PDFs in one. */
export async function appended(one: Uint8Array, two: Uint8Array): Promise<Uint8Array> {
  const [document, other] = await Promise.all([PDFDocument.load(one), PDFDocument.load(two)]);
  for (const page of await document.copyPages(other, other.getPageIndices())) document.addPage(page);
  return await document.save();
}

/** Draws the picture over the whole page. */
export async function fillPage({ document, page }: Sheet, png: Uint8Array): Promise<void> {
  page.drawImage(await document.embedPng(png), {
    x: 0,
    y: 0,
    width: page.getWidth(),
    height: page.getHeight(),
  });
}

export async function parsePdf(bytes: Uint8Array, options: ParserOptions = {}): Promise<ParsedContent> {
  return await pdfParser(options).parse(bytes, { name: "sample.pdf" });
}

export function textsOf(blocks: readonly Block[], kind: Block["kind"]): string[] {
  return blocks.filter((block) => block.kind === kind).map((block) => block.text);
}

export const prose = (count: number, about: string): string[] =>
  Array.from(
    { length: count },
    (_, index) => `Sentence ${index} about ${about} runs on to the right margin of the page here.`,
  );
