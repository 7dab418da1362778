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

/** Lines of cells as rows: a row ends where a column comes again. */
function readRecords(lines: readonly string[]): Record[] {
  const records: { lines: string[]; cells: Map<string, string> }[] = [];
  for (const line of lines) {
    const [column, cell] = cellOf(line);
    let open = records.at(-1);
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

/**
 * A text with its rows of spreadsheets as tables, a header above cells parted by bars, so that a cell is read
 * with its row and its column.
 */
export function recordsAsTables(text: string): string {
  return stretchesOf(text)
    .flatMap(({ records, lines }) => {
      if (records.length === 0) return lines;
      const columns = [...new Set(records.flatMap(({ cells }) => [...cells.keys()]))];
      const rows = records.map(({ cells }) => columns.map((column) => cells.get(column) ?? "").join(" | "));
      return columns.length < 2 ? lines : [columns.join(" | "), ...rows];
    })
    .join("\n");
}
