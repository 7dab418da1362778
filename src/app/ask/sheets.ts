import type { Cache } from "../../cache/cache.ts";
import type { Settings } from "../../config/settings.ts";
import type { Format } from "../../core/documents/document.ts";
import { formatsWhere } from "../../core/documents/formats.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { Documents } from "../../registry/documents/documents.ts";
import type { SheetTable } from "../../tools/drivers.ts";

/** Whether a format's tables can be asked by SQL. */
const spreadsheets: ReadonlySet<string> = formatsWhere((facts) => facts.isSpreadsheet === true);

export interface SheetParts {
  readonly settings: Settings;
  readonly documents: Pick<Documents, "latest">;
  readonly cache: () => Promise<Cache>;
}

/** The spreadsheets in these collections; none for no collection. */
export function spreadsheetsOf(collections: readonly string[], { documents }: Pick<SheetParts, "documents">) {
  return collections.length === 0
    ? []
    : documents.latest(collections).filter(({ format }) => spreadsheets.has(format));
}

// Apart from its use: the compiler leaves the ending of an import inside a function with `await using` as it is.
const loadReaders = () => import("../engines/parsers.ts");

/** Tables of the spreadsheets in these collections, as they were read at ingest; a file that changed since is left out with a warning. */
export async function* sheetsOf(
  collections: readonly string[],
  parts: SheetParts,
  run: Run,
): AsyncGenerator<SheetTable> {
  const sources = spreadsheetsOf(collections, parts);
  if (sources.length === 0) return;
  const [{ openSourceReaders, parseCached }, cache] = await Promise.all([loadReaders(), parts.cache()]);
  await using pool = openSourceReaders(parts.settings);
  for (const { id, path, name, format, sizeBytes, sha256 } of sources) {
    // The registry holds what `formats` names.
    const file = { path, name, format: format as Format, sizeBytes, sha256 };
    try {
      const { content } = await parseCached(file, parts.settings, cache, () => pool.parse(file, run.signal));
      for (const { table } of content.blocks) {
        if (table === undefined || table.rows.length <= table.headerRows) continue;
        const range = table.range === undefined ? {} : { range: table.range };
        yield {
          documentId: id,
          sourceName: name,
          sheet: table.sheet ?? "",
          rows: table.rows,
          headerRows: table.headerRows,
          ...range,
        };
      }
    } catch (error) {
      run.signal.throwIfAborted();
      run.log.warn(`${name} cannot be asked by SQL: ${asRagctlError(error).message}`);
    }
  }
}
