import type { DocumentSummary } from "../../../core/app.ts";
import type { DocumentTable } from "../../../core/documents/document.ts";
import type { Run } from "../../../core/run.ts";
import { documentTables } from "../../../tables/whole.ts";
import type { Home } from "../../home.ts";

/**
 * The tables of a document that was ingested before tables were kept, from the cache of parsed documents, else
 * from its file. It goes with the next release: by then an ingest has kept those of every document.
 * @throws SOURCE_*
 */
export async function parsedTables(
  document: DocumentSummary,
  { settings, cache }: Pick<Home, "settings" | "cache">,
  run: Run,
): Promise<readonly DocumentTable[]> {
  const { loadParsedContent } = await import("../../engines/parsers.ts");
  return documentTables(await loadParsedContent(document, settings, await cache(), run));
}
