import { rowText } from "../core/documents/table-text.ts";
import { placedLines } from "../core/text.ts";

type Line = ReturnType<typeof placedLines>[number];

/** A spreadsheet row in a passage: one line per filled cell. */
interface Record {
  readonly lines: readonly Line[];
  /** Column → cell; the keys of unnamed columns are spaces, one more for each. */
  readonly cells: ReadonlyMap<string, string>;
}

/** A section of a text: spreadsheet rows, or ordinary lines. */
interface Stretch {
  readonly records: readonly Record[];
  readonly lines: readonly Line[];
}

/** The line before spreadsheet rows: `From prices.xlsx, sheet 'Pumps':`. */
const isLead = ({ text }: Line): boolean =>
  text.startsWith("From ") && text.endsWith("':") && text.includes(", sheet '");

/** `- Pressure: 150 PSI` as column and cell; a cell without a column has the column "". */
function cellOf({ text }: Line): readonly [column: string, cell: string] {
  const at = text.indexOf(": ");
  return at < 0 ? ["", text.slice(2)] : [text.slice(2, at), text.slice(at + 2)];
}

/** Groups cell lines into rows: a row ends at a blank line, or when a named column repeats. */
function readRecords(lines: readonly Line[]): Record[] {
  const records: { lines: Line[]; cells: Map<string, string> }[] = [];
  let open: (typeof records)[number] | undefined;
  let unnamed = "";
  for (const line of lines) {
    if (line.text === "") {
      open = undefined;
      continue;
    }
    const [column, cell] = cellOf(line);
    if (open === undefined || (column !== "" && open.cells.has(column))) {
      open = { lines: [], cells: new Map() };
      unnamed = "";
      records.push(open);
    }
    if (column === "") unnamed += " ";
    open.lines.push(line);
    open.cells.set(column === "" ? unnamed : column, cell);
  }
  return records;
}

/** Only after their lead line: other lists with colons are not rows. */
function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let plain: Line[] = [];
  let cells: Line[] = [];
  let isInside = false;
  const close = (): void => {
    if (plain.length > 0) stretches.push({ records: [], lines: plain });
    if (cells.length > 0) stretches.push({ records: readRecords(cells), lines: cells });
    plain = [];
    cells = [];
  };
  for (const line of placedLines(text)) {
    if (isLead(line)) {
      close();
      isInside = true;
    } else if (isInside && line.text.startsWith("- ")) cells.push(line);
    else if (cells.length > 0 && line.text.trim() === "") cells.push({ ...line, text: "" });
    else {
      if (cells.length > 0) close();
      isInside = isInside && line.text.trim() === "";
      plain.push(line);
    }
  }
  close();
  return stretches;
}

/** The spreadsheet rows of a passage, verbatim; none for other passages. */
export const spreadsheetRows = (text: string): readonly string[] =>
  stretchesOf(text).flatMap(({ records }) =>
    records.map(({ lines }) => lines.map((line) => line.text).join("\n")),
  );

/** A spreadsheet row on one line: `Pump: P-101; Pressure: 150 PSI`. */
export const formatRowOnOneLine = (row: string): string =>
  row
    .split("\n")
    .map((line) => line.replace(/^- /, ""))
    .join("; ");

/** A text without its spreadsheet rows and their lead lines. */
export const stripSpreadsheetRows = (text: string): string =>
  stretchesOf(text)
    .flatMap(({ records, lines }) => (records.length === 0 ? lines.map((line) => line.text) : []))
    .join("\n");

/** The columns of rows in order: one that a row lacks comes before those that follow it in other rows. */
function columnsOf(records: readonly Record[]): readonly string[] {
  const columns: string[] = [];
  for (const { cells } of records) {
    const own = [...cells.keys()];
    for (const [at, column] of own.entries()) {
      if (columns.includes(column)) continue;
      const next = own.slice(at + 1).find((other) => columns.includes(other));
      columns.splice(next === undefined ? columns.length : columns.indexOf(next), 0, column);
    }
  }
  return columns;
}

/** Spreadsheet rows as table lines below a header; none unless at least two cells have a column name. */
function tableOf(records: readonly Record[]): readonly Line[] {
  const columns = columnsOf(records);
  if (columns.length < 2 || columns.every((column) => column.trim() === "")) return [];
  const start = records[0]?.lines[0]?.start ?? 0;
  return [
    { text: rowText(columns), start: -1 },
    ...records.map(({ cells, lines: [first] }) => ({
      text: rowText(columns.map((column) => cells.get(column) ?? "")),
      start: first?.start ?? start,
    })),
    // Another table may follow.
    { text: "", start: -1 },
  ];
}

/**
 * The lines of a text with spreadsheet rows as tables, a header above cells separated by bars, so that a cell
 * is read with its row and column; each with its offset in the text, -1 for added lines.
 */
export function tableLines(text: string): readonly Line[] {
  const lines = stretchesOf(text).flatMap(({ records, lines: own }) => {
    const table = tableOf(records);
    return table.length === 0 ? own : table;
  });
  return lines.at(-1)?.start === -1 ? lines.slice(0, -1) : lines;
}
