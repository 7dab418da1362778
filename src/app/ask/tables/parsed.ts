import type { DocumentTable, Format } from "../../../core/documents/document.ts";
import type { Run } from "../../../core/run.ts";
import type { ParserPool } from "../../../drivers/parsers/process/pool.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import { documentTables } from "../../../tables/whole.ts";
import type { Home } from "../../home.ts";

/** Reads tables of documents that were ingested before their tables were kept. */
interface ParsedTables extends AsyncDisposable {
  /** From the cache, else from the file. @throws SOURCE_* */
  tables(document: DocumentRecord): Promise<readonly DocumentTable[]>;
}

/** Opens the reader. It goes with the next release: by then an ingest has kept the tables of every document. */
export async function openParsedTables(
  { settings, cache: opened }: Pick<Home, "settings" | "cache">,
  run: Run,
): Promise<ParsedTables> {
  const [{ openSourceReaders, parseCached }, cache] = await Promise.all([
    import("../../engines/parsers.ts"),
    opened(),
  ]);
  const pool: ParserPool = openSourceReaders(settings);
  return {
    async tables({ path, name, format, sizeBytes, sha256 }) {
      // The registry holds what `formats` names.
      const file = { path, name, format: format as Format, sizeBytes, sha256 };
      const parsed = await parseCached(file, settings, cache, () => pool.parse(file, run.signal));
      return documentTables(parsed.content);
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
