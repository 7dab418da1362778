import type { CellObject, WorkBook, WorkSheet } from "xlsx";
import type { Block, ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { requireText, squeeze, titleFromName, unreadable } from "../../blocks.ts";
import { chartBlocks } from "../chart.ts";
import { packageWarnings, refuseEncryptedOdf } from "../package.ts";
import { type LoadXml, relations, xmlLoader } from "../xml.ts";
import { encryptedSource, guardZip, isEncryptedOle, listParts, readParts } from "../zip.ts";
import { columnName, sheetBlocks } from "./blocks.ts";
import { sheetLimits } from "./limits.ts";
import type { Region } from "./regions.ts";

interface Read {
  readonly cells: Map<number, Map<number, string>>;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

const shown = (cell: CellObject) =>
  squeeze(cell.w ?? (cell.v === undefined || cell.v === null ? "" : String(cell.v)));

/** A sheet's filled cells as displayed, as far as the limits go. */
function readCells(sheet: WorkSheet, name: string): Read {
  const { maxColumns, maxCells, maxRows } = sheetLimits;
  const cells = new Map<number, Map<number, string>>();
  const notes: string[] = [];
  const warnings: string[] = [];
  let count = 0;
  let wide = 0;
  let late = 0;
  // In dense mode rows and cells are sparse arrays: only what is written in the file is visited.
  const data: readonly (readonly CellObject[])[] = sheet["!data"] ?? [];
  data.forEach((row, r) => {
    const filled = new Map<number, string>();
    row?.forEach((cell, c) => {
      for (const { a: author, t: text } of cell.c ?? [])
        if (squeeze(text ?? "") !== "" && notes.length < 1000)
          notes.push(
            `Comment${author ? ` by ${author}` : ""} on ${columnName(c)}${r + 1}: ${squeeze(text ?? "")}`,
          );
      const value = shown(cell);
      if (value === "") return;
      if (c >= maxColumns) wide++;
      else if (count >= maxCells || cells.size >= maxRows) late++;
      else {
        filled.set(c, value);
        count++;
      }
    });
    if (filled.size > 0) cells.set(r, filled);
  });
  const rowsWritten = Number(/:[A-Z]*(\d+)$/.exec(String(sheet["!fullref"] ?? ""))?.[1] ?? 0);
  if (rowsWritten > maxRows)
    warnings.push(
      `sheet '${name}': rows after ${maxRows} were left out; the sheet goes on to row ${rowsWritten}`,
    );
  if (late > 0)
    warnings.push(
      `sheet '${name}': ${late} cells beyond the limit of ${maxCells} cells or ${maxRows} rows were left out`,
    );
  if (wide > 0)
    warnings.push(`sheet '${name}': ${wide} cells beyond column ${columnName(maxColumns - 1)} were left out`);
  return { cells, notes, warnings };
}

/** Charts of each sheet, by sheet name. */
async function chartsOf(bytes: Uint8Array, name: string, load: LoadXml): Promise<Map<string, Block[]>> {
  const parts = await readParts(bytes, name, (part) =>
    /^xl\/(workbook\.xml|_rels\/|charts\/chart|(worksheets|chartsheets)\/_rels\/|drawings\/_rels\/)/.test(
      part,
    ),
  );
  const sheets = relations(parts, "xl/workbook.xml", load);
  const found = new Map<string, Block[]>();
  for (const sheet of load(parts.get("xl/workbook.xml") ?? "")("sheet").toArray()) {
    const part = sheets.get(sheet.attribs["r:id"] ?? "")?.target ?? "";
    const drawings = [...relations(parts, part, load).values()].filter(({ type }) => type === "drawing");
    const charts = drawings.flatMap(({ target }) =>
      [...relations(parts, target, load).values()].filter(({ type }) => type === "chart"),
    );
    found.set(
      sheet.attribs["name"] ?? "",
      charts.flatMap(({ target }) => chartBlocks(parts.get(target) ?? "", load, [])),
    );
  }
  return found;
}

async function readBook(bytes: Uint8Array, name: string): Promise<WorkBook> {
  const { read } = await import("xlsx");
  try {
    return read(bytes, {
      type: "array",
      dense: true,
      cellHTML: false,
      cellFormula: false,
      cellStyles: false,
      sheetRows: sheetLimits.maxRows,
      // The format that follows the reader's locale is written in the order that cannot be misread.
      dateNF: "yyyy-mm-dd",
    });
  } catch (error) {
    if (error instanceof Error && /password|encrypt/i.test(error.message)) throw encryptedSource(name, error);
    throw unreadable(name, "a spreadsheet", error);
  }
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  if (isEncryptedOle(bytes)) throw encryptedSource(file.name);
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const warnings: string[] = [];
  let charts = new Map<string, Block[]>();
  if (isZip) {
    await guardZip(bytes, file.name);
    await refuseEncryptedOdf(bytes, file.name);
    warnings.push(...packageWarnings(await listParts(bytes, file.name)));
    charts = await chartsOf(bytes, file.name, await xmlLoader());
  }
  const book = await readBook(bytes, file.name);
  const blocks: Block[] = [];
  for (const [index, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name];
    const read = sheet === undefined ? undefined : readCells(sheet, name);
    const merged = (sheet?.["!merges"] ?? []).map(
      ({ s, e }): Region => ({ top: s.r, left: s.c, bottom: e.r, right: e.c }),
    );
    // A merge over whole rows or columns says nothing about cells that are not there.
    const near = merged.filter(
      ({ top, left, bottom, right }) => (bottom - top + 1) * (right - left + 1) <= 20_000,
    );
    const own = read === undefined ? [] : sheetBlocks({ name, cells: read.cells, merged: near });
    own.push(...(charts.get(name) ?? []));
    for (const text of read?.notes ?? []) own.push({ kind: "footnote", text, pages: [] });
    warnings.push(...(read?.warnings ?? []));
    if (own.length === 0) {
      if (book.SheetNames.length > 1) warnings.push(`sheet '${name}' is empty`);
      continue;
    }
    if ((book.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0)
      warnings.push(`sheet '${name}' is hidden; it was read too`);
    blocks.push({ kind: "heading", text: name, level: 1, pages: [] }, ...own);
  }
  const title = squeeze(book.Props?.Title ?? "") || titleFromName(file.name);
  return { title, blocks: requireText(blocks, file.name), pageCount: 0, pagesWithoutText: [], warnings };
}

/** Spreadsheets (XLSX, XLS, ODS) by SheetJS: every sheet, its tables apart, cells as displayed. */
export default (): Parser => ({ id: "sheetjs", parse });
