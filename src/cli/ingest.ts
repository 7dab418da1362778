import type { Command } from "commander";
import { Option } from "commander";
import type { Placement } from "../app/placement.ts";
import type { FileReport, IngestReport } from "../core/app.ts";
import { errorTable } from "../core/errors.ts";
import type { Instance } from "../core/retrieval.ts";
import { wholeNumber } from "./options.ts";
import { table } from "./output.ts";
import { lowPriority, threadsOption } from "./priority.ts";
import { openProgress } from "./progress.ts";
import { action } from "./session.ts";
import { ingestShape } from "./shapes.ts";
import { jobShape, jobsShape } from "./step-shapes.ts";
import { bytes, counted, duration } from "./text.ts";

interface IngestFlags {
  readonly collection: string;
  readonly instance?: Instance;
  readonly department?: string;
  readonly background?: boolean;
  readonly priority: number;
}

/** Collection for documents nobody assigned. */
export const defaultCollection = "general_knowledge";

/** `ragctl ingest`: read, chunk, embed and store. */
export function registerIngest(program: Command): void {
  program
    .command("ingest")
    .description("read files, folders or globs into a collection; unchanged files cost nothing")
    .argument("<paths...>", "files, folders (recursive) or quoted globs")
    .option("-c, --collection <name>", "collection to ingest into", defaultCollection)
    .addOption(
      new Option("--instance <instance>", "Milvus instance of a new collection; default: as the registry plans it, else public").choices([
        "public",
        "private",
      ]),
    )
    .option("--department <name>", "department the documents belong to; default: the collection's")
    .option("--background", "put it in the queue for `ragctl worker`, one job a path; --collection auto asks the known folders")
    .option("--priority <n>", "of a job; the highest is done first", wholeNumber, 0)
    .addOption(threadsOption())
    .addHelpText("after", "\nExample:\n  ragctl ingest ./docs --collection manuals")
    .action(
      action(async (session, paths: readonly string[], flags: IngestFlags) => {
        const app = await session.app();
        const { background, priority, collection } = flags;
        const { instance, department } = { ...app.placement(collection), ...given(flags) };
        const request = { paths, collection, instance, department };
        if (background === true) {
          const jobs = await app.inStep.enqueue({ ...request, priority }, session.run);
          const text = [...jobs.map((job) => `queued ${job.id} ${job.documentPath}`), "`ragctl worker` does what is queued"].join("\n");
          session.output.result({ text, data: jobsShape(jobs), lines: jobs.map(jobShape) });
          return;
        }
        lowPriority(session);
        const progress = openProgress("ingest", "files", session.output);
        let report: IngestReport | undefined;
        try {
          for await (const event of app.ingest(request, session.run)) {
            if (event.type === "ingest-end") report = event.report;
            else {
              progress.set(event.done, event.total, `${event.progress.pages} pages, ${event.progress.chunks} chunks · ${event.file.name}`);
              if (session.output.format === "jsonl") session.output.line({ event: "file-end", ...ingestShape.file(event.file) });
            }
          }
        } finally {
          progress.close();
        }
        if (report === undefined) throw new TypeError("the ingest ended without a report");
        const data = ingestShape.report(report);
        session.output.result({ text: ingestText(report), data, lines: [{ event: "ingest-end", ...data, files: undefined }] });
        if (report.counts.failed > 0) session.exit(errorTable[missing(report.files) ? "SOURCE_MISSING" : "SOME_DOCUMENTS_FAILED"].exit);
      }),
    );
}

/** The flags that were given. */
function given({ instance, department }: IngestFlags): Partial<Placement> {
  return { ...(instance === undefined ? {} : { instance }), ...(department === undefined ? {} : { department }) };
}

/** Whether nothing but missing paths went wrong. */
function missing(files: readonly FileReport[]): boolean {
  return files.filter((file) => file.state === "failed").every((file) => file.code === "SOURCE_MISSING");
}

/** What a person reads after an ingest: what went wrong first, then the sums, then the time. */
export function ingestText(report: IngestReport): string {
  const notable = report.files.filter((file) => file.reason !== "");
  const shown = notable
    .slice(0, 30)
    .map((file) => `${file.state.padEnd(9)} ${file.name}: ${file.code === "" ? "" : `${file.code} `}${file.reason}`);
  if (notable.length > shown.length) shown.push(`… and ${notable.length - shown.length} more (--format json lists all)`);
  const { counts } = report;
  const states = (["added", "updated", "unchanged", "skipped", "failed"] as const).filter((state) => counts[state] > 0);
  const sums = states.map((state) => `${counts[state]} ${state}`).join(", ");
  const ocr =
    counts.pagesNeedingOcr === 0 ? [] : [`${counted(counts.pagesNeedingOcr, "page")} without a text layer need OCR and were not read`];
  return [
    ...shown,
    ...(shown.length > 0 ? [""] : []),
    `${report.collection}: ${sums === "" ? "no files" : sums}; ${counted(counts.pages, "page")}, ${counted(counts.chunks, "chunk")}, ${counted(counts.tokens, "token")}`,
    ...ocr,
    "",
    phaseTable(report),
    `peak memory ${bytes(report.peakRssBytes)} · ${report.model} ${report.provider === "" ? "not needed" : `on ${report.provider}`}`,
  ].join("\n");
}

/** Each phase with its time, what it counted and how fast that was. */
export function phaseTable(report: Pick<IngestReport, "phases">): string {
  const rows = report.phases.map(({ phase, durationMs, counts }) => {
    const tokens = counts["tokens"];
    const rate = phase === "embed" && tokens !== undefined && durationMs > 0 ? `${Math.round(tokens / (durationMs / 1000))} tokens/s` : "";
    const counted = Object.entries(counts).map(([name, value]) => `${value} ${name}`);
    return [phase, duration(durationMs), counted.join(", "), rate];
  });
  return table(["phase", "time", "counts", "rate"], rows);
}
