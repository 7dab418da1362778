import type { EstimateReport, IngestEstimate } from "../../core/documents/estimate.ts";
import type { Format } from "../../core/documents/formats.ts";
import { formatFacts } from "../../core/documents/formats.ts";
import { lazyMap } from "../../core/lazy.ts";
import type { PhaseMetrics } from "../../core/run.ts";
import { type Samples, sampleQuantile } from "./rates.ts";

/** A file before it is read; its format is from its name. */
export interface SizedFile {
  readonly format: Format;
  readonly sizeBytes: number;
}

/** An ingested file. `parseMs` is absent if the parser's output was cached. */
export interface IngestedFile extends SizedFile {
  readonly chunks: number;
  readonly tokens: number;
  readonly parseMs: number | undefined;
  /** 0 where the format has none. */
  readonly pages: number;
  readonly pagesByOcr: number;
}

/** Past measurements: by format, and for the other phases by embedding model. */
export interface IngestSamples {
  readonly format: (format: Format) => Samples;
  readonly rest: Samples;
  /** Null if OCR is off. */
  readonly ocr: Samples | null;
}

/** New measurements of one ingest. */
export interface IngestMeasured {
  readonly formats: ReadonlyMap<Format, Readonly<Record<string, number>>>;
  readonly rest: Readonly<Record<string, number>>;
  readonly ocr: Readonly<Record<string, number>>;
}

/** Used until something is measured: two slow cores and a small embedding model. */
const assumed: Readonly<Record<string, number>> = {
  read_ms_per_kb: 0.02,
  chunk_ms_per_token: 0.01,
  embed_ms_per_token: 1,
  store_ms_per_chunk: 10,
  overlap: 1,
  ocr_ms_per_page: 2000,
};
const assumedOf = (format: Format): Readonly<Record<string, number>> =>
  "isText" in formatFacts[format]
    ? { parse_ms_per_kb: 1, tokens_per_kb: 230, chunks_per_kb: 1 }
    : { parse_ms_per_kb: 3, tokens_per_kb: 25, chunks_per_kb: 0.15 };

/** Below this size, in kB, the time is mostly starting the parser. */
const leastParsedKilobytes = 64;

const kilobytes = (bytes: number): number => bytes / 1000;

/**
 * Estimated time of files by phase: sizes × the median rate of past ingests. An image counts as one page of
 * OCR; pages of PDFs that need OCR are not counted.
 */
export function estimateIngest(files: readonly SizedFile[], samples: IngestSamples): IngestEstimate {
  let isMeasured = true;
  const rate = (known: Samples, otherwise: Readonly<Record<string, number>>, name: string): number => {
    const value = sampleQuantile(known.get(name), 0.5);
    isMeasured &&= value !== undefined;
    return value ?? otherwise[name] ?? 0;
  };
  const sum = (amount: (file: SizedFile) => number): number =>
    files.reduce((total, file) => total + amount(file), 0);
  // Samples are looked up once per format, not per file and rate.
  const samplesOf = lazyMap(samples.format);
  const bySize = (name: string, { format, sizeBytes }: SizedFile): number =>
    kilobytes(sizeBytes) * rate(samplesOf(format), assumedOf(format), name);
  const byFormat = (name: string): number => sum((file) => bySize(name, file));
  const { ocr } = samples;
  const parseMs = (file: SizedFile): number =>
    ocr !== null && file.format === "image"
      ? rate(ocr, assumed, "ocr_ms_per_page")
      : bySize("parse_ms_per_kb", file);
  const rest = (name: string): number => rate(samples.rest, assumed, name);
  const bytes = sum(({ sizeBytes }) => sizeBytes);
  const tokens = byFormat("tokens_per_kb");
  const phases = [
    { phase: "read", durationMs: kilobytes(bytes) * rest("read_ms_per_kb") },
    { phase: "parse", durationMs: sum(parseMs) },
    { phase: "chunk", durationMs: tokens * rest("chunk_ms_per_token") },
    { phase: "embed", durationMs: tokens * rest("embed_ms_per_token") },
    { phase: "store", durationMs: byFormat("chunks_per_kb") * rest("store_ms_per_chunk") },
  ];
  const durationMs = rest("overlap") * phases.reduce((total, phase) => total + phase.durationMs, 0);
  const rates = isMeasured ? "measured" : "assumed";
  const mayHoldScans = ocr !== null && files.some(({ format }) => format === "pdf");
  const scans = mayHoldScans ? { ocrPageMs: rate(ocr, assumed, "ocr_ms_per_page") } : {};
  return { files: files.length, bytes, durationMs, phases, rates, ...scans };
}

/** Measurements for the next estimate; excludes cached work. */
export function ingestSamples(
  files: readonly IngestedFile[],
  phases: readonly PhaseMetrics[],
  usedMs: number,
): IngestMeasured {
  const total = (some: readonly IngestedFile[], amount: (file: IngestedFile) => number): number =>
    some.reduce((all, file) => all + amount(file), 0);
  const ratio = (name: string, amount: number, by: number): Readonly<Record<string, number>> =>
    by > 0 ? { [name]: amount / by } : {};
  const formats = new Map<Format, Readonly<Record<string, number>>>();
  for (const format of new Set(files.map((file) => file.format))) {
    const same = files.filter((file) => file.format === format);
    const parsed = same.filter(({ parseMs, pagesByOcr }) => parseMs !== undefined && pagesByOcr === 0);
    const size = (some: readonly IngestedFile[]): number => kilobytes(total(some, (file) => file.sizeBytes));
    const parsedSize = size(parsed) < leastParsedKilobytes ? 0 : size(parsed);
    formats.set(format, {
      ...ratio(
        "parse_ms_per_kb",
        total(parsed, (file) => file.parseMs ?? 0),
        parsedSize,
      ),
      ...ratio(
        "tokens_per_kb",
        total(same, (file) => file.tokens),
        size(same),
      ),
      ...ratio(
        "chunks_per_kb",
        total(same, (file) => file.chunks),
        size(same),
      ),
    });
  }
  const timeOf = (name: string): number => phases.find(({ phase }) => phase === name)?.durationMs ?? 0;
  const countOf = (name: string, count: string): number =>
    phases.find(({ phase }) => phase === name)?.counts[count] ?? 0;
  const estimated = ["read", "parse", "chunk", "embed", "store"].reduce((all, name) => all + timeOf(name), 0);
  const rest = {
    ...ratio("read_ms_per_kb", timeOf("read"), kilobytes(total(files, (file) => file.sizeBytes))),
    ...ratio("chunk_ms_per_token", timeOf("chunk"), countOf("chunk", "tokens")),
    ...ratio("embed_ms_per_token", timeOf("embed"), countOf("embed", "tokens")),
    ...ratio("store_ms_per_chunk", timeOf("store"), countOf("store", "vectors")),
    ...ratio("overlap", usedMs, estimated),
  };
  const scans = files.filter(
    ({ parseMs, pages, pagesByOcr }) => parseMs !== undefined && pagesByOcr > 0 && pagesByOcr >= pages,
  );
  const ocr = ratio(
    "ocr_ms_per_page",
    total(scans, (file) => file.parseMs ?? 0),
    total(scans, (file) => file.pagesByOcr),
  );
  return { formats, rest, ocr };
}

/** The estimate compared with the actual times. */
export function compareEstimate(
  estimate: IngestEstimate,
  phases: readonly PhaseMetrics[],
  usedMs: number,
): EstimateReport {
  const errorOf = (used: number, expected: number): number =>
    expected > 0 ? (used - expected) / expected : 0;
  return {
    ...estimate,
    usedMs,
    error: errorOf(usedMs, estimate.durationMs),
    phases: estimate.phases.map(({ phase, durationMs }) => {
      const used = phases.find((each) => each.phase === phase)?.durationMs ?? 0;
      return { phase, durationMs, usedMs: used, error: errorOf(used, durationMs) };
    }),
  };
}
