import type { AvailableTool } from "../../core/answers/tool.ts";
import type { Format } from "../../core/documents/document.ts";
import { formatsWhere } from "../../core/documents/formats.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import type { SheetTable } from "../../tables/schema.ts";
import { type PlacedTable, wholeTables } from "../../tables/whole.ts";
import type { TableSource } from "../../tools/database/table-query.ts";
import type { Home } from "../home.ts";
import { isRecords, recordTables } from "./tables/records.ts";

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

/** Whether a table is more than a layout of text: rows and columns that can be asked. */
const isRelation = ({ rows, headerRows, sheet, range }: PlacedTable): boolean =>
  sheet !== undefined ||
  range !== undefined ||
  (rows.length - headerRows > 1 && rows.some((row) => row.length > 1));

/** Reads tables of documents, from the cache where they were read before. */
interface TableReader extends AsyncDisposable {
  /** @throws SOURCE_* */
  tables(document: DocumentRecord): Promise<readonly SheetTable[]>;
}

async function openTableReader(
  { settings, cache: opened }: Pick<Home, "settings" | "cache">,
  run: Run,
): Promise<TableReader> {
  const [{ openSourceReaders, parseCached }, cache] = await Promise.all([loadReaders(), opened()]);
  const pool = openSourceReaders(settings);
  return {
    async tables({ id, path, name, format, sizeBytes, sha256 }) {
      // The registry holds what `formats` names.
      const file = { path, name, format: format as Format, sizeBytes, sha256 };
      const placed = isRecords(file)
        ? await recordTables(file)
        : wholeTables(
            (await parseCached(file, settings, cache, () => pool.parse(file, run.signal))).content.blocks,
          );
      return placed.flatMap(({ spans: _, sheet = "", ...table }) =>
        isRelation({ sheet, ...table }) ? [{ documentId: id, sourceName: name, sheet, ...table }] : [],
      );
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** The same of these documents, of whatever format. */
export async function* tablesOf(
  sources: readonly DocumentRecord[],
  home: Pick<Home, "settings" | "cache">,
  run: Run,
): AsyncGenerator<SheetTable> {
  for await (const { read } of tableSources(sources, home, run)) yield* (await read()) ?? [];
}

/** The tables of these documents, each read when it is needed; one that cannot be read has none. */
export async function* tableSources(
  sources: readonly DocumentRecord[],
  home: Pick<Home, "settings" | "cache">,
  run: Run,
): AsyncGenerator<TableSource> {
  const held: { reader?: Promise<TableReader> } = {};
  try {
    for (const document of sources)
      yield {
        // Documents of the same content are cited each by its own name and place.
        key: JSON.stringify([document.id, document.versionId, document.name]),
        async read() {
          try {
            held.reader ??= openTableReader(home, run);
            return await (await held.reader).tables(document);
          } catch (error) {
            run.signal.throwIfAborted();
            run.log.warn(`${document.name} cannot be queried with SQL: ${asRagctlError(error).message}`);
            return null;
          }
        },
      };
  } finally {
    const reader = await held.reader?.catch(() => undefined);
    await reader?.[Symbol.asyncDispose]();
  }
}
