import type { Cache } from "../../cache/cache.ts";
import type { Settings } from "../../config/settings.ts";
import type { DocumentSummary } from "../../core/app.ts";
import type { Format, ParsedContent } from "../../core/documents/document.ts";
import type { Run } from "../../core/run.ts";
import { openSourceReaders, parseCached } from "./parsers.ts";

/** What a document's file is read as, from the cache or anew; the file is read again when it left the cache. @throws SOURCE_* */
export async function readingOf(
  { path, name, format, sizeBytes, sha256 }: DocumentSummary,
  settings: Settings,
  cache: Cache,
  run: Run,
): Promise<ParsedContent> {
  // The registry holds what `formats` names.
  const file = { path, name, format: format as Format, sizeBytes, sha256 };
  await using pool = openSourceReaders(settings);
  return (await parseCached(file, settings, cache, () => pool.parse(file, run.signal))).content;
}
