import type { WorkBook, WorkSheet } from "xlsx";
import type { Block, ParsedContent, Parser } from "../../core/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { requireText, squeeze, tableBlock, titleFromName, unreadable } from "./blocks.ts";
import { decode } from "./decode.ts";
import { guardZip, isEncryptedOle, isOle } from "./zip.ts";

/** Rows of one table block; a longer sheet becomes several blocks that repeat its header. */
const rowsPerBlock = 500;

const figure = /^[-+($€£¥]*\s*[\d.,\s]*\d[\d.,\s]*\s*[%)]*$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/;

/**
 * Index of the header row: the first of the leading rows whose cells are filled about as far as the sheet is wide, none of them
 * a figure; -1 when the first full row already holds figures.
 */
function headerRow(rows: readonly (readonly string[])[]): number {
  const filled = (row: readonly string[]) => row.filter((cell) => cell !== "").length;
  const widest = rows.slice(0, 50).reduce((most, row) => Math.max(most, filled(row)), 0);
  for (let index = 0; index < Math.min(rows.length - 1, 20); index++) {
    const row = rows[index] ?? [];
    if (filled(row) < Math.max(Math.min(2, widest), widest * 0.6)) continue;
    const figures = row.filter((cell) => figure.test(cell) && !/^(19|20)\d\d$/.test(cell)).length;
    return figures === 0 ? index : -1;
  }
  return -1;
}

function sheetBlocks(rows: readonly (readonly string[])[], sheet: string | undefined): Block[] {
  const blocks: Block[] = [];
  const header = headerRow(rows);
  for (const row of header > 0 ? rows.slice(0, header) : [])
    blocks.push({ kind: "paragraph", text: row.filter((cell) => cell !== "").join(" "), pages: [] });
  const heads = header < 0 ? [] : [rows[header] ?? []];
  const body = rows.slice(header + 1);
  for (let start = 0; start < Math.max(1, body.length); start += rowsPerBlock) {
    const table = {
      rows: [...heads, ...body.slice(start, start + rowsPerBlock)],
      headerRows: heads.length,
      ...(sheet === undefined ? {} : { sheet }),
    };
    blocks.push(tableBlock(table, []));
  }
  return blocks;
}

/** A sheet's cells as displayed, merged cells repeated over the place they cover, empty rows and columns left out. */
function rowsOf(sheet: WorkSheet, utils: typeof import("xlsx").utils): string[][] {
  const rows = utils.sheet_to_json<unknown[]>(sheet, { header: 1, raw: false, defval: "", blankrows: true });
  const texts = rows.map((row) => Array.from(row, (cell) => (cell === null || cell === undefined ? "" : squeeze(String(cell)))));
  const origin = utils.decode_range(sheet["!ref"] ?? "A1").s;
  for (const { s: from, e: to } of sheet["!merges"] ?? []) {
    const text = texts[from.r - origin.r]?.[from.c - origin.c] ?? "";
    for (let r = from.r; text !== "" && r <= Math.min(to.r, from.r + 200); r++) {
      for (let c = from.c; c <= Math.min(to.c, from.c + 50); c++) {
        const row = texts[r - origin.r];
        // A title merged over the whole width stays one cell.
        if (row !== undefined && (from.c === to.c || from.r !== to.r || c === from.c)) row[c - origin.c] = text;
      }
    }
  }
  const kept = texts.filter((row) => row.some((cell) => cell !== ""));
  const used = new Set(kept.flatMap((row) => row.flatMap((cell, index) => (cell === "" ? [] : [index]))));
  return kept.map((row) => row.filter((_, index) => used.has(index)));
}

function delimiterOf(text: string): string {
  const lines = text.split("\n", 20).filter((line) => line !== "");
  const counts = [",", ";", "\t", "|"].map((mark) => ({ mark, least: Math.min(...lines.map((line) => line.split(mark).length)) }));
  return counts.reduce((best, count) => (count.least > best.least ? count : best)).mark;
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (isEncryptedOle(bytes)) {
    throw new RagctlError("SOURCE_ENCRYPTED", `${file.name} is protected by a password`, {
      hint: "save a copy without the password and ingest that",
    });
  }
  if (isZip) await guardZip(bytes, file.name);
  const { read, utils } = await import("xlsx");
  const warnings: string[] = [];
  const isBook = isZip || isOle(bytes);
  let book: WorkBook;
  try {
    if (isBook) book = read(bytes, { type: "array", cellHTML: false, cellFormula: false, cellStyles: false });
    else {
      const decoded = await decode(bytes, file.name);
      warnings.push(...decoded.warnings);
      book = read(decoded.text, { type: "string", raw: true, FS: delimiterOf(decoded.text) });
    }
  } catch (error) {
    if (error instanceof RagctlError) throw error;
    if (error instanceof Error && /password|encrypt/i.test(error.message)) {
      throw new RagctlError("SOURCE_ENCRYPTED", `${file.name} is protected by a password`, {
        hint: "save a copy without the password and ingest that",
        cause: error,
      });
    }
    throw unreadable(file.name, "a spreadsheet", error);
  }
  const blocks: Block[] = [];
  for (const name of book.SheetNames) {
    const sheet = book.Sheets[name];
    const rows = sheet === undefined ? [] : rowsOf(sheet, utils);
    if (rows.length === 0) {
      if (isBook && book.SheetNames.length > 1) warnings.push(`sheet '${name}' is empty`);
      continue;
    }
    if (isBook) blocks.push({ kind: "heading", text: name, level: 1, pages: [] });
    blocks.push(...sheetBlocks(rows, isBook ? name : undefined));
  }
  const title = squeeze(book.Props?.Title ?? "") || titleFromName(file.name);
  return { title, blocks: requireText(blocks, file.name), pageCount: 0, pagesWithoutText: [], warnings };
}

/** Spreadsheets (XLSX, XLS) and CSV by SheetJS; every cell as its program displays it. */
export default (): Parser => ({ id: "sheetjs", parse });
