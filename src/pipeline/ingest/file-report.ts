import type { FileReport, FileState, IngestReport } from "../../core/app.ts";
import type { ParsedDocument } from "../../core/documents/document.ts";
import type { Absence } from "../../core/documents/readiness.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Failure } from "../../core/flow.ts";
import { plural } from "../../core/plural.ts";

/** Report on a file with nothing but its state. */
export function fileReport(
  file: { readonly path: string; readonly name: string },
  state: FileState,
): FileReport {
  return {
    path: file.path,
    name: file.name,
    state,
    code: "",
    reason: "",
    pages: 0,
    chunks: 0,
    tokens: 0,
    pagesWithoutText: [],
  };
}

/** Codes of files that are skipped rather than failed: they were not meant to be read. */
const skipped: ReadonlySet<string> = new Set(["SOURCE_UNSUPPORTED", "SOURCE_IGNORED"]);

/** Reports a file that could not be read; one not meant to be read is skipped, not failed. */
export function failureReport({
  name,
  path = name,
  error,
}: Pick<Failure, "name" | "path" | "error">): FileReport {
  const { message, hint } = error;
  const reason = hint === undefined ? message : `${message}; ${hint}`;
  return {
    ...fileReport({ path, name }, skipped.has(error.code) ? "skipped" : "failed"),
    code: error.code,
    reason,
    error: { message, hint },
  };
}

/** Reports a file whose document was removed during its ingest; the removal is respected. */
export function removedReport(
  file: { readonly path: string; readonly name: string },
  absence: Absence,
): FileReport {
  const what = absence === "forgotten" ? "it was removed" : "another command removed it";
  const reason = `${what} during the ingest; ingest it again to keep it`;
  return { ...fileReport(file, "skipped"), code: "NOT_FOUND", reason };
}

/** Whether a file was left out because its document was removed. */
export const isAbsent = ({ state, code }: FileReport): boolean => state === "skipped" && code === "NOT_FOUND";

/** Adds what this run retried, if anything. */
export function withRetries(report: FileReport, again: string | undefined): FileReport {
  if (again === undefined) return report;
  const note = `retried: ${again} had been skipped`;
  return { ...report, reason: report.reason === "" ? note : `${note}; ${report.reason}` };
}

/** Reports a document of images only: a failure that counts its pages. */
export function needsOcrReport({
  file,
  content: { pageCount, pagesWithoutText },
}: ParsedDocument): FileReport {
  const error = new RagctlError(
    "SOURCE_NEEDS_OCR",
    `${file.name} has ${plural(pageCount, "page")} and no text layer: only images`,
    {
      hint: "set parse.ocr to auto, and parse.ocrLanguages to the language of the document",
    },
  );
  return { ...failureReport({ ...file, error }), pages: pageCount, pagesWithoutText };
}

/** Sums over all files. */
export function sumCounts(files: readonly FileReport[], embeddedFromCache: number): IngestReport["counts"] {
  const states = { added: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
  const counts = { ...states, chunks: 0, tokens: 0, pages: 0, pagesNeedingOcr: 0, embeddedFromCache };
  for (const file of files) {
    counts[file.state] += 1;
    counts.chunks += file.chunks;
    counts.tokens += file.tokens;
    counts.pages += file.pages;
    counts.pagesNeedingOcr += file.pagesWithoutText.length;
  }
  return counts;
}
