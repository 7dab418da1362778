import type { Command } from "commander";
import type { Placement } from "../../app/documents/placement.ts";
import { isAddress } from "../../app/fetch/address.ts";
import { callerPath } from "../../config/caller.ts";
import { isModelPath } from "../../config/settings.ts";
import type { FileReport, IngestEvent, IngestReport, IngestRequest } from "../../core/app.ts";
import type { EstimateReport, IngestEstimate } from "../../core/documents/estimate.ts";
import { priorities } from "../../core/documents/queue.ts";
import { errorTable } from "../../core/errors.ts";
import { parseMetadataArguments, usageError } from "../../core/metadata/metadata.ts";
import { z } from "../../core/schema.ts";
import { numberOf } from "../../operations/derive/typed.ts";
import { text, textFlags, toggle } from "../../operations/fields.ts";
import { defined, field, type InputOf } from "../../operations/operation.ts";
import { bytes, duration, plural, singleLine } from "../../operations/text.ts";
import { ingestShape, jobsShape } from "../../shapes/documents.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { instanceField, settingFields } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { lowerPriority } from "../shell/priority.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";
import { uniqueHints } from "./advice.ts";
import { depthField, formatCounts, resumeNotice, syncFolders } from "./sync.ts";

const loadModels = () => import("../../app/engines/models.ts");

const { milvusUri, embeddingModel, chunkSize, chunkOverlap, exportType, threads } = settingFields;

/** Priority of a job, as it is typed. */
export const jobPriority = z
  .string()
  .transform(
    (typed) =>
      Object.entries(priorities).find(([name]) => name === typed.trim().toLowerCase())?.[1] ??
      numberOf(typed),
  )
  .refine(Number.isInteger, "must be low, normal, high or a whole number");

const input = {
  paths: field(
    "<paths...>",
    z.array(z.string()),
    "files, folders (recursive) or quoted globs; or one URL of a page (https://…) or repository (git+https://…@REVISION)",
  ),
  collection: text(
    "-c, --collection <name>",
    "collection to ingest into (default: ingest.collection, general_knowledge)",
  ),
  instance: instanceField("public"),
  department: text("--department <name>", "department the documents belong to (default: the collection's)"),
  meta: textFlags(
    "--meta <key=value>",
    "set metadata of these documents, e.g. department=legal or version=1.15; key= removes a key; may be repeated",
  ),
  background: toggle(
    "--background",
    "queue one job per path for `ragctl worker`; --collection auto uses the collection synced with the folder",
  ),
  estimate: toggle(
    "--estimate",
    "predict the time of each phase first, and report the error of the prediction at the end",
  ),
  priority: field(
    "--priority <priority>",
    jobPriority.default(priorities.normal),
    "priority of a --background job: low, normal, high or a number; higher runs first",
  ),
  depth: depthField,
  ...{ threads, exportType, milvusUri, embeddingModel, chunkSize, chunkOverlap },
};
type IngestFlags = Omit<InputOf<typeof input>, "paths">;

/** `ragctl ingest`: read, chunk, embed and store. */
export function registerIngest(program: Command): void {
  const examples = ["ragctl ingest ./docs --collection manuals"];
  defineCommand(declare(program, "ingest"), { input, examples }, (session, { paths, ...flags }) =>
    ingestPaths(session, paths, flags),
  );
}

/** Ingests the paths, or queues them, or fetches the address. */
async function ingestPaths(session: Session, paths: readonly string[], flags: IngestFlags): Promise<void> {
  const { meta, instance, department, embeddingModel } = flags;
  const metadata = meta === undefined ? {} : { metadata: parseMetadataArguments(meta) };
  const isAddressed = isOneAddress(paths, flags);
  const app = await session.app();
  const request = {
    paths,
    ...(await app.placement(flags.collection)),
    ...defined({ instance, department }),
    ...metadata,
  };
  if (embeddingModel !== undefined) await checkModel(embeddingModel, request.collection, session);
  if (isAddressed) return syncFolders(session, paths[0], { ...flags, ...metadata });
  if (flags.background) return queue(request, flags, session);
  lowerPriority(session);
  session.onStop(resumeNotice);
  const report = await printIngestProgress(
    app.ingest({ ...request, estimate: flags.estimate }, session.run),
    session,
  );
  const data = ingestShape.report(report);
  session.output.result({
    text: ingestText(report),
    data,
    lines: [{ event: "ingest-end", ...data, files: undefined }],
  });
  if (report.counts.failed > 0)
    session.exit(errorTable[missing(report.files) ? "SOURCE_MISSING" : "SOME_DOCUMENTS_FAILED"].exit);
}

/**
 * Whether the single path is an address to fetch. @throws USAGE_INVALID for an address together with other
 * paths, or with options that do not apply to it
 */
function isOneAddress(paths: readonly string[], { background, estimate, depth }: IngestFlags): boolean {
  if (!paths.some(isAddress)) {
    if (depth === undefined) return false;
    throw usageError(
      "--depth applies only to the URL of a page",
      "remove it; folders are always read completely",
    );
  }
  if (paths.length > 1)
    throw usageError("a URL must be the only argument", "pass one URL and no other paths");
  if (background || estimate)
    throw usageError("a URL cannot be combined with --background or --estimate", "remove them");
  return true;
}

/** @throws USAGE_INVALID where the collection has another embedding model than the one that was asked for */
async function checkModel(asked: string, collection: string, { app: open, run }: Session): Promise<void> {
  const app = await open();
  const wanted = isModelPath(asked)
    ? callerPath(asked)
    : await (await loadModels()).embeddingModel(app.parts.home);
  const { embedder = wanted } = (await app.collections(run)).find(({ name }) => name === collection) ?? {};
  if (embedder === wanted) return;
  const change = `ragctl reembed --collection ${collection} --model ${wanted}`;
  throw usageError(`${collection} is embedded with ${embedder}, not ${wanted}`, `change it first: ${change}`);
}

/** Queues a job for each path. @throws USAGE_INVALID with what a job does not carry */
async function queue(
  request: Placement & Pick<IngestRequest, "paths">,
  { priority, milvusUri, meta, embeddingModel }: IngestFlags,
  session: Session,
): Promise<void> {
  const refuse = (option: string, given: string | readonly string[] | undefined, hint: string): void => {
    if (given !== undefined) throw usageError(`${option} cannot be combined with --background`, hint);
  };
  const byHome = "remove one of them: workers use what the settings of the home name";
  refuse("--milvus-uri", milvusUri, byHome);
  refuse("--embedding-model", embeddingModel, byHome);
  const later = "remove --background, or set the metadata with a second ingest";
  refuse("--meta", meta, `${later}: unchanged files are not read again`);
  const app = await session.app();
  const jobs = await app.background.enqueue({ ...request, priority }, session.run);
  const text = [
    ...jobs.map((job) => `queued ${job.id} ${job.documentPath} for ${job.targetCollection}`),
    "run `ragctl worker` to process the queue",
  ].join("\n");
  session.output.result({ text, data: jobsShape(jobs) });
}

/** Lists every file as it ends, and returns the report. */
export async function printIngestProgress(
  events: AsyncIterable<IngestEvent>,
  session: Session,
): Promise<IngestReport> {
  const { output } = session;
  using progress = createProgress("ingest", "file", output);
  progress.stage("finding files");
  const reasonOf = uniqueHints();
  for await (const event of events) {
    if (event.type === "ingest-end") return event.report;
    if (event.type === "estimate") {
      if (output.format === "jsonl")
        output.line({ event: "estimate", ...ingestShape.estimate(event.estimate) });
      else output.note(estimateText(event.estimate));
      continue;
    }
    if (event.type === "files-found") {
      progress.set(0, event.total, "");
      continue;
    }
    const { file, done, total } = event;
    if (output.format === "jsonl") output.line({ event: "file-end", ...ingestShape.file(file) });
    else if (
      output.format === "text" &&
      (file.reason !== "" || (!output.quiet && file.state !== "unchanged"))
    )
      output.stream(`${fileText({ ...file, reason: reasonOf(file) })}\n`);
    const { pages, chunks, etaMs } = event.progress;
    progress.set(done, total, `${plural(pages, "page")}, ${plural(chunks, "chunk")} · ${file.name}`, etaMs);
  }
  throw new TypeError("the ingest ended without a report");
}

/** `added     manual.pdf: 12 pages, 40 chunks`: one file that has ended. */
function fileText({ state, name, code, reason, pages, chunks }: FileReport): string {
  const stored = state === "added" || state === "updated";
  const size = [...(pages > 0 ? [plural(pages, "page")] : []), plural(chunks, "chunk")].join(", ");
  const why = [
    ...(stored ? [size] : []),
    ...(reason === "" ? [] : [`${code === "" ? "" : `${code} `}${reason}`]),
  ].join("; ");
  return singleLine(`${state.padEnd(9)} ${name}${why === "" ? "" : `: ${why}`}`);
}

/** Whether nothing but missing paths went wrong. */
function missing(files: readonly FileReport[]): boolean {
  return files.filter((file) => file.state === "failed").every((file) => file.code === "SOURCE_MISSING");
}

/** The summary after an ingest: totals, then the duration. */
export function ingestText(report: IngestReport): string {
  const { counts } = report;
  const sums = formatCounts({ ...counts, moved: 0, deleted: 0 });
  const ocr =
    counts.pagesNeedingOcr === 0
      ? []
      : [`${plural(counts.pagesNeedingOcr, "page")} without a text layer not read: OCR needed`];
  // Of nothing that was read the times say nothing.
  if (sums === `${counts.failed} failed`) return `${report.collection}: ${sums}`;
  return [
    `${report.collection}: ${sums}; ${plural(counts.pages, "page")}, ${plural(counts.chunks, "chunk")}, ${plural(counts.tokens, "token")}`,
    ...ocr,
    "",
    phaseTable(report),
    ...(report.estimate === undefined ? [] : [estimateEnd(report.estimate)]),
    `peak memory ${bytes(report.peakRssBytes)} · ${report.model} ${report.provider === "" ? "not needed" : `on ${report.provider}`}`,
  ].join("\n");
}

/** `expected 2 min 10 s for 12 files (4.1 MB): read 1 s, parse 40 s …`. */
function estimateText({ files, bytes: size, durationMs, phases, rates, ocrPageMs }: IngestEstimate): string {
  const parts = phases.map((phase) => `${phase.phase} ${duration(phase.durationMs)}`).join(", ");
  const basis =
    rates === "measured" ? "based on past ingests" : "partly assumed: too few past ingests on this machine";
  const scans =
    ocrPageMs === undefined
      ? ""
      : `; pages of PDFs that need OCR are not included: about ${duration(ocrPageMs)} each`;
  return `expected ${duration(durationMs)} for ${plural(files, "file")} (${bytes(size)}): ${parts}; ${basis}${scans}`;
}

/** How far off an estimate was: `expected 2 min 10 s, took 2 min 30 s (+15 %): parse -3 %, embed +20 %`. */
function estimateEnd({ durationMs, usedMs, error, phases }: EstimateReport): string {
  const percent = (value: number): string => `${value < 0 ? "" : "+"}${Math.round(value * 100)} %`;
  const parts = phases.map((phase) => `${phase.phase} ${percent(phase.error)}`).join(", ");
  return `expected ${duration(durationMs)}, took ${duration(usedMs)} (${percent(error)}): ${parts}`;
}

/** Each phase with its time, what it counted and how fast that was. */
export function phaseTable(report: Pick<IngestReport, "phases">): string {
  const rows = report.phases.map(({ phase, durationMs, counts }) => {
    const tokens = counts["tokens"];
    const rate =
      phase === "embed" && tokens !== undefined && tokens > 0 && durationMs > 0
        ? `${Math.round(tokens / (durationMs / 1000))} tokens/s`
        : "";
    const sums = Object.entries(counts).map(
      ([name, value]) => `${Number(value.toFixed(3))} ${value === 1 ? name.replace(/s$/, "") : name}`,
    );
    return [phase, duration(durationMs), sums.join(", "), rate];
  });
  return table(["phase", "time", "counts", "rate"], rows);
}
