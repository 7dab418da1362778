import type { Check } from "../../app/owner/check.ts";
import type { RunView } from "../../app/records.ts";
import type { DocumentSummary } from "../../core/app.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import { blockKinds } from "../../core/documents/document.ts";
import { formats } from "../../core/documents/formats.ts";
import { errorTable, type RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { chunkId, count, instance, milliseconds, ordinal, phases, placeMembers, time } from "./members.ts";
import { documentSchema, from, printer, type Source } from "./shape.ts";

/** Heading path of a chunk. */
export const sectionOf = (chunk: Chunk): string => chunk.headings.join(" › ");

/** Where a passage stands: `pageNumber` is the first of `pages`, null where the format has none. */
export const placeOf = (pages: readonly number[], section: string) => ({
  pageNumber: pages[0] ?? null,
  pages,
  section,
});

const file = z.object({
  path: z.string(),
  name: z.string(),
  state: z.enum(["added", "updated", "unchanged", "skipped", "failed"]),
  code: z.string().describe("Error code of a failure, else empty."),
  reason: z.string().describe("Why it was skipped or failed, or what was lost while reading; else empty."),
  pages: count,
  chunks: count,
  tokens: count,
  pages_without_text: z.array(ordinal).describe("1-based pages that need OCR."),
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
  phases,
  peak_rss_bytes: count.describe("Resident memory at its highest, bytes."),
  model: z.string().describe("Id of the embedding model."),
  provider: z.string().describe("Where it ran, e.g. cpu or cuda."),
});
/** ingest.schema.json: `report` is the document, `file` one member of its `files`. */
export const ingestShape = { file: printer(file), report: printer(ingest) };

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
  pages: count.describe("0 where the format has none."),
  chunks: count,
  ingested_at: time,
});
const list = documentSchema(
  "list",
  "Output of ragctl list --format json (documents known) and ragctl forget --format json (documents removed)",
  { documents: z.array(document) },
);
const printList = printer(list);
/** One member of `documents` in list.schema.json. */
export const documentShape = printer(document);
/** list.schema.json: what is known, or what `forget` removed. */
export const documentsShape = (documents: readonly DocumentSummary[]) => printList({ documents });

const chunk = from(
  z.object({
    chunk_id: chunkId,
    ordinal: count.describe("0-based position in the document."),
    text: z.string(),
    ...placeMembers,
    content_type: z.enum(blockKinds),
    token_count: count,
  }),
  (value: Chunk) => ({ ...value, ...placeOf(value.pages, sectionOf(value)), chunkId: value.id }),
);
const show = documentSchema("show", "Output of ragctl show --format json", {
  document,
  chunks: z.array(chunk).describe("In the order of the document."),
});
/** One member of `chunks` in show.schema.json. */
export const chunkSchema = chunk;
/** As `chunkSchema` prints it. */
export const chunkShape = printer(chunk);
const printShow = printer(show);
/** show.schema.json. */
export const showShape = (summary: DocumentSummary, chunks: readonly Chunk[]) =>
  printShow({ document: summary, chunks });

const statusDocument = documentSchema("status", "Output of ragctl status --format json", {
  running: z.boolean().describe("Whether the resident process runs; the other members are there only then."),
  pid: count.optional(),
  uptime_ms: milliseconds.optional(),
  rss_bytes: count.describe("Resident memory of the process, with the models it holds.").optional(),
  clients: count.describe("Commands that use it now.").optional(),
  commands: z
    .array(z.looseObject({ command: z.string(), principal: z.string(), running_ms: milliseconds }))
    .describe("Commands that it runs; a principal other than the owner sees its own.")
    .optional(),
  models: z
    .array(
      z.looseObject({
        id: z.string(),
        task: z.enum(["embed", "generate"]),
        file_bytes: count,
        users: count.describe("Commands that hold it."),
        waiting: count.describe("Generations that wait for their turn."),
      }),
    )
    .optional(),
  instances: z
    .array(z.looseObject({ name: z.string(), pid: count, rss_bytes: count, uri: z.string() }))
    .optional(),
});
const printStatus = printer(statusDocument);
/** status.schema.json; null when no resident process runs. */
export const statusShape = (status: Omit<Source<typeof statusDocument>, "running"> | null) =>
  printStatus(status === null ? { running: false } : { ...status, running: true });

const bytesOrNull = count.nullable().describe("Null where only the hub knows it.");
const models = documentSchema("models", "Output of ragctl models list --format json", {
  models: z.array(
    z.looseObject({
      id: z.string(),
      task: z.string(),
      licence: z.string(),
      state: z.enum(["ready", "partial", "missing", "damaged", "unsupported"]),
      folder: z.string(),
      download_bytes: bytesOrNull,
      files: z.array(
        z.looseObject({
          name: z.string(),
          state: z.enum(["present", "missing", "damaged"]),
          size_bytes: bytesOrNull,
        }),
      ),
    }),
  ),
});
const printModels = printer(models);
/** models.schema.json. */
export const modelsShape = (states: Source<typeof models>["models"]) => printModels({ models: states });

const doctor = documentSchema("doctor", "Output of ragctl doctor --format json", {
  ok: z.boolean().describe("Whether no check failed."),
  checks: z.array(
    z.looseObject({
      name: z.string(),
      status: z.enum(["ok", "warning", "failed"]),
      message: z.string(),
      hint: z.string().describe("What to do next; empty when nothing."),
    }),
  ),
});
const printDoctor = printer(doctor);
/** doctor.schema.json; `ok` when no check failed. */
export const doctorShape = (checks: readonly Check[]) =>
  printDoctor({ ok: checks.every(({ status }) => status !== "failed"), checks });

/** What every past run has. */
export const runMembers = {
  id: z.string(),
  kind: z.string(),
  started_at: time,
  duration_ms: milliseconds,
  summary: z.string().describe("The question, or what was ingested."),
  state: z.enum(["completed", "failed", "cancelled"]),
  phases,
};
const run = z.looseObject(runMembers);
const logs = documentSchema("logs", "Output of ragctl logs --format json", {
  runs: z.array(run).describe("Newest first."),
});
const printLogs = printer(logs);
/** One member of `runs` in logs.schema.json. */
export const runShape = printer(run);
/** logs.schema.json: past runs, newest first. */
export const logsShape = (runs: readonly RunView[]) => printLogs({ runs });

const error = documentSchema(
  "error",
  "What stderr carries when a command fails and the format is json or jsonl",
  {
    error: z.object({
      code: z.enum(Object.keys(errorTable)),
      message: z.string().describe("What happened to which thing."),
      hint: z.string().describe("What to do next; empty when nothing is known."),
      exit_status: z.int().min(1).max(255),
    }),
  },
);
const printError = printer(error);
/** error.schema.json: what stderr carries when a command fails and the format is not text. */
export const errorShape = ({ code, message, hint = "", exitStatus }: RagctlError) =>
  printError({ error: { code, message, hint, exitStatus } });

/** The schemas themselves, for who must state them beforehand. */
export { ingest as ingestDocument, list as listDocument };
/** The documents of this file, for config/schemas/. */
export const commonDocuments = [ingest, list, show, statusDocument, models, doctor, logs, error];
