/** One row of a spreadsheet as a passage tells it: a line for each filled cell. */
interface Record {
  readonly lines: readonly string[];
  /** Column → cell. */
  readonly cells: ReadonlyMap<string, string>;
}

/** A stretch of a text: rows of a spreadsheet, or lines as they stand. */
interface Stretch {
  readonly records: readonly Record[];
  readonly lines: readonly string[];
}

/** The line before the rows of a spreadsheet: `From prices.xlsx, sheet 'Pumps':`. */
const isLead = (line: string): boolean =>
  line.startsWith("From ") && line.endsWith("':") && line.includes(", sheet '");

/** `- Pressure: 150 PSI` as column and cell; a cell without a column has the column "". */
function cellOf(line: string): readonly [column: string, cell: string] {
  const at = line.indexOf(": ");
  return at < 0 ? ["", line.slice(2)] : [line.slice(2, at), line.slice(at + 2)];
}

/** Lines of cells as rows: a row ends at a blank line, and where a column comes again. */
function readRecords(lines: readonly string[]): Record[] {
  const records: { lines: string[]; cells: Map<string, string> }[] = [];
  let open: (typeof records)[number] | undefined;
  for (const line of lines) {
    if (line === "") {
      open = undefined;
      continue;
    }
    const [column, cell] = cellOf(line);
    if (open === undefined || open.cells.has(column)) {
      open = { lines: [], cells: new Map() };
      records.push(open);
    }
    open.lines.push(line);
    open.cells.set(column, cell);
  }
  return records;
}

/** Only behind their lead: other lists with colons are no rows. */
function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let plain: string[] = [];
  let cells: string[] = [];
  let isInside = false;
  const close = (): void => {
    if (plain.length > 0) stretches.push({ records: [], lines: plain });
    if (cells.length > 0) stretches.push({ records: readRecords(cells), lines: cells });
    plain = [];
    cells = [];
  };
  for (const line of text.split("\n")) {
    if (isLead(line)) {
      close();
      isInside = true;
    } else if (isInside && line.startsWith("- ")) cells.push(line);
    else if (cells.length > 0 && line.trim() === "") cells.push("");
    else {
      if (cells.length > 0) close();
      isInside = isInside && line.trim() === "";
      plain.push(line);
    }
  }
  close();
  return stretches;
}

/** The rows of spreadsheets in a passage, each as it stands there; none for other passages. */
export const spreadsheetRows = (text: string): readonly string[] =>
  stretchesOf(text).flatMap(({ records }) => records.map(({ lines }) => lines.join("\n")));

/** A row of a spreadsheet in one line: `Pump: P-101; Pressure: 150 PSI`. */
export const rowInOneLine = (row: string): string =>
  row
    .split("\n")
    .map((line) => line.replace(/^- /, ""))
    .join("; ");

/** A text without its rows of spreadsheets and the lines that say where these are from. */
export const withoutSpreadsheetRows = (text: string): string =>
  stretchesOf(text)
    .flatMap(({ records, lines }) => (records.length === 0 ? lines : []))
    .join("\n");

/** The columns of rows in their order: one that a row leaves out stands before those that follow it in others. */
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

/**
 * A text with its rows of spreadsheets as tables, a header above cells parted by bars, so that a cell is read
 * with its row and its column.
 */
export function recordsAsTables(text: string): string {
  return stretchesOf(text)
    .flatMap(({ records, lines }) => {
      if (records.length === 0) return lines;
      const columns = columnsOf(records);
      const rows = records.map(({ cells }) => columns.map((column) => cells.get(column) ?? "").join(" | "));
      return columns.length < 2 ? lines : [columns.join(" | "), ...rows];
    })
    .join("\n");
}
