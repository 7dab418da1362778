import type { Citation, Verdict } from "../../core/answers/answer.ts";
import type { CollectionSummary, DocumentSummary, FileReport, IngestReport } from "../../core/app.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import type { RagctlError } from "../../core/errors.ts";
import type { PhaseMetrics } from "../../core/run.ts";

/** Version of every JSON document ragctl prints; raised when a member is removed, renamed or changes its meaning (docs/formats.md). */
export const schemaVersion = 1;

/** `pagesNeedingOcr` → `pages_needing_ocr`. */
export function snake(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

/** A phase as one flat object: its counts beside `phase` and `duration_ms`. */
export function phaseShape({ phase, durationMs, counts }: PhaseMetrics): {
  readonly phase: string;
  readonly duration_ms: number;
} {
  const named = Object.fromEntries(Object.entries(counts).map(([name, value]) => [snake(name), value]));
  return { ...named, phase, duration_ms: durationMs };
}

/** Where a passage stands: `page_number` is the first of `pages`, null where the format has none. */
export function placeShape(pages: readonly number[], section: string) {
  return { page_number: pages[0] ?? null, pages, section };
}

/** Heading path of a chunk. */
export const sectionOf = (chunk: Chunk): string => chunk.headings.join(" › ");

function fileShape({ path, name, state, code, reason, pages, chunks, tokens, pagesWithoutText }: FileReport) {
  return { path, name, state, code, reason, pages, chunks, tokens, pages_without_text: pagesWithoutText };
}

/** ingest.schema.json: `report` is the document, `file` one member of its `files`. */
export const ingestShape = {
  file: fileShape,
  report({ runId, collection, files, counts, phases, peakRssBytes, model, provider }: IngestReport) {
    const { embeddedFromCache, pagesNeedingOcr, ...sums } = counts;
    return {
      schema_version: schemaVersion,
      run_id: runId,
      collection,
      files: files.map(fileShape),
      counts: { ...sums, embedded_from_cache: embeddedFromCache, pages_needing_ocr: pagesNeedingOcr },
      phases: phases.map(phaseShape),
      peak_rss_bytes: peakRssBytes,
      model,
      provider,
    };
  },
};

/** One member of `documents` in list.schema.json. */
export function documentShape(document: DocumentSummary) {
  const {
    id,
    version,
    collection,
    instance,
    department,
    name,
    path,
    format,
    title,
    sizeBytes,
    sha256,
    pages,
    chunks,
    ingestedAt,
  } = document;
  const place = { id, version, collection, instance, department, name, path, format, title };
  return { ...place, size_bytes: sizeBytes, sha256, pages, chunks, ingested_at: ingestedAt };
}

/** list.schema.json: what is known, or what `forget` removed. */
export function documentsShape(documents: readonly DocumentSummary[]) {
  return { schema_version: schemaVersion, documents: documents.map(documentShape) };
}

function chunkShape(chunk: Chunk) {
  return {
    chunk_id: chunk.id,
    ordinal: chunk.ordinal,
    text: chunk.text,
    ...placeShape(chunk.pages, sectionOf(chunk)),
    content_type: chunk.contentType,
    token_count: chunk.tokenCount,
  };
}

/** show.schema.json. */
export function showShape(document: DocumentSummary, chunks: readonly Chunk[]) {
  return { schema_version: schemaVersion, document: documentShape(document), chunks: chunks.map(chunkShape) };
}

/** collections.schema.json. */
export function collectionsShape(collections: readonly CollectionSummary[]) {
  return {
    schema_version: schemaVersion,
    collections: collections.map(({ name, instance, documents, chunks, embedder, dimensions, lexical }) => {
      return { name, instance, documents, chunks, embedder, dimensions, lexical };
    }),
  };
}

/** An agent as listed; `tools` are names by priority. */
export interface AgentView {
  readonly name: string;
  readonly department: string;
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly tools: readonly string[];
  readonly enabled: boolean;
}

/** agents.schema.json. */
export function agentsShape(agents: readonly AgentView[]) {
  return { schema_version: schemaVersion, agents };
}

/** The resident process and the local databases it keeps. */
export interface StatusView {
  readonly pid: number;
  readonly uptimeMs: number;
  /** Commands that use it now. */
  readonly clients: number;
  readonly instances: readonly {
    readonly name: string;
    readonly pid: number;
    readonly rssBytes: number;
    readonly uri: string;
  }[];
}

/** status.schema.json; null when no resident process runs. */
export function statusShape(status: StatusView | null) {
  if (status === null) return { schema_version: schemaVersion, running: false };
  const { pid, uptimeMs, clients, instances } = status;
  const kept = instances.map((instance) => ({
    name: instance.name,
    pid: instance.pid,
    rss_bytes: instance.rssBytes,
    uri: instance.uri,
  }));
  return { schema_version: schemaVersion, running: true, pid, uptime_ms: uptimeMs, clients, instances: kept };
}

/** A model of the manifest; `downloadBytes` and `sizeBytes` are null where only the hub knows them. */
export interface ModelView {
  readonly id: string;
  readonly task: string;
  readonly licence: string;
  readonly state: "ready" | "partial" | "missing" | "damaged" | "unsupported";
  readonly folder: string;
  readonly downloadBytes: number | null;
  readonly files: readonly {
    readonly name: string;
    readonly state: "present" | "missing" | "damaged";
    readonly sizeBytes: number | null;
  }[];
}

function modelShape({ id, task, licence, state, folder, downloadBytes, files }: ModelView) {
  const parts = files.map((file) => ({ name: file.name, state: file.state, size_bytes: file.sizeBytes }));
  return { id, task, licence, state, folder, download_bytes: downloadBytes, files: parts };
}

/** models.schema.json. */
export function modelsShape(models: readonly ModelView[]) {
  return { schema_version: schemaVersion, models: models.map(modelShape) };
}

/** One thing `doctor` looked at; `hint` is "" when there is nothing to do. */
export interface CheckView {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed";
  readonly message: string;
  readonly hint: string;
}

/** doctor.schema.json; `ok` when no check failed. */
export function doctorShape(checks: readonly CheckView[]) {
  return { schema_version: schemaVersion, ok: checks.every(({ status }) => status !== "failed"), checks };
}

/** A past run: `startedAt` ISO 8601, `summary` the question or what was ingested. */
export interface RunView {
  readonly id: string;
  readonly kind: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly summary: string;
  /** `completed`, `failed` or `cancelled`. */
  readonly state: string;
  /** What ended a run that did not complete. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** Null for an ingest. */
  readonly answer: {
    readonly question: string;
    readonly response: string;
    readonly verdict: Verdict | null;
    readonly citations: readonly Citation[];
  } | null;
  readonly phases: readonly PhaseMetrics[];
}

/** One member of `runs` in logs.schema.json. */
export function runShape({ id, kind, startedAt, durationMs, summary, state, phases }: RunView) {
  return {
    id,
    kind,
    started_at: startedAt,
    duration_ms: durationMs,
    summary,
    state,
    phases: phases.map(phaseShape),
  };
}

/** logs.schema.json: past runs, newest first. */
export function logsShape(runs: readonly RunView[]) {
  return { schema_version: schemaVersion, runs: runs.map(runShape) };
}

/** error.schema.json: what stderr carries when a command fails and the format is not text. */
export function errorShape({ code, message, hint, exitStatus }: RagctlError) {
  return {
    schema_version: schemaVersion,
    error: { code, message, hint: hint ?? "", exit_status: exitStatus },
  };
}
