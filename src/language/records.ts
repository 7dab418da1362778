/** A line of a text and where it begins there. */
interface Line {
  readonly text: string;
  readonly start: number;
}

/** One row of a spreadsheet as a passage tells it: a line for each filled cell. */
interface Record {
  readonly lines: readonly Line[];
  /** Column → cell; columns without a name are called by blanks, each by one more. */
  readonly cells: ReadonlyMap<string, string>;
}

/** A stretch of a text: rows of a spreadsheet, or lines as they stand. */
interface Stretch {
  readonly records: readonly Record[];
  readonly lines: readonly Line[];
}

/** The line before the rows of a spreadsheet: `From prices.xlsx, sheet 'Pumps':`. */
const isLead = ({ text }: Line): boolean =>
  text.startsWith("From ") && text.endsWith("':") && text.includes(", sheet '");

/** `- Pressure: 150 PSI` as column and cell; a cell without a column has the column "". */
function cellOf({ text }: Line): readonly [column: string, cell: string] {
  const at = text.indexOf(": ");
  return at < 0 ? ["", text.slice(2)] : [text.slice(2, at), text.slice(at + 2)];
}

/** Lines of cells as rows: a row ends at a blank line, and where a named column comes again. */
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

function linesOf(text: string): readonly Line[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const placed = { text: line, start };
    start += line.length + 1;
    return placed;
  });
}

/** Only behind their lead: other lists with colons are no rows. */
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
  for (const line of linesOf(text)) {
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

/** The rows of spreadsheets in a passage, each as it stands there; none for other passages. */
export const spreadsheetRows = (text: string): readonly string[] =>
  stretchesOf(text).flatMap(({ records }) =>
    records.map(({ lines }) => lines.map((line) => line.text).join("\n")),
  );

/** A row of a spreadsheet in one line: `Pump: P-101; Pressure: 150 PSI`. */
export const rowInOneLine = (row: string): string =>
  row
    .split("\n")
    .map((line) => line.replace(/^- /, ""))
    .join("; ");

/** A text without its rows of spreadsheets and the lines that say where these are from. */
export const withoutSpreadsheetRows = (text: string): string =>
  stretchesOf(text)
    .flatMap(({ records, lines }) => (records.length === 0 ? lines.map((line) => line.text) : []))
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

/** Rows of a spreadsheet as lines of a table below a header; none where no two cells of them are named. */
function tableOf(records: readonly Record[]): readonly Line[] {
  const columns = columnsOf(records);
  if (columns.length < 2 || columns.every((column) => column.trim() === "")) return [];
  const start = records[0]?.lines[0]?.start ?? 0;
  return [
    { text: columns.join(" | "), start: -1 },
    ...records.map(({ cells, lines: [first] }) => ({
      text: columns.map((column) => cells.get(column) ?? "").join(" | "),
      start: first?.start ?? start,
    })),
    // Another table may follow.
    { text: "", start: -1 },
  ];
}

/**
 * The lines of a text with its rows of spreadsheets as tables, a header above cells parted by bars, so that a cell is read
 * with its row and its column; each with where it begins in the text, -1 for what does not stand there.
 */
export function tableLines(text: string): readonly Line[] {
  const lines = stretchesOf(text).flatMap(({ records, lines: own }) => {
    const table = tableOf(records);
    return table.length === 0 ? own : table;
  });
  return lines.at(-1)?.start === -1 ? lines.slice(0, -1) : lines;
}

/** The same as one text. */
export const recordsAsTables = (text: string): string =>
  tableLines(text)
    .map((line) => line.text)
    .join("\n");
