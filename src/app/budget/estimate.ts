import { extname } from "node:path";
import type { IngestReport } from "../../core/app.ts";
import type { ParsedDocument, SourceFile } from "../../core/documents/document.ts";
import type { EstimateReport, IngestEstimate } from "../../core/documents/estimate.ts";
import { type Format, formatOfExtension } from "../../core/documents/formats.ts";
import {
  compareEstimate,
  estimateIngest,
  type IngestedFile,
  ingestSamples,
  type SizedFile,
} from "../../pipeline/budget/ingest.ts";
import { maxSamples, type Samples } from "../../pipeline/budget/rates.ts";
import type { Home } from "../home.ts";
import { machineName } from "./machine.ts";

/** Measures how long each file is parsed. */
export interface ParseMeter {
  /** Notes that a file is read, from the cache or by `parse`. */
  saw(file: SourceFile): void;
  /** Runs a parser and keeps its time. */
  time(file: SourceFile, parse: () => Promise<ParsedDocument>): Promise<ParsedDocument>;
  /** The files of a report that were stored, if they were seen. */
  ingested(report: Pick<IngestReport, "files">): readonly IngestedFile[];
}

/** Creates the meter of one ingest. */
export function createParseTimer(): ParseMeter {
  const seen = new Map<string, SourceFile>();
  const times = new Map<string, Pick<IngestedFile, "parseMs" | "pagesByOcr">>();
  return {
    saw: (file) => void seen.set(file.path, file),
    async time(file, parse) {
      const since = performance.now();
      const parsed = await parse();
      const pagesByOcr = parsed.content.pagesByOcr?.length ?? 0;
      times.set(file.path, { parseMs: performance.now() - since, pagesByOcr });
      return parsed;
    },
    ingested: ({ files }) =>
      files.flatMap(({ path, state, chunks, tokens, pages }) => {
        const file = seen.get(path);
        if (file === undefined || (state !== "added" && state !== "updated")) return [];
        const { format, sizeBytes } = file;
        const { parseMs, pagesByOcr = 0 } = times.get(path) ?? {};
        return [{ format, sizeBytes, chunks, tokens, pages, parseMs, pagesByOcr }];
      }),
  };
}

/** A listed file with the format of its name. */
export const sizedFile = ({ name, sizeBytes }: Pick<SourceFile, "name" | "sizeBytes">): SizedFile => ({
  format: formatOfExtension(extname(name).toLowerCase()) ?? "text",
  sizeBytes,
});

const formatSubject = (format: Format): string => `ingest/${format}`;
const ocrSubject = "ingest/ocr";
const modelSubject = (model: string): string => `ingest/${model}`;

/** What ingesting these files will take, by what past ingests took on this machine. */
export async function estimateIngestDuration(
  files: readonly SizedFile[],
  model: string,
  { rates, settings }: Pick<Home, "rates" | "settings">,
): Promise<IngestEstimate> {
  const byFormat = new Map<Format, Samples>();
  for (const format of new Set(files.map((file) => file.format)))
    byFormat.set(format, await rates.of(machineName(), formatSubject(format)));
  return estimateIngest(files, {
    format: (format) => byFormat.get(format) ?? new Map(),
    rest: await rates.of(machineName(), modelSubject(model)),
    ocr: settings.parse.ocr === "off" ? null : await rates.of(machineName(), ocrSubject),
  });
}

/** Records the duration of an ingest, and how far off its estimate was, if it had one. */
export async function recordIngestDuration(
  report: IngestReport,
  meter: ParseMeter,
  usedMs: number,
  estimate: IngestEstimate | undefined,
  { rates }: Pick<Home, "rates">,
): Promise<EstimateReport | undefined> {
  const ingested = meter.ingested(report);
  if (ingested.length > 0) {
    const { formats: measured, rest, ocr } = ingestSamples(ingested, report.phases, usedMs);
    for (const [format, samples] of measured)
      await rates.add(machineName(), formatSubject(format), samples, maxSamples);
    await rates.add(machineName(), modelSubject(report.model), rest, maxSamples);
    await rates.add(machineName(), ocrSubject, ocr, maxSamples);
  }
  return estimate === undefined ? undefined : compareEstimate(estimate, report.phases, usedMs);
}
