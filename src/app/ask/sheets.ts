import type { AvailableTool } from "../../core/answers/tool.ts";
import type { DocumentTable } from "../../core/documents/document.ts";
import { formatsWhere } from "../../core/documents/formats.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import type { SheetTable } from "../../tables/schema.ts";
import { tablesOfSlices } from "../../tables/slices.ts";
import type { TableSource } from "../../tools/database/table-query.ts";
import type { Home } from "../home.ts";
import { parsedTables } from "./tables/parsed.ts";

/** Whether a format's tables can be asked by SQL. */
const spreadsheets: ReadonlySet<string> = formatsWhere((facts) => facts.isSpreadsheet === true);

export const isSpreadsheet = ({ format }: Pick<DocumentRecord, "format">): boolean =>
  spreadsheets.has(format);

/** The same, and whether a file may hold records in JSON or YAML. */
export const isTabular = (document: Pick<DocumentRecord, "format" | "name">): boolean =>
  isSpreadsheet(document) ||
  (document.format === "data" && /\.(?:json|jsonl|ndjson|ya?ml)$/i.test(document.name));

/** Whether a database tool has no configured database and queries the ingested spreadsheets. */
export const isSpreadsheetQuery = ({ type, config }: AvailableTool): boolean =>
  type === "database_query" && ["path", "url", "url_secret"].every((key) => config[key] === undefined);

/** The spreadsheets in these collections; none for no collection. */
export async function spreadsheetsOf(collections: readonly string[], { documents }: Pick<Home, "documents">) {
  return collections.length === 0 ? [] : (await documents.latest(collections)).filter(isSpreadsheet);
}

/** Tables of the spreadsheets in these collections, as they were kept at ingest. */
export async function* sheetsOf(
  collections: readonly string[],
  home: Pick<Home, "settings" | "documents" | "cache">,
  run: Run,
): AsyncGenerator<SheetTable> {
  yield* tablesOf(await spreadsheetsOf(collections, home), home, run);
}

/** Whether a table is more than a layout of text: rows and columns that can be asked. */
const isRelation = ({ rows, headerRows, sheet, range }: DocumentTable): boolean =>
  sheet !== undefined ||
  range !== undefined ||
  (rows.length - headerRows > 1 && rows.some((row) => row.length > 1));

/** The same of these documents, of whatever format. */
export async function* tablesOf(
  sources: readonly DocumentRecord[],
  home: Pick<Home, "settings" | "cache" | "documents">,
  run: Run,
): AsyncGenerator<SheetTable> {
  for (const { read } of tableSources(sources, home, run)) yield* (await read()) ?? [];
}

/** The tables of a document that can be asked. @throws SOURCE_* for one of which none were kept */
async function tablesIn(
  document: DocumentRecord,
  home: Pick<Home, "settings" | "cache" | "documents">,
  run: Run,
): Promise<readonly SheetTable[]> {
  const kept = await home.documents.tableSlices(document.versionId);
  const tables = kept === undefined ? await parsedTables(document, home, run) : tablesOfSlices(kept);
  const { id: documentId, name: sourceName } = document;
  return tables.filter(isRelation).map((table) => ({ ...table, documentId, sourceName }));
}

/** The tables of these documents, each read when it is needed; one that cannot be read has none. */
export const tableSources = (
  sources: readonly DocumentRecord[],
  home: Pick<Home, "settings" | "cache" | "documents">,
  run: Run,
): readonly TableSource[] =>
  sources.map((document) => ({
    // Documents of the same content are cited each by its own name and place.
    key: JSON.stringify([document.id, document.versionId, document.name]),
    read: () =>
      tablesIn(document, home, run).catch((error: unknown) => {
        run.signal.throwIfAborted();
        run.log.warn(`${document.name} cannot be queried with SQL: ${asRagctlError(error).message}`);
        return null;
      }),
  }));
