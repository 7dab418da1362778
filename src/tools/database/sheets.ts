import { columnLettersOf, rowNumbersOf } from "../../core/documents/cells.ts";
import type { SheetTable } from "../drivers.ts";
import { readColumn, usualFormat } from "./cells.ts";
import { guardSelect, sqlOf } from "./guard.ts";
import type { LoadedTable } from "./messages.ts";
import { safeName } from "./names.ts";
import type { Provenance, SqlSource, TableSchema } from "./source.ts";
import { openSqlite } from "./sqlite.ts";
import { fewRows } from "./templates/tell.ts";

/** Most distinct texts of a column listed for finding values; beyond that, rows cannot be found by name. */
const listedValues = 20_000;

/** A sheet as a table, and the location of its cells. */
interface ReadSheet {
  readonly schema: TableSchema;
  readonly loaded: LoadedTable;
  readonly source: string;
  readonly documentId: string;
  readonly sheet: string;
  readonly firstColumn: string;
  readonly lastColumn: string;
}

/** Unit in a heading: `Pressure (PSI)` → `PSI`. */
const headingUnit = (heading: string): string =>
  /[([]\s*([^)\]\d\s][^)\]]{0,12}?)\s*[)\]]$/.exec(heading)?.[1] ?? "";

function readSheet(table: SheetTable, taken: Set<string>): ReadSheet | null {
  const headerRows = Math.min(table.headerRows, table.rows.length);
  const width = Math.max(0, ...table.rows.map((row) => row.length));
  const body = table.rows.slice(headerRows);
  if (width === 0 || body.length === 0) return null;
  const letters = columnLettersOf(table);
  const numbers = rowNumbersOf(table);
  const columnNames = new Set<string>();
  const textsOf = (index: number): readonly string[] => body.map((cells) => cells[index] ?? "");
  const usual = usualFormat(Array.from({ length: width }, (_, index) => textsOf(index)));
  const columns = Array.from({ length: width }, (_, index) => {
    const heading = [...new Set(table.rows.slice(0, headerRows).map((cells) => (cells[index] ?? "").trim()))]
      .filter((text) => text !== "")
      .join(" ");
    const read = readColumn(textsOf(index), usual);
    const fallback = `column_${letters[index]?.toLowerCase()}`;
    const texts =
      read.type === "text"
        ? [...new Set(read.cells.filter((cell) => typeof cell === "string"))].slice(0, listedValues)
        : [];
    const unit = read.unit === "" && read.type !== "text" ? headingUnit(heading) : read.unit;
    return {
      name: safeName(heading, fallback, columnNames),
      title: heading === "" ? fallback : heading,
      type: read.type,
      unit,
      values: texts,
      cells: read.cells,
    };
  });
  const stem = table.sourceName.replace(/^.*[\\/]/, "").replace(/\.\w+$/, "");
  const name = safeName(table.sheet === "" ? stem : table.sheet, "sheet", taken);
  const rows = body
    .map((_, index) => ({
      id: numbers[index] ?? index + 1,
      cells: columns.map(({ cells }) => cells[index] ?? null),
    }))
    .filter(({ cells }) => cells.some((cell) => cell !== null));
  const kept = columns.map(({ cells: _, ...column }) => column);
  return {
    schema: {
      name,
      title: table.sheet === "" ? table.sourceName : `${table.sourceName} › ${table.sheet}`,
      columns: kept,
      rowCount: rows.length,
      samples: rows.slice(0, 3).map(({ cells }) => cells),
    },
    loaded: { name, columns: kept, rows },
    source: table.sourceName,
    documentId: table.documentId,
    sheet: table.sheet,
    firstColumn: letters[0] ?? "A",
    lastColumn: letters.at(-1) ?? "A",
  };
}

/**
 * Row numbers as ranges of the sheet: [2, 3, 4, 7] → `Pumps!A2:D4, A7:D7`; beyond six ranges, a single one
 * over all.
 */
function rangeOf(sheet: ReadSheet, numbers: readonly number[]): string {
  const runs: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run !== undefined && number === run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  const whole = runs.length > 6 ? [{ first: runs[0]?.first ?? 1, last: runs.at(-1)?.last ?? 1 }] : runs;
  const cells = whole
    .map(({ first, last }) => `${sheet.firstColumn}${first}:${sheet.lastColumn}${last}`)
    .join(", ");
  return sheet.sheet === "" ? cells : `${sheet.sheet}!${cells}`;
}

/**
 * Rewrites a simple statement over one table to return the numbers of its rows; null for anything more
 * complex.
 */
function rowNumbers(sql: string, table: string, known: readonly string[]): string | null {
  const { ast } = guardSelect(sql, "sqlite", known);
  const from = Array.isArray(ast["from"]) ? ast["from"] : [];
  const [only] = from;
  const isPlain =
    from.length === 1 && typeof only?.table === "string" && (ast["with"] ?? ast["_next"] ?? null) === null;
  if (!isPlain || only.table.toLowerCase() !== table.toLowerCase()) return null;
  const aggregated =
    (ast["groupby"] ?? null) !== null || /"type":"aggr_func"/.test(JSON.stringify(ast["columns"]));
  const column = {
    expr: { type: "column_ref", table: only.as ?? null, column: "rowid", collate: null },
    as: null,
  };
  const rest = aggregated ? { orderby: null, limit: null, groupby: null, having: null } : {};
  return sqlOf({ ...ast, ...rest, columns: [column], distinct: null }, "sqlite");
}

/** The row numbers, if they are few enough to look up. */
const fewOf = (rows: readonly number[]) => (rows.length > 0 && rows.length <= fewRows ? { rows } : {});

/** Sheets and tables of documents as one read-only database in memory, loaded with the first question. */
export function sheetSource(sheets: () => AsyncIterable<SheetTable>): SqlSource {
  const read = async (): Promise<readonly ReadSheet[]> => {
    const taken = new Set<string>();
    const found: ReadSheet[] = [];
    for await (const table of sheets()) {
      const sheet = readSheet(table, taken);
      if (sheet !== null) found.push(sheet);
    }
    return found;
  };
  const open = async () => {
    const tables = await read();
    return { tables, sqlite: openSqlite("the sheets", { tables: tables.map(({ loaded }) => loaded) }) };
  };
  const held: { opened?: ReturnType<typeof open> } = {};
  const opened = (): ReturnType<typeof open> => {
    held.opened ??= open();
    return held.opened;
  };
  return {
    dialect: "sqlite",
    name: "the sheets",
    schema: async () => (await opened()).tables.map(({ schema }) => schema),
    query: async (sql, limits, signal) => (await opened()).sqlite.query(sql, limits, signal),
    async provenance(sql, used, limits, signal): Promise<readonly Provenance[]> {
      const { tables, sqlite } = await opened();
      const known = tables.map(({ schema }) => schema.name);
      const places: Provenance[] = [];
      for (const sheet of tables.filter(({ schema }) => used.includes(schema.name))) {
        const numbers = used.length === 1 ? rowNumbers(sql, sheet.schema.name, known) : null;
        const rows =
          numbers === null
            ? null
            : (await sqlite.query(numbers, { ...limits, rows: 10_000 }, signal)).rows.map(([id]) =>
                Number(id),
              );
        const all = sheet.loaded.rows.map(({ id }) => id);
        const section = rangeOf(
          sheet,
          rows === null || rows.length === 0 ? all : rows.toSorted((a, b) => a - b),
        );
        places.push({
          source: sheet.source,
          section,
          details: {
            ...{ document: sheet.documentId, sheet: sheet.sheet, range: section },
            ...fewOf(rows ?? []),
          },
        });
      }
      return places;
    },
    async [Symbol.asyncDispose]() {
      const started = await held.opened?.catch(() => undefined);
      await started?.sqlite[Symbol.asyncDispose]();
    },
  };
}
