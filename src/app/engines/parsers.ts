import { join } from "node:path";
import type { Cache } from "../../cache/cache.ts";
import type { Settings } from "../../config/settings.ts";
import type { DocumentSummary } from "../../core/app.ts";
import type {
  Format,
  PagePicture,
  PageToDraw,
  ParsedContent,
  ParsedDocument,
  SourceFile,
} from "../../core/documents/document.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { toNfc } from "../../core/text.ts";
import type { OcrSettings } from "../../drivers/parsers/options.ts";
import { createParserChain, type ReaderOptions } from "../../drivers/parsers/parser-chain.ts";
import { openParserPool, type ParserPool } from "../../drivers/parsers/process/pool.ts";
import { machineResources, workersFor } from "../../drivers/parsers/process/workers.ts";

/** Raised when a parser reads the same bytes differently, so that cached documents are read again. */
const parserRevision = 24;

/**
 * The readers as the settings ask for them: the user's commands, docling, then the built-in parsers in their
 * pool.
 */
export function createSourceReaders(settings: Settings): ParserPool {
  const { timeoutMs, memoryMb, maxBytes } = settings.parse;
  const { workers, ocrWorkers } = workersFor(machineResources(), settings.parse);
  return createParserChain(
    openParserPool({ workers, timeoutMs, memoryMb, maxBytes, ocr: ocrOf(settings, ocrWorkers) }),
    readerOptions(settings),
  );
}

function ocrOf({ home, parse }: Settings, workers: number): OcrSettings {
  const languages = parse.ocrLanguages.split(/[\s,+]+/).filter((code) => code !== "");
  return {
    mode: parse.ocr,
    languages,
    folder: parse.ocrFolder,
    pageTimeoutMs: parse.ocrPageTimeoutMs,
    workers,
    cacheFolder: join(home, "cache", "ocr"),
  };
}

function readerOptions({ parse }: Settings): ReaderOptions {
  const loaders = declaredLoaders(parse.loaders);
  const limits = { timeoutMs: parse.loaderTimeoutMs, maxOutputBytes: parse.loaderMaxBytes };
  return {
    ...(Object.keys(loaders).length === 0 ? {} : { loaders: { loaders, ...limits } }),
    ...(parse.parser === "builtin"
      ? {}
      : { docling: { ...limits, ...(parse.doclingUrl === "" ? {} : { url: parse.doclingUrl }) } }),
  };
}

/** `dwg: dwg2text {file}; log: cat` → extension → program and arguments. @throws CONFIG_INVALID */
function declaredLoaders(text: string): Readonly<Record<string, readonly string[]>> {
  const entries = text.split(";").map((part) => part.trim());
  return Object.fromEntries(
    entries
      .filter((entry) => entry !== "")
      .map((entry) => {
        const [, extension = "", command = ""] = /^\.?([a-z0-9]+)\s*:\s*(\S.*)$/i.exec(entry) ?? [];
        if (extension === "") {
          throw new RagctlError(
            "CONFIG_INVALID",
            `parse.loaders: "${entry}" is not "extension: program arguments"`,
            {
              hint: "e.g. parse.loaders: 'dwg: dwg2text {file}; log: cat'",
            },
          );
        }
        return [extension.toLowerCase(), command.split(/\s+/)] as const;
      }),
  );
}

/** Extensions, with their dot, that the user's commands read. */
export function declaredExtensions({ parse }: Settings): ReadonlySet<string> {
  return new Set(Object.keys(declaredLoaders(parse.loaders)).map((extension) => `.${extension}`));
}

/** Changes whenever a parser would make something else of the same bytes. */
export function parserFingerprint({ parse }: Settings): string {
  const ocr = parse.ocr === "off" ? "" : `-${parse.ocr}-${parse.ocrLanguages}`;
  const reader = parse.parser === "builtin" ? "" : `-${parse.parser}`;
  const loaders = parse.loaders === "" ? "" : `-${parse.loaders}`;
  return `${parserRevision}${ocr}${reader}${loaders}`;
}

/**
 * The content of a file from the cache, else read by `parse`, composed and kept, unless limits left something
 * out: that is tried again.
 */
export async function parseCached(
  file: SourceFile,
  settings: Settings,
  cache: Cache,
  parse: () => Promise<ParsedDocument>,
): Promise<ParsedDocument> {
  // Data has had tables of its records since revision 23.
  const format = file.format === "data" ? "records" : file.format;
  const key = `${format}/${parserFingerprint(settings)}/${file.name}`;
  const content = await cache.documents.get(file.sha256, key);
  if (content !== undefined) return { file, content, method: file.format };
  const parsed = await parse();
  const document = { ...parsed, content: toNfc(parsed.content) };
  if (document.content.omitted === undefined) await cache.documents.put(file.sha256, key, document.content);
  return document;
}

/**
 * The parsed content of a document's file, from the cache, or parsed again where the cache has dropped it.
 * @throws SOURCE_*
 */
export async function loadParsedContent(
  { path, name, format, sizeBytes, sha256 }: DocumentSummary,
  settings: Settings,
  cache: Cache,
  run: Run,
): Promise<ParsedContent> {
  // The registry holds what `formats` names.
  const file = { path, name, format: format as Format, sizeBytes, sha256 };
  await using pool = createSourceReaders(settings);
  return (await parseCached(file, settings, cache, () => pool.parse(file, run.signal))).content;
}

/**
 * Pages of a PDF as pictures; none of another format. The file must be the one that was ingested. @throws
 * SOURCE_*
 */
export async function renderPages(
  { path, name, format, sizeBytes, sha256 }: DocumentSummary,
  draw: readonly PageToDraw[],
  { parse }: Settings,
  run: Run,
): Promise<readonly PagePicture[]> {
  if (format !== "pdf" || draw.length === 0) return [];
  const { timeoutMs, memoryMb, maxBytes } = parse;
  await using pool = openParserPool({ workers: 1, timeoutMs, memoryMb, maxBytes, draw });
  const { content } = await pool.parse({ path, name, format, sizeBytes, sha256 }, run.signal);
  return content.pictures ?? [];
}
