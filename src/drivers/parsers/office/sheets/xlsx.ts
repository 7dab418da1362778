import type { CellObject, WorkBook, WorkSheet } from "xlsx";
import { columnLetters } from "../../../../core/documents/cells.ts";
import type { Block, ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { keywordList } from "../../../../core/metadata/metadata.ts";
import { contentOf, damagedFile, hiddenWarnings, squeeze, titleFromName, type Unsaid } from "../../blocks.ts";
import { definedProperties } from "../../properties.ts";
import { raisedMark } from "../../raised.ts";
import { assertOdfNotEncrypted, packageWarnings } from "../package.ts";
import { xmlLoader } from "../xml.ts";
import { checkZip, encryptedFileError, isEncryptedOle, listParts } from "../zip.ts";
import { sheetBlocks, sheetLimits } from "./blocks.ts";
import { createCellFormatter, localDate } from "./formats.ts";
import { readPackage, type SheetFacts } from "./package.ts";
import type { Region } from "./regions.ts";

/** The content read from a sheet. */
interface SheetContent {
  readonly cells: Map<number, Map<number, string>>;
  /** Comments on cells. */
  readonly notes: string[];
  /** Cells that were read, and those beyond the last column and beyond the other limits. */
  read: number;
  tooWide: number;
  tooMany: number;
}

/** Most comments of one sheet that are read. */
const maxNotes = 1000;

/** HTML without its struck runs; what follows an open tag without an end is kept. */
const withoutStruck = (html: string): string =>
  html
    .split("<s>")
    .map((part, at) => (at === 0 ? part : part.slice(part.indexOf("</s>") + 1 && part.indexOf("</s>") + 4)))
    .join("");

/**
 * A cell's text with its raised and lowered runs and without what is struck out, which the library gives as
 * HTML only.
 */
function richText(html: string): string {
  return withoutStruck(html)
    .replace(/<(\/?)(sup|sub)>/g, (_, side: string, name: "sup" | "sub") =>
      raisedMark(name, side === "" ? "begin" : "end"),
    )
    .replace(/<\/?(?:span(?: style="[^"<>]*")?|b|i|s|br\/)>/g, "");
}

function readNotes({ notes }: SheetContent, cell: CellObject, row: number, column: number): void {
  for (const { a: author, t: text = "" } of cell.c ?? []) {
    const note = squeeze(text);
    const by = author ? ` by ${author}` : "";
    if (note !== "" && notes.length < maxNotes)
      notes.push(`Comment${by} on ${columnLetters(column)}${row + 1}: ${note}`);
  }
}

/** How the cells of a sheet are read. */
interface Reading {
  readonly show: (cell: CellObject) => string;
  /** Addresses of cells that are struck out. */
  readonly struck: ReadonlySet<string>;
  readonly unsaid: Unsaid;
}

/** The text of a cell as shown, without what is struck out. */
function textOf(
  { h: html = "", ...cell }: CellObject,
  address: string,
  { show, struck, unsaid }: Reading,
): string {
  if (struck.has(address)) {
    unsaid.struck++;
    return "";
  }
  unsaid.struck += html.split("<s>").length - 1;
  return squeeze(/<(?:su[pb]|s)>/.test(html) ? richText(html) : show(cell));
}

function readRow(
  content: SheetContent,
  row: readonly CellObject[] | undefined,
  number: number,
  reading: Reading,
): void {
  const { maxColumns, maxCells, maxRows } = sheetLimits;
  const filled = new Map<number, string>();
  row?.forEach((cell, column) => {
    readNotes(content, cell, number, column);
    const text = textOf(cell, `${columnLetters(column)}${number + 1}`, reading);
    if (text === "") return;
    if (column >= maxColumns) content.tooWide++;
    else if (content.read >= maxCells || content.cells.size >= maxRows) content.tooMany++;
    else {
      filled.set(column, text);
      content.read++;
    }
  });
  if (filled.size > 0) content.cells.set(number, filled);
}

/** Warnings about the omitted parts of a sheet. */
function limitWarnings(sheet: WorkSheet, name: string, { tooWide, tooMany }: SheetContent): string[] {
  const { maxColumns, maxCells, maxRows } = sheetLimits;
  const lastRow = Number(/:[A-Z]*(\d+)$/.exec(String(sheet["!fullref"] ?? ""))?.[1] ?? 0);
  const warnings: string[] = [];
  if (lastRow > maxRows)
    warnings.push(`rows after ${maxRows} were skipped; the sheet has rows up to ${lastRow}`);
  if (tooMany > 0)
    warnings.push(`${tooMany} cells beyond the limit of ${maxCells} cells or ${maxRows} rows were skipped`);
  if (tooWide > 0)
    warnings.push(`${tooWide} cells beyond column ${columnLetters(maxColumns - 1)} were skipped`);
  return warnings.map((warning) => `sheet '${name}': ${warning}`);
}

/** A sheet's filled cells as displayed, within the limits. */
function readCells(sheet: WorkSheet, reading: Reading): SheetContent {
  const content: SheetContent = { cells: new Map(), notes: [], read: 0, tooWide: 0, tooMany: 0 };
  // In dense mode rows and cells are sparse arrays: only cells in the file are visited.
  const rows: readonly (readonly CellObject[] | undefined)[] = sheet["!data"] ?? [];
  rows.forEach((row, number) => {
    readRow(content, row, number, reading);
  });
  return content;
}

/**
 * Most places of a merge that is read: one over whole rows or columns says nothing about cells that are not
 * there.
 */
const maxMerged = 20_000;

function mergesOf(sheet: WorkSheet): Region[] {
  return (sheet["!merges"] ?? [])
    .map(({ s, e }): Region => ({ top: s.r, left: s.c, bottom: e.r, right: e.c }))
    .filter(({ top, left, bottom, right }) => (bottom - top + 1) * (right - left + 1) <= maxMerged);
}

/** A workbook with the displayed texts of its cells. */
interface Book extends WorkBook {
  readonly show: (cell: CellObject) => string;
}

async function readBook(bytes: Uint8Array, name: string): Promise<Book> {
  const { read, SSF } = await import("xlsx");
  try {
    const book = read(bytes, {
      type: "array",
      dense: true,
      cellHTML: true,
      cellFormula: false,
      cellStyles: false,
      cellNF: true,
      sheetRows: sheetLimits.maxRows,
      dateNF: localDate,
    });
    return { ...book, show: createCellFormatter(SSF, book.Workbook?.WBProps?.date1904 === true) };
  } catch (error) {
    if (error instanceof Error && /password|encrypt/i.test(error.message))
      throw encryptedFileError(name, error);
    throw damagedFile(name, "a spreadsheet", error);
  }
}

const noFacts: SheetFacts = { drawn: [], struck: new Set(), warnings: [] };

/** Blocks of one sheet without its name: tables and texts, drawings, comments. */
function contentBlocks(
  { Sheets: sheets, show }: Book,
  name: string,
  { drawn, struck, warnings: own }: SheetFacts,
  warnings: string[],
  unsaid: Unsaid,
): Block[] {
  warnings.push(...own);
  const sheet = sheets[name];
  if (sheet === undefined) return [...drawn];
  const content = readCells(sheet, { show, struck, unsaid });
  warnings.push(...limitWarnings(sheet, name, content));
  return [
    ...sheetBlocks({ name, cells: content.cells, merged: mergesOf(sheet) }),
    ...drawn,
    ...content.notes.map((text): Block => ({ kind: "footnote", text, pages: [] })),
  ];
}

function propertiesOf({ Props = {}, Custprops = {} }: Book): Readonly<Record<string, unknown>> {
  const { Author, Subject, Keywords, Category, Comments, CreatedDate, ModifiedDate } = Props;
  return {
    author: Author,
    subject: Subject,
    keywords: keywordList(String(Keywords ?? "")),
    category: Category,
    description: Comments,
    created: CreatedDate,
    modified: ModifiedDate,
    ...Custprops,
  };
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  if (isEncryptedOle(bytes)) throw encryptedFileError(file.name);
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b;
  const warnings: string[] = [];
  const unsaid: Unsaid = { struck: 0, hidden: 0 };
  let facts: Awaited<ReturnType<typeof readPackage>> = { bytes, sheets: new Map() };
  if (isZip) {
    await checkZip(bytes, file.name);
    await assertOdfNotEncrypted(bytes, file.name);
    warnings.push(...packageWarnings(await listParts(bytes, file.name)));
    facts = await readPackage(bytes, file.name, await xmlLoader(), unsaid);
  }
  const book = await readBook(facts.bytes, file.name);
  const blocks: Block[] = [];
  for (const [index, name] of book.SheetNames.entries()) {
    const content = contentBlocks(book, name, facts.sheets.get(name) ?? noFacts, warnings, unsaid);
    if (content.length === 0) {
      if (book.SheetNames.length > 1) warnings.push(`sheet '${name}' is empty`);
      continue;
    }
    if ((book.Workbook?.Sheets?.[index]?.Hidden ?? 0) > 0)
      warnings.push(`sheet '${name}' is hidden, but was read`);
    blocks.push({ kind: "heading", text: name, level: 1, pages: [] }, ...content);
  }
  warnings.push(...hiddenWarnings(unsaid));
  const title = squeeze(book.Props?.Title ?? "") || titleFromName(file.name);
  return contentOf(file.name, blocks, { title, warnings, ...definedProperties(propertiesOf(book)) });
}

/**
 * Parses spreadsheets (XLSX, XLS, ODS) with SheetJS: every sheet, each table separately, cells as displayed.
 */
export default (): Parser => ({ id: "sheetjs", parse });
