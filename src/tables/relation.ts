import { columnLettersOf, rowNumbersOf } from "../core/documents/cells.ts";
import {
  commonFormat,
  looseNumbers,
  type NumberFormat,
  type ReadColumn,
  readColumn,
  readMixedColumn,
} from "./cells.ts";
import { type Headed, splitHeaderRows } from "./headers.ts";
import { safeName } from "./names.ts";
import type { Cell, Column, LoadedTable, SheetTable, TableSchema } from "./schema.ts";
import { totalRows } from "./totals.ts";

/** Most columns of a relation; the rest is left out and counted. */
export const maxColumns = 500;
/** Most distinct texts of a column listed for finding values; beyond that, rows cannot be found by name. */
const listedValues = 20_000;

/** Where the cells of a relation are. */
export interface Place {
  readonly source: string;
  readonly documentId: string;
  /** "" if the format has no sheets. */
  readonly sheet: string;
  /** Letters of the outermost columns; absent where the table is no part of a grid. */
  readonly letters?: readonly [first: string, last: string];
  readonly caption: string;
  readonly pages: readonly number[];
}

/** A table of a document as a table of a database. */
export interface Relation {
  readonly schema: TableSchema;
  readonly loaded: LoadedTable;
  readonly place: Place;
  /** For rows that add up others: the name of the relation that has those. */
  readonly totalsOf?: string;
  /** Columns beyond the limit, which were left out. */
  readonly columnsLeft: number;
  /** For one that only joins the rows of others, one under the other: their names; it holds no rows itself. */
  readonly members?: readonly string[];
}

/** How tables are read as relations. */
export interface ReadingOptions {
  /** Whether a column of which most cells are numbers is one, with the other texts in a column beside it. */
  readonly isLenient: boolean;
}

/** Unit in a heading: `Pressure (PSI)` → `PSI`. */
const headingUnit = (heading: string): string =>
  /[([]\s*([^)\]\d\s][^)\]]{0,12}?)\s*[)\]]$/.exec(heading)?.[1] ?? "";

/** Columns of a relation with their cells. */
type FilledColumn = Column & { readonly cells: readonly Cell[] };

/** The parts of a table that its relations share. */
interface Source {
  readonly table: SheetTable;
  /** Of the columns, in their order. */
  readonly headings: readonly string[];
  readonly letters: readonly string[];
  readonly usual: NumberFormat | undefined;
  readonly columnsLeft: number;
}

function columnsOf(
  { headings, letters, usual }: Source,
  rows: Headed["body"],
  { isLenient }: ReadingOptions,
): readonly FilledColumn[] {
  const taken = new Set<string>();
  return headings.flatMap((heading, index): readonly FilledColumn[] => {
    const texts = rows.map(({ cells }) => cells[index] ?? "");
    const read = (isLenient ? readMixedColumn : readColumn)(texts, usual);
    const title = heading === "" ? `column_${letters[index]?.toLowerCase()}` : heading;
    const own = columnOf(title, safeName(title, `column_${letters[index]?.toLowerCase()}`, taken), read);
    if (read.others === undefined) return [own];
    const beside = { type: "text", unit: "", cells: read.others } as const;
    return [own, columnOf(`${title} (other entries)`, safeName(`${own.name}_other`, "other", taken), beside)];
  });
}

function columnOf(title: string, name: string, { type, unit, cells, hasTime }: ReadColumn): FilledColumn {
  return {
    name,
    title,
    type,
    unit: unit === "" && type !== "text" ? headingUnit(title) : unit,
    values:
      type === "text"
        ? [...new Set(cells.filter((cell) => typeof cell === "string"))].slice(0, listedValues)
        : [],
    cells,
    ...(hasTime === undefined ? {} : { hasTime }),
  };
}

function relationOf(name: string, source: Source, rows: Headed["body"], options: ReadingOptions): Relation {
  const { table, letters, columnsLeft } = source;
  const numbers = rowNumbersOf(table);
  const columns = columnsOf(source, rows, options);
  const filled = rows
    .map(({ at }, index) => ({
      id: numbers[at - table.headerRows] ?? at + 1,
      cells: columns.map(({ cells }) => cells[index] ?? null),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  const kept = columns.map(({ cells: _, ...column }) => column);
  const { sheet = "", caption = "", sourceName, documentId, pages = [], range } = table;
  const within = sheet === "" ? caption : sheet;
  return {
    schema: {
      name,
      title: within === "" ? sourceName : `${sourceName} › ${within}`,
      columns: kept,
      rowCount: filled.length,
      samples: filled.slice(0, 3).map(({ cells }) => cells),
    },
    loaded: { name, columns: kept, rows: filled },
    place: {
      source: sourceName,
      documentId,
      sheet,
      caption,
      pages,
      ...(range === undefined && sheet === "" ? {} : { letters: [letters[0] ?? "A", letters.at(-1) ?? "A"] }),
    },
    columnsLeft,
  };
}

/**
 * The relations of a table: its rows, and apart from them those that add up others; none for a table without
 * rows. Their names are not told apart from those of other tables.
 */
export function relationsOf(table: SheetTable, options: ReadingOptions): readonly Relation[] {
  const { title, headings: all, body } = splitHeaderRows(table);
  if (all.length === 0 || body.length === 0) return [];
  const headings = all.slice(0, maxColumns);
  const texts = headings.map((_, index) => body.map(({ cells }) => cells[index] ?? ""));
  const usual = commonFormat(texts);
  const amounts = texts.map((column) => looseNumbers(column, usual)).filter((column) => column !== null);
  const totals = totalRows(
    body.map(({ cells }) => cells),
    amounts,
  );
  const own = { ...table, ...(title === "" || table.caption !== undefined ? {} : { caption: title }) };
  const letters = columnLettersOf(table);
  const source: Source = { table: own, headings, letters, usual, columnsLeft: all.length - headings.length };
  const rows = body.filter((_, at) => !totals.has(at));
  if (rows.length === 0) return [];
  const name = nameOf(own.sheet ?? "", own.caption ?? "", own.sourceName);
  const relation = relationOf(name, source, rows, options);
  if (totals.size === 0) return [relation];
  const adding = body.filter((_, at) => totals.has(at));
  return [relation, { ...relationOf(`${name}_totals`, source, adding, options), totalsOf: name }];
}

/** A file's name without folders and extension. */
export const baseNameOf = (source: string): string => source.replace(/^.*[\\/]/, "").replace(/\.\w+$/, "");

const plainName = (text: string): string => safeName(text, "sheet", new Set());

/** What a table is named after: its sheet, its caption, or its file. */
const nameOf = (sheet: string, caption: string, source: string): string =>
  plainName([sheet, caption, baseNameOf(source)].find((name) => name !== "") ?? "");

/** A name that a program gives to sheets: `Sheet1`. */
const isGiven = (sheet: string): boolean => /^\p{L}+\s?\d+$/u.test(sheet);

/**
 * Relations with names of their own: a name that relations of several documents have, or that a program gave
 * a sheet, gets the name of the file before it.
 */
export function assignUniqueNames(relations: readonly Relation[]): readonly Relation[] {
  const taken = new Set<string>();
  const documents = new Map<string, Set<string>>();
  const sheets = new Map<string, Set<string>>();
  for (const { schema, place } of relations) {
    documents.set(schema.name, (documents.get(schema.name) ?? new Set()).add(place.documentId));
    sheets.set(place.documentId, (sheets.get(place.documentId) ?? new Set()).add(place.sheet));
  }
  let last = "";
  return relations.map((relation) => {
    const { place, schema, loaded, totalsOf } = relation;
    const isShared = (documents.get(schema.name)?.size ?? 0) > 1;
    const isOnly = sheets.get(place.documentId)?.size === 1;
    const stem = baseNameOf(place.source);
    const wanted =
      !isShared && !isGiven(place.sheet)
        ? schema.name
        : isOnly && isGiven(place.sheet)
          ? stem
          : `${stem} ${schema.name}`;
    const name = safeName(totalsOf === undefined ? wanted : `${last}_totals`, "sheet", taken);
    const sums = totalsOf === undefined ? {} : { totalsOf: last };
    if (totalsOf === undefined) last = name;
    return { ...relation, schema: { ...schema, name }, loaded: { ...loaded, name }, ...sums };
  });
}
