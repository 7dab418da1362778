import { columnLettersOf, rowNumbersOf } from "../../core/documents/cells.ts";
import type { Tokenizer } from "../../core/documents/chunk.ts";
import type { Block, BlockKind, Table, TextPlace } from "../../core/documents/document.ts";
import { rowsAsText, rowText } from "../../core/documents/table-text.ts";
import { sentenceSegments } from "../../core/text.ts";
import { splitToLimit } from "./fitting.ts";

/** The position of a unit's row in its spreadsheet. */
export interface RowPlace {
  /** One for all rows of a table. */
  readonly table: Table;
  /** 1-based. */
  readonly row: number;
  /**
   * Columns of the row that have text, by name, with their letters; of a row in one line all in their order.
   */
  readonly columns: readonly (readonly [name: string, letters: string])[];
}

/**
 * A piece of a block that fits a chunk; `header` is repeated when a chunk starts with it, but is not the
 * unit's own text.
 */
export interface Unit {
  readonly kind: BlockKind;
  readonly text: string;
  readonly pages: readonly number[];
  readonly tokens: number;
  /** 1 to 6, headings only. */
  readonly level?: number;
  readonly header?: string;
  /** A heading above the units after it that is not part of the text. */
  readonly isName?: true;
  /** Rows of spreadsheets alone. */
  readonly place?: RowPlace;
  /** Where its text begins in a file that is cited by lines. */
  readonly at?: TextPlace;
  /** How this unit follows the one before it in the same chunk. */
  readonly joiner: "\n\n" | "\n" | " ";
}

/** What units have to fit, and the file that they come from. */
export interface Fit {
  readonly maxTokens: number;
  readonly source: string;
  readonly tokenizer: Tokenizer;
}

/** Longest text of a block that may be one unit, characters. */
const longest = 64 * 1024;

/**
 * Splits one block into units of at most `maxTokens`: tables by rows, prose by sentences, an overlong
 * sentence by words. No character is lost except white space between units; the leading cells of a
 * spreadsheet row are repeated in each of its units.
 */
export function* unitsOf(block: Block, fit: Fit): Generator<Unit> {
  const { maxTokens, tokenizer } = fit;
  if (block.table !== undefined) {
    const sheet = sheetOf(block.table, fit);
    if (sheet === undefined) yield* plainUnits(block, block.table, fit);
    else yield* sentenceUnits(block, block.table, sheet, fit);
    return;
  }
  const { kind, pages, place, text } = block;
  // A longer text is hardly whole, and is not counted in vain.
  const tokens = text.length > longest ? undefined : tokenizer.count(text);
  if (tokens !== undefined && tokens <= maxTokens) {
    yield { kind, text, pages, tokens, joiner: "\n\n", ...placed(place) };
    return;
  }
  const further = kind === "paragraph" ? " " : "\n";
  let joiner: Unit["joiner"] = "\n\n";
  let [end, below] = [0, 0];
  for (const part of kind === "paragraph" ? sentences(text) : text.split("\n")) {
    const start = text.indexOf(part, end);
    below += linesIn(text.slice(end, start));
    const own = placed(place, below);
    below += linesIn(part);
    end = start + part.length;
    for (const piece of splitToLimit(part, maxTokens, tokenizer)) {
      yield { ...piece, ...own, kind, pages, joiner };
      joiner = further;
    }
  }
}

const linesIn = (text: string): number => text.split("\n").length - 1;

/** The place of a unit so many lines below the beginning of its block. */
const placed = (place: TextPlace | undefined, below = 0): Pick<Unit, "at"> =>
  place === undefined
    ? {}
    : { at: place.unit === "line" ? { ...place, number: place.number + below } : place };

/** Sentences of a text, trimmed, none empty. */
export function sentences(text: string): string[] {
  return [...sentenceSegments(text)].map(({ segment }) => segment.trim()).filter((segment) => segment !== "");
}

/**
 * The name of the sheet whose rows are written cell by cell, undefined for rows in lines. A CSV is written
 * that way only where its rows do not fit under their header; its sheet is named after the file.
 */
function sheetOf(table: Table, { maxTokens, source, tokenizer }: Fit): string | undefined {
  if (table.sheet !== undefined || table.range === undefined) return table.sheet;
  if (table.headerRows === 0) return undefined;
  const [header = "", ...rows] = lineRows(table);
  const room = maxTokens - tokenizer.count(header);
  // A token is at least one character: only rows that could be too long are counted.
  const fits = rows.every((row) => row.length <= room || tokenizer.count(row) <= room);
  if (room >= maxTokens / 2 && fits) return undefined;
  return source.replace(/^.*[\\/]/, "").replace(/\.[^.]*$/, "");
}

/** The header of a table, and its rows, each in one line. */
const lineRows = ({ rows, headerRows }: Table): readonly string[] => [
  rowsAsText(rows.slice(0, headerRows)),
  ...rows.slice(headerRows).map(rowText),
];

/** Rows in one line each, under their header where that leaves room for them. */
function* plainUnits(block: Block, table: Table, { maxTokens, tokenizer }: Fit): Generator<Unit> {
  const [fullHeader = "", ...body] = lineRows(table);
  const header = tokenizer.count(fullHeader) <= maxTokens / 2 ? fullHeader : "";
  const room = maxTokens - (header === "" ? 0 : tokenizer.count(header));
  const numbers = table.range === undefined ? [] : rowNumbersOf(table);
  const columns = columnLettersOf(table).map((letters) => ["", letters] as const);
  const first = block.place?.number ?? 0;
  const below = (at: number): number => (table.rowNumbers?.[at] ?? first) - first;
  const own = (header === fullHeader && body.length > 0) || fullHeader === "" ? [] : fullHeader.split("\n");
  const lines = [
    ...own.map((text) => ({ text, row: undefined, ...placed(block.place) })),
    ...body.map((text, at) => ({ text, row: numbers[at], ...placed(block.place, below(at)) })),
  ];
  const common = {
    kind: "table",
    pages: block.pages,
    joiner: "\n",
    ...(header === "" || body.length === 0 ? {} : { header }),
  } as const;
  for (const { text: line, row, ...at } of lines) {
    const place = row === undefined ? at : { place: { table, row, columns }, ...at };
    for (const piece of splitToLimit(line, room, tokenizer)) yield { ...piece, ...common, ...place };
  }
}

/** Rows as lines of `- column: cell` below the name of their sheet; one too long is cut between its cells. */
function* sentenceUnits(
  block: Block,
  table: Table,
  sheet: string,
  { maxTokens, source, tokenizer }: Fit,
): Generator<Unit> {
  const headerRows = table.rows.slice(0, table.headerRows);
  const body = table.rows.slice(table.headerRows);
  const lead = `From ${source}, sheet '${sheet}':`;
  const header = tokenizer.count(lead) <= maxTokens / 2 ? lead : "";
  const room = maxTokens - (header === "" ? 0 : tokenizer.count(header));
  const names = columnNames(headerRows);
  const letters = columnLettersOf(table);
  const numbers = rowNumbersOf(table);
  // A row without its first cells would otherwise look like a continuation of the one before it.
  const common = { kind: "table", pages: block.pages, joiner: "\n\n" } as const;
  if (body.length === 0)
    for (const row of headerRows)
      for (const piece of splitToLimit(rowText(row), room, tokenizer)) yield { ...piece, ...common };
  for (const [at, row] of body.entries())
    for (const { text, columns } of rowPieces(row, names, room, tokenizer))
      yield {
        ...common,
        text,
        tokens: tokenizer.count(text),
        place: {
          table,
          row: numbers[at] ?? 0,
          columns: columns.map((column) => [names[column] ?? "", letters[column] ?? ""] as const),
        },
        ...(header === "" ? {} : { header }),
      };
}

/**
 * The name of each column, over all header rows: `2023 Plan`; a name of several columns is numbered from the
 * second on.
 */
function columnNames(headerRows: readonly (readonly string[])[]): readonly string[] {
  const [first = []] = headerRows;
  const taken = new Set<string>();
  /** How often each was met. */
  const copies = new Map<string, number>();
  return first.map((_, at) => {
    const all = headerRows.map((row) => row[at] ?? "").filter((part) => part !== "");
    const base = [...new Set(all)].join(" ");
    if (base === "") return base;
    let copy = copies.get(base) ?? 1;
    let name = base;
    while (taken.has(name)) name = `${base} (${++copy})`;
    copies.set(base, copy);
    taken.add(name);
    return name;
  });
}

/** A line of a row: `- Pressure: 150 PSI`. */
interface CellLine {
  readonly head: string;
  readonly cell: string;
  /** 0-based. */
  readonly column: number;
}

/** Some lines of a row. */
interface RowPiece {
  readonly text: string;
  /** 0-based. */
  readonly columns: readonly number[];
}

const lineText = ({ head, cell }: CellLine): string => `${head}${cell}`;

/**
 * `- Pressure: 150 PSI` for each filled cell, in pieces of at most `room` tokens; each begins with the first
 * cell, where that is short, and a cell too long for one is cut by words, its column before every part.
 */
function rowPieces(
  row: readonly string[],
  names: readonly string[],
  room: number,
  tokenizer: Tokenizer,
): readonly RowPiece[] {
  const lines = row.flatMap((cell, column): CellLine[] =>
    cell === "" ? [] : [{ head: (names[column] ?? "") === "" ? "- " : `- ${names[column]}: `, cell, column }],
  );
  const whole = { text: lines.map(lineText).join("\n"), columns: lines.map(({ column }) => column) };
  if (tokenizer.count(whole.text) <= room) return [whole];
  const [first] = lines;
  const label = first === undefined ? "" : lineText(first);
  const isShort = lines.length > 1 && tokenizer.count(label) <= room / 4;
  const left = isShort ? room - tokenizer.count(label) - 1 : room;
  const parts = lines.slice(Number(isShort)).flatMap((line) => lineParts(line, left, tokenizer));
  return packed(parts, left, tokenizer).map(({ text, columns }) =>
    isShort && first !== undefined
      ? { text: `${label}\n${text}`, columns: [first.column, ...columns] }
      : { text, columns },
  );
}

/** A line in parts of at most `room` tokens, its column before each. */
function lineParts(line: CellLine, room: number, tokenizer: Tokenizer): readonly RowPiece[] {
  const { head, cell, column } = line;
  const headTokens = tokenizer.count(head);
  const texts =
    headTokens > room / 2
      ? splitToLimit(lineText(line), room, tokenizer)
      : splitToLimit(cell, room - headTokens, tokenizer).map(({ text }) => ({ text: `${head}${text}` }));
  return [...texts].map(({ text }) => ({ text, columns: [column] }));
}

/** Parts one below the other, as many in a piece as `room` tokens hold. */
function packed(parts: readonly RowPiece[], room: number, tokenizer: Tokenizer): readonly RowPiece[] {
  const pieces: { texts: string[]; columns: number[]; tokens: number }[] = [];
  for (const { text, columns } of parts) {
    // Each part is counted once, plus one token for the joiner.
    const tokens = tokenizer.count(text) + 1;
    const open = pieces.at(-1);
    if (open === undefined || open.tokens + tokens > room + 1)
      pieces.push({ texts: [text], columns: [...columns], tokens });
    else {
      open.texts.push(text);
      open.columns.push(...columns);
      open.tokens += tokens;
    }
  }
  return pieces.map(({ texts, columns }) => ({ text: texts.join("\n"), columns: [...new Set(columns)] }));
}
