import type { Citation } from "../../core/answers/answer.ts";
import type { ExportedCitation } from "../../core/answers/export.ts";
import type { ReplayRecord } from "../../core/answers/replay.ts";
import { isFindingId } from "../../core/answers/tool.ts";
import type { DocumentSummary } from "../../core/app.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { lazyMap } from "../../core/lazy.ts";
import type { Run } from "../../core/run.ts";
import type { ExportCheck } from "../../shapes/verify.ts";
import { readableDocuments } from "../documents/documents.ts";
import { boxesOf } from "../documents/places.ts";
import { publicModelName } from "../engines/models.ts";
import { loadParsedContent, renderPages } from "../engines/parsers.ts";
import type { Home } from "../home.ts";
import { redactAnswer, runVisibility } from "../records.ts";
import type { Surface } from "../surface.ts";
import { exportHtml, readExport, type ShownCitation } from "./export-html.ts";
import { normalizeQuote, quoteFinder } from "./quotes.ts";

type Exporting = Pick<Surface, "show" | "passage" | "parts">;

/**
 * A past answer as one HTML page, with the present images of the cited pages. @throws NOT_FOUND,
 * PERMISSION_DENIED where it is based on something the principal may no longer read, USAGE_INVALID for a run
 * without an answer
 */
export async function exportRun(reference: string, app: Exporting, run: Run): Promise<string> {
  const { home } = app.parts;
  const limits = await runVisibility(home, run);
  const past = await home.runs.get(reference, limits?.of);
  const unanswered = (code: "PERMISSION_DENIED" | "USAGE_INVALID", why: string): RagctlError =>
    new RagctlError(code, `run ${past.id} cannot be exported: ${why}`, {
      hint: "`ragctl logs` lists the runs that answered a question",
    });
  if (past.kind !== "ask" || past.verdict === null) throw unanswered("USAGE_INVALID", "it has no answer");
  const { question, response, verdict, citations } = await redactAnswer(past, limits);
  if (verdict === null)
    throw unanswered("PERMISSION_DENIED", "it is based on something you may no longer read");
  const shown: ShownCitation[] = [];
  for (const citation of citations) shown.push(await shownCitation(citation, app, run));
  const readable = new Set((await home.access.allowed(run, null, "read")).collections);
  return exportHtml(
    {
      ...{ format: "ragctl-export", version: 1, run_id: past.id, question, response },
      principal: past.principal,
      asked_at: past.startedAt,
      exported_at: new Date(await home.registry.now()).toISOString(),
      program_version: past.programVersion,
      replay: past.replay === null ? null : { ...shownRecord(past.replay, readable, citations) },
    },
    verdict,
    shown,
  );
}

/**
 * A record for the recipient of the page: without hits that were not cited, searched collections that may not
 * be read, and the locations of models.
 */
function shownRecord(
  record: ReplayRecord,
  readable: ReadonlySet<string>,
  citations: readonly Citation[],
): ReplayRecord {
  const { documents: _, ...request } = record.request;
  const cited = new Set(citations.map(({ chunkId }) => chunkId));
  return {
    ...record,
    request,
    settings: JSON.parse(
      JSON.stringify(record.settings, (_key, value) =>
        typeof value === "string" ? publicModelName(value) : value,
      ),
    ),
    model: record.model === null ? null : publicModelName(record.model),
    stores: record.stores.filter(({ collection }) => readable.has(collection)),
    hits: record.hits.filter(({ chunkId }) => cited.has(chunkId)),
  };
}

/**
 * A citation with its passage, and of a PDF its pages as pictures; without both where the document has
 * changed.
 */
async function shownCitation(
  citation: Citation,
  { passage: passageOf, parts }: Exporting,
  run: Run,
): Promise<ShownCitation> {
  const { marker, sourceFile, collection, pages, section, quotes, chunkId } = citation;
  const facts = { marker, document: sourceFile, collection, pages: [...pages], section, quotes: [...quotes] };
  const without = { ...facts, document_id: "", sha256: "", passage: "", pictures: [] };
  if (isFindingId(chunkId)) return without;
  try {
    const { document, chunk } = await passageOf(chunkId, run);
    const whole = { ...without, document_id: document.id, sha256: document.sha256, passage: chunk.text };
    const pictures = await pagesOf(document, chunk, quotes, parts.home, run).catch((error: unknown) => {
      run.signal.throwIfAborted();
      run.log.warn(`${document.name} was exported without page images: ${asRagctlError(error).message}`);
      return [];
    });
    return { ...whole, pictures };
  } catch (error) {
    if (error instanceof RagctlError && error.code === "NOT_FOUND") return without;
    throw error;
  }
}

/** The pages that contain the quotes, else the pages of the passage, with both boxed. */
async function pagesOf(
  document: DocumentSummary,
  { text, pages }: Chunk,
  quotes: readonly string[],
  home: Home,
  run: Run,
) {
  if (document.format !== "pdf") return [];
  const content = await loadParsedContent(document, home.settings, await home.cache(), run);
  const quoted = quotes.flatMap((quote) => boxesOf(quote, pages, content));
  const boxes = quoted.length > 0 ? quoted : boxesOf(text, pages, content);
  const shown = boxes.length > 0 ? [...new Set(boxes.map(({ page }) => page))] : pages.slice(0, 1);
  const draw = shown.map((page) => ({ page, boxes: boxes.filter((box) => box.page === page) }));
  return renderPages(document, draw, home.settings, run);
}

/** Checks an exported answer against the documents that may be read now. @throws USAGE_INVALID */
export async function checkExport(html: string, { show, parts }: Exporting, run: Run): Promise<ExportCheck> {
  const { record, isPageIntact } = readExport(html);
  const documents = await readableDocuments(parts.home, run);
  const citations: ExportCheck["citations"][number][] = [];
  const chunksOf = lazyMap((id: string) => show(id, run).then(({ chunks }) => chunks));
  for (const citation of record.citations) {
    run.signal.throwIfAborted();
    // A tool's result is in no file.
    if (citation.collection === "") continue;
    const { marker, document, pages } = citation;
    const found = documentOf(citation, documents);
    const state = found === undefined ? "gone" : found.sha256 === citation.sha256 ? "unchanged" : "changed";
    const chunks = found === undefined ? [] : await chunksOf(found.id);
    citations.push({ marker, document, pages, state, quotesFound: areQuoted(citation, chunks) });
  }
  return { runId: record.run_id, question: record.question, isPageIntact, citations };
}

/**
 * The document that was cited; by its name where it was put in again, or had changed by the time of the
 * export.
 */
const documentOf = (
  { document_id, document, collection }: ExportedCitation,
  all: readonly DocumentSummary[],
) =>
  all.find(({ id }) => id === document_id) ??
  all.find((each) => each.name === document && each.collection === collection);

/** Whether each quote is on one of the pages of the citation. */
function areQuoted({ quotes, pages }: ExportedCitation, chunks: readonly Chunk[]): boolean {
  const onPages = chunks.filter(
    (chunk) => pages.length === 0 || chunk.pages.some((page) => pages.includes(page)),
  );
  const isThere = quoteFinder(onPages.map(({ text }) => text));
  return quotes.every((quote) => normalizeQuote(quote) !== "" && isThere(quote));
}
