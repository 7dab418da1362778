import type { DocumentSummary } from "../core/app.ts";
import { cellsOf } from "../core/documents/cells.ts";
import type { Chunk } from "../core/documents/chunk.ts";
import { chunkMembers } from "../core/documents/chunk-members.ts";
import { formats } from "../core/documents/formats.ts";
import { type Job, jobStates } from "../core/documents/queue.ts";
import { z } from "../core/schema.ts";
import {
  chunkId,
  count,
  differenceMembers,
  instance,
  milliseconds,
  ordinal,
  phaseTimings,
  placeMembers,
  time,
} from "./members.ts";
import { derive, documentSchema, printer, type Source, schemaVersion } from "./shape.ts";

/** Heading path of a chunk. */
export const sectionOf = ({ headings }: Pick<Chunk, "headings">): string => headings.join(" › ");

/** The place of a passage: `pageNumber` is the first of `pages`, null where the format has none. */
export const placeOf = (pages: readonly number[], section: string, cells: readonly string[]) => ({
  pageNumber: pages[0] ?? null,
  pages,
  section,
  cells,
});

const file = z.object({
  path: z.string(),
  name: z.string(),
  state: z.enum(["added", "updated", "unchanged", "skipped", "failed"]),
  code: z.string().describe("Error code of a failure; otherwise empty."),
  reason: z.string().describe("Why it was skipped or failed, or what could not be read; otherwise empty."),
  pages: count,
  chunks: count,
  tokens: count,
  pages_without_text: z.array(ordinal).describe("1-based pages that need OCR."),
});
const estimateMembers = {
  files: count.describe("Number of files to read."),
  bytes: count,
  duration_ms: milliseconds.describe("Expected time."),
  rates: z
    .enum(["measured", "assumed"])
    .describe("Whether it is based on past ingests on this machine only, or partly assumed."),
  ocr_page_ms: milliseconds
    .describe("Expected time of a PDF page that needs OCR; such pages are not part of duration_ms.")
    .optional(),
};
const estimate = z.object({
  ...estimateMembers,
  phases: z.array(z.object({ phase: z.string(), duration_ms: milliseconds })),
});
const estimateReport = z.object({
  ...estimateMembers,
  used_ms: milliseconds,
  error: z.number().describe("(used − expected) ÷ expected."),
  phases: z.array(
    z.object({
      phase: z.string(),
      duration_ms: milliseconds,
      used_ms: milliseconds,
      error: z.number().describe("As above; 0 for a phase that was not predicted."),
    }),
  ),
});
const ingest = documentSchema("ingest", "Output of ragctl ingest --format json", {
  run_id: z.string(),
  collection: z.string(),
  files: z.array(file),
  counts: z.object({
    added: count,
    updated: count,
    unchanged: count,
    skipped: count,
    failed: count,
    chunks: count,
    tokens: count,
    pages: count,
    embedded_from_cache: count,
    pages_needing_ocr: count,
  }),
  phases: phaseTimings,
  peak_rss_bytes: count.describe("Peak resident memory, bytes."),
  model: z.string().describe("Id of the embedding model."),
  provider: z.string().describe("Device that ran the model, e.g. cpu or cuda."),
  estimate: estimateReport.describe("Only with --estimate.").optional(),
});
/** ingest.schema.json: `report` is the document, `file` one member of its `files`. */
export const ingestShape = { file: printer(file), report: printer(ingest), estimate: printer(estimate) };

const formatNames: readonly string[] = formats;
/** A document of the registry. */
export const document = z.object({
  id: z.string(),
  version: ordinal,
  collection: z.string(),
  instance,
  department: z.string(),
  name: z.string(),
  path: z.string(),
  format: z.enum(formatNames),
  title: z.string(),
  size_bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  pages: count.describe("0 if the format has none."),
  chunks: count,
  ingested_at: time,
  metadata: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]))
    .describe(
      "Metadata from the file and set by hand: texts, numbers, dates (ISO 8601), booleans and lists of texts.",
    ),
});
const list = documentSchema(
  "list",
  "Output of ragctl list (documents you can read) and ragctl forget (removed documents) --format json",
  { documents: z.array(document) },
);
const printList = printer(list);
/** list.schema.json: the known documents, or those that `forget` removed. */
export const documentsShape = (documents: readonly DocumentSummary[]) => printList({ documents });

const chunk = derive(
  z.object({
    chunk_id: chunkId,
    ordinal: count.describe("0-based position in the document."),
    text: chunkMembers.text,
    ...placeMembers,
    content_type: chunkMembers.contentType,
    token_count: count,
  }),
  (value: Chunk) => ({
    ...value,
    ...placeOf(value.pages, sectionOf(value), cellsOf(value)),
    chunkId: value.id,
  }),
);
const show = documentSchema("show", "Output of ragctl show --format json", {
  document,
  chunks: z.array(chunk).describe("In document order."),
});
/** One member of `chunks` in show.schema.json. */
export const chunkSchema = chunk;
const printShow = printer(show);
/** show.schema.json. */
export const showShape = (summary: DocumentSummary, chunks: readonly Chunk[]) =>
  printShow({ document: summary, chunks });

const syncFile = z.object({
  path: z.string(),
  name: z.string(),
  state: z.enum(["added", "updated", "moved", "deleted", "skipped", "failed"]),
  from: z.string().describe("Previous path of a moved document; otherwise empty."),
  code: z.string().describe("Error code of a failure; otherwise empty."),
  reason: z.string(),
  chunks: count,
});
const sync = documentSchema("sync", "Output of ragctl sync FOLDER, sync URL and ingest URL --format json", {
  run_id: z.string(),
  folder: z.string(),
  collection: z.string(),
  dry_run: z.boolean(),
  files: z.array(syncFile).describe("Every file that is not unchanged."),
  counts: z.object({
    added: count,
    updated: count,
    moved: count,
    deleted: count,
    unchanged: count,
    skipped: count,
    failed: count,
    hashed: count,
    chunks: count,
    embedded_from_cache: count,
  }),
  phases: phaseTimings,
  duration_ms: milliseconds,
});
const syncs = documentSchema("syncs", "Output of ragctl sync --format json without a folder", {
  syncs: z.array(z.object(sync.shape)),
});
/** The changes of a folder's documents. */
export type SyncReport = Source<typeof sync>;
/** sync.schema.json: `report` is the document, `file` one member of its `files`. */
export const syncShape = { file: printer(syncFile), report: printer(sync) };
/** syncs.schema.json: every folder that is kept in step. */
export const syncsShape = printer(syncs);

const sources = documentSchema("sources", "Output of ragctl sources --format json", {
  sources: z.array(
    z.object({
      folder: z.string(),
      address: z
        .string()
        .describe("URL that ragctl sync URL fetches into the folder; empty for your own folders."),
      depth: count.describe("For pages: how many links away other pages are fetched."),
      collection: z.string(),
      instance,
      department: z.string(),
      include: z.array(z.string()),
      exclude: z.array(z.string()),
      synced_at: z.string().nullable().describe("ISO 8601; null before the first complete sync."),
    }),
  ),
});
const printSources = printer(sources);
/** A folder and its collection. */
export type FolderSource = Source<typeof sources>["sources"][number];
/** sources.schema.json. */
export const sourcesShape = (list: readonly FolderSource[]) => printSources({ sources: list });

const history = documentSchema("history", "Output of ragctl history and ragctl restore --format json", {
  document,
  versions: z
    .array(
      z.object({
        version: ordinal,
        is_latest: z.boolean(),
        kept: z.boolean().describe("Its chunks are still stored: it can be compared and restored."),
        sha256: z.string(),
        size_bytes: count,
        name: z.string(),
        path: z.string(),
        pages: count,
        chunks: count,
        origin: z.enum(["ingest", "restore"]),
        at: z.string().describe("When it became visible, ISO 8601."),
      }),
    )
    .describe("Newest first."),
});
/** The versions of a document that were visible once, newest first. */
export type DocumentHistory = Source<typeof history>;
/** history.schema.json. */
export const historyShape = printer(history);

const diff = documentSchema("diff", "Output of ragctl diff --format json", {
  document,
  from: ordinal,
  to: ordinal,
  added: count,
  removed: count,
  patch: z.string().describe("Unified line diff; empty if the texts are the same."),
});
/** What changed between the texts of two versions. */
export type DocumentDiff = Source<typeof diff>;
/** diff.schema.json. */
export const diffShape = printer(diff);

const prune = documentSchema("prune", "Output of ragctl prune --format json", {
  dry_run: z.boolean(),
  versions: z.array(
    z.object({
      document_id: z.string(),
      collection: z.string(),
      name: z.string(),
      version: ordinal,
      chunks: count,
    }),
  ),
  history: z
    .object({ runs: count, jobs: count })
    .describe("Questions, ingests and finished jobs older than history.keepDays."),
});
/** Replaced versions and old runs that were removed, or would be. */
export type PruneReport = Source<typeof prune>;
/** prune.schema.json. */
export const pruneShape = printer(prune);

const duplicates = documentSchema("duplicates", "Output of ragctl duplicates --format json", {
  exact: z
    .array(z.object({ sha256: z.string(), collection: z.string(), paths: z.array(z.string()) }))
    .describe("Paths with the same content, which is stored once."),
  near: z
    .array(
      z.object({
        similarity: z.number().min(0).max(1),
        paths: z.array(z.string()),
        collection: z.string(),
      }),
    )
    .describe("Most similar first."),
});
/** Documents that say the same or nearly so. */
export type DuplicateReport = Source<typeof duplicates>;
/** duplicates.schema.json. */
export const duplicatesShape = printer(duplicates);

const modelInStore = z.object({ model: z.string(), store: z.string() });
const reembed = z.object({
  schema_version: z.literal(schemaVersion),
  collection: z.string(),
  from: modelInStore,
  to: modelInStore,
  contents: count,
  chunks: count,
  truncated: count.describe("Chunks longer than the model reads; their vectors do not cover the end."),
  embedded_from_cache: count,
  gate: z
    .object({
      ...differenceMembers,
      margin: z.number().describe("Allowed drop of the metric."),
      questions: count,
      skipped: count.describe("Lines of the file that do not concern this collection."),
    })
    .nullable()
    .describe("Result of --gate; null without it."),
  phases: phaseTimings,
  duration_ms: milliseconds,
});
const reembeds = documentSchema("reembed", "Output of ragctl reembed --format json", {
  reembeds: z.array(reembed),
});

/** What new vectors were made, and the result of the gate. */
export type ReembedReport = Omit<Source<typeof reembed>, "schemaVersion">;
export { reembed as reembedSchema };
/** One member of `reembeds` in reembed.schema.json. */
export const reembedShape = printer(reembed);
/** reembed.schema.json. */
export const reembedsShape = printer(reembeds);

const job = z.object({
  id: z.string(),
  document_path: z.string(),
  department: z.string(),
  target_collection: z.string(),
  instance,
  principal: z.string(),
  priority: z.number(),
  timestamp: z.string(),
  state: z.enum(jobStates),
  attempts: count,
  worker: z.string(),
  not_before: z.string().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  progress: z.object({
    files: count,
    total_files: count,
    pages: count,
    chunks: count,
    failed: count,
    eta_ms: z.number().nullable(),
  }),
});
const jobs = documentSchema(
  "jobs",
  "Output of ragctl queue, ragctl worker and ragctl ingest --background with --format json",
  { jobs: z.array(job) },
);
const printJobs = printer(jobs);
const queue = documentSchema("queue", "Output of ragctl queue status --format json", {
  transport: z.enum(["registry", "kafka"]),
  states: z.object({ waiting: count, running: count, done: count, dead: count, cancelled: count }),
  oldest_waiting_ms: milliseconds.nullable().describe("Age of the oldest waiting job; null if none waits."),
  ended_per_minute: z.number().describe("Jobs finished or dead per minute, over the last five minutes."),
  unsent: count.describe("Waiting jobs not yet sent to the broker; 0 without one."),
  lag: count
    .nullable()
    .describe("Messages no worker has taken; null without a broker or if it does not respond."),
});

export { ingest as ingestDocument, job as jobSchema, list as listDocument };
/** One member of `jobs` in jobs.schema.json. */
export const jobShape = printer(job);
/** queue.schema.json. */
export const queueShape = printer(queue);
/** jobs.schema.json. */
export const jobsShape = (list: readonly Job[]) => printJobs({ jobs: list });

/** The documents of this file, for config/schemas/. */
export const documentDocuments = [
  ingest,
  list,
  show,
  sync,
  syncs,
  sources,
  history,
  diff,
  prune,
  duplicates,
  reembeds,
  jobs,
  queue,
];
