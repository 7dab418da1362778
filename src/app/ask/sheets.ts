import type { AvailableTool } from "../../core/answers/tool.ts";
import { rowNumbersOf } from "../../core/documents/cells.ts";
import type { Block, Format, Table } from "../../core/documents/document.ts";
import { formatsWhere } from "../../core/documents/formats.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { rowsPerBlock } from "../../drivers/parsers/office/sheets/blocks.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import type { SheetTable } from "../../tools/drivers.ts";
import type { Home } from "../home.ts";

/** Whether a format's tables can be asked by SQL. */
const spreadsheets: ReadonlySet<string> = formatsWhere((facts) => facts.isSpreadsheet === true);

export const isSpreadsheet = ({ format }: Pick<DocumentRecord, "format">): boolean =>
  spreadsheets.has(format);

/** Whether a database tool has no configured database and queries the ingested spreadsheets. */
export const asksSheets = ({ type, config }: AvailableTool): boolean =>
  type === "database_query" && ["path", "url", "url_secret"].every((key) => config[key] === undefined);

/** The spreadsheets in these collections; none for no collection. */
export function spreadsheetsOf(collections: readonly string[], { documents }: Pick<Home, "documents">) {
  return collections.length === 0 ? [] : documents.latest(collections).filter(isSpreadsheet);
}

// Kept outside the function that uses it: the compiler does not rewrite the extension of an import inside a
// function with `await using`.
const loadReaders = () => import("../engines/parsers.ts");

/**
 * Tables of the spreadsheets in these collections, as read at ingest; a file that changed since is left out
 * with a warning.
 */
export const sheetsOf = (
  collections: readonly string[],
  home: Pick<Home, "settings" | "documents" | "cache">,
  run: Run,
): AsyncGenerator<SheetTable> => tablesOf(spreadsheetsOf(collections, home), home, run);

/** Whether a table continues in the next one: a long one is cut into blocks that repeat its header. */
function goesOn(table: Table, next: Table): boolean {
  const headerOf = ({ rows, headerRows }: Table): string => JSON.stringify(rows.slice(0, headerRows));
  return (
    (table.rows.length - table.headerRows) % rowsPerBlock === 0 &&
    table.sheet === next.sheet &&
    headerOf(table) === headerOf(next)
  );
}

/** A table joined with the rows of its continuations. */
function joined(first: Table, others: readonly Table[]): Table {
  if (others.length === 0) return first;
  const rows = [first.rows, ...others.map((part) => part.rows.slice(part.headerRows))].flat();
  return { ...first, rows, rowNumbers: [first, ...others].flatMap(rowNumbersOf) };
}

/** The tables of blocks that have rows, each whole. */
export function wholeTables(blocks: readonly Block[]): readonly Table[] {
  const found: [Table, ...Table[]][] = [];
  for (const { table } of blocks) {
    if (table === undefined || table.rows.length <= table.headerRows) continue;
    const open = found.at(-1);
    const last = open?.at(-1);
    if (open === undefined || last === undefined || !goesOn(last, table)) found.push([table]);
    else open.push(table);
  }
  return found.map(([first, ...others]) => joined(first, others));
}

/** The same of these documents, of whatever format. */
export async function* tablesOf(
  sources: readonly DocumentRecord[],
  home: Pick<Home, "settings" | "cache">,
  run: Run,
): AsyncGenerator<SheetTable> {
  if (sources.length === 0) return;
  const [{ openSourceReaders, parseCached }, cache] = await Promise.all([loadReaders(), home.cache()]);
  await using pool = openSourceReaders(home.settings);
  for (const { id, path, name, format, sizeBytes, sha256 } of sources) {
    // The registry holds what `formats` names.
    const file = { path, name, format: format as Format, sizeBytes, sha256 };
    try {
      const { content } = await parseCached(file, home.settings, cache, () => pool.parse(file, run.signal));
      for (const { spans: _, sheet = "", ...table } of wholeTables(content.blocks))
        yield { documentId: id, sourceName: name, sheet, ...table };
    } catch (error) {
      run.signal.throwIfAborted();
      run.log.warn(`${name} cannot be queried with SQL: ${asRagctlError(error).message}`);
    }
  }
}
