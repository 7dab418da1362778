import type { Command } from "commander";
import type { SyncEvent } from "../../app/documents/sync.ts";
import type { SyncRequest } from "../../core/documents/sync.ts";
import type { GivenMetadata } from "../../core/metadata/metadata.ts";
import { z } from "../../core/schema.ts";
import { text, textFlags, toggle, whole } from "../../operations/fields.ts";
import { defined, field, type InputOf } from "../../operations/operation.ts";
import { duration, plural, singleLine, timeOf } from "../../operations/text.ts";
import type { SyncReport } from "../../shapes/documents.ts";
import { type FolderSource, sourcesShape, syncShape, syncsShape } from "../../shapes/documents.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { forEachReporting } from "../shell/each.ts";
import { instanceField, settingFields } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { lowerPriority } from "../shell/priority.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";
import { uniqueHints } from "./advice.ts";

/** Note when work is stopped that keeps every finished file. */
export const resumeNotice = "stopping: finished files are kept; run the same command again to continue";

const noSources = "no synced folders; `ragctl sync FOLDER` adds one";

/** How many links away from a page others are fetched too. */
export const depthField = whole(
  "--depth <n>",
  0,
  "for the URL of a page: also fetch pages on the same host up to n links away, as allowed by its robots.txt",
);

/** Flags that say which files of a folder go where. */
export const folderFields = {
  collection: text(
    "-c, --collection <name>",
    "collection to update (default: the one of the folder's last sync)",
  ),
  instance: instanceField("private"),
  department: text(
    "--department <name>",
    "department the documents belong to (default: the one of the last sync, else the collection's)",
  ),
  include: textFlags(
    "--include <pattern>",
    "include only files that match a .gitignore pattern; may be repeated",
  ),
  exclude: textFlags("--exclude <pattern>", "exclude files that match a .gitignore pattern; may be repeated"),
  threads: settingFields.threads,
};

const flagFields = {
  ...folderFields,
  depth: depthField,
  dryRun: toggle("--dry-run", "show what would change without changing it"),
  verify: toggle("--verify", "read every file, even if its size and time did not change"),
  deleteExcluded: toggle("--delete-excluded", "also remove documents whose files exist but are now excluded"),
  allowEmpty: toggle("--allow-empty", "continue even if the folder contains no files"),
};
type SyncFlags = Partial<InputOf<typeof flagFields>> & { readonly metadata?: GivenMetadata };

/** `ragctl sync` and `ragctl sources`: collections kept in step with folders. */
export function registerSync(program: Command): void {
  const folder = text(
    "[folder]",
    "folder (its .gitignore and .ragctlignore are respected), or a URL as in `ragctl ingest`, which is fetched again",
  );
  const examples = ["ragctl sync ./handbook --collection policies --exclude 'drafts/' --dry-run"];
  defineCommand(
    declare(program, "sync"),
    { input: { folder, ...flagFields }, examples },
    (session, { folder, ...flags }) => syncFolders(session, folder, flags),
  );
  registerSources(program);
}

/** The folders that are kept in sync; addresses are fetched only when typed. */
function rememberedFolders(sources: readonly FolderSource[], session: Session): readonly FolderSource[] {
  for (const { address } of sources)
    if (address !== "")
      session.run.log.warn(
        `${address} skipped: a URL is fetched only when you name it: ragctl sync ${address}`,
      );
  return sources.filter(({ address }) => address === "");
}

/** Keeps folders, or the content of an address, in sync. */
export async function syncFolders(
  session: Session,
  folder: string | undefined,
  flags: SyncFlags,
): Promise<void> {
  lowerPriority(session);
  session.onStop(resumeNotice);
  const { background } = await session.app();
  const options = syncOptions(flags);
  const requests: readonly SyncRequest[] =
    folder === undefined
      ? rememberedFolders(await background.sources(session.run), session).map((source) => ({
          ...options,
          folder: source.folder,
          collection: source.collection,
        }))
      : [{ ...options, folder }];
  const reports = await forEachReporting(
    requests,
    (request) => `${request.collection} ← ${request.folder}`,
    (request) => follow(background.sync(request, session.run), session),
    session,
  );
  const [only] = reports;
  session.output.result({
    text: reports.length === 0 ? noSources : reports.map(syncText).join("\n\n"),
    data:
      only !== undefined && folder !== undefined ? syncShape.report(only) : syncsShape({ syncs: reports }),
    lines: reports.map((report) => ({ event: "sync-end", ...syncShape.report(report), files: undefined })),
  });
  if (reports.some((report) => report.counts.failed > 0)) session.exit(1);
}

/**
 * The request of the flags. Members that were not given are left out, so that the folder's mapping fills
 * them.
 */
function syncOptions(flags: SyncFlags): Omit<SyncRequest, "folder"> {
  const { collection, instance, department, include, exclude, depth, metadata } = flags;
  const { dryRun, verify, deleteExcluded, allowEmpty } = flags;
  const kept = { collection, instance, department, include, exclude, depth, metadata };
  return defined({ ...kept, dryRun, verify, deleteExcluded, allowEmpty });
}

function registerSources(program: Command): void {
  const sources = declare(program, "sources");
  const listing = { summary: "list synced folders and their collections", examples: ["ragctl sources list"] };
  defineCommand(sources.command("list", { isDefault: true }), listing, async ({ app, output, run }) => {
    const list = await (await app()).background.sources(run);
    output.result({ text: sourcesText(list), data: sourcesShape(list) });
  });
  defineCommand(
    sources.command("remove"),
    {
      summary: "stop syncing a folder; its documents are kept",
      input: { folder: field("<folder>", z.string(), "folder or URL, as listed") },
      examples: ["ragctl sources remove ./handbook"],
    },
    async ({ app, output, run }, { folder }) => {
      const { background } = await app();
      await background.removeSource(folder, run);
      output.result({
        text: `stopped syncing ${folder}; its documents are kept`,
        data: sourcesShape(await background.sources(run)),
      });
    },
  );
}

type Tell = (event: string, file: SyncReport["files"][number]) => void;

/** Prints each changed file as soon as it is known. */
function teller({ output }: Session): Tell {
  const reasonOf = uniqueHints();
  return (event, file) => {
    if (output.format === "jsonl") output.line({ event, ...syncShape.file(file) });
    else if (output.format === "text" && (file.reason !== "" || !output.quiet))
      output.stream(`${fileText({ ...file, reason: reasonOf(file) })}\n`);
  };
}

/** Reports files that failed before and are unchanged: they were not read, so no event mentioned them. */
function tellRest({ dryRun, files }: SyncReport, told: ReadonlySet<string>, tell: Tell): void {
  if (dryRun) return;
  for (const file of files) if (!told.has(file.path)) tell("file-end", file);
}

async function follow(events: AsyncIterable<SyncEvent>, session: Session): Promise<SyncReport> {
  using progress = createProgress("sync", "file", session.output);
  progress.stage("comparing the folder with the collection");
  const told = new Set<string>();
  const tell = teller(session);
  for await (const event of events) {
    if (event.type === "sync-end") {
      tellRest(event.report, told, tell);
      return event.report;
    }
    if (event.type === "file-end") progress.set(event.done, event.total, event.file.name);
    const { state } = event.file;
    const file = event.type === "file-end" ? { ...event.file, from: "" } : event.file;
    if (state === "unchanged") continue;
    told.add(file.path);
    tell(event.type, { ...file, state });
  }
  throw new TypeError("the sync ended without a report");
}

/** The former name of a moved file below its folder: its path, where that was another folder. */
function oldName({ from, path, name }: SyncReport["files"][number]): string {
  const folder = path.slice(0, path.length - name.length);
  return path.replaceAll("\\", "/").endsWith(`/${name}`) && from.startsWith(folder)
    ? from.slice(folder.length).replaceAll("\\", "/")
    : from;
}

/** `updated  manual.pdf: 3 pages without text`: one changed file. */
function fileText(file: SyncReport["files"][number]): string {
  const place = file.state === "moved" ? `${oldName(file)} → ${file.name}` : file.name;
  const why = file.reason === "" ? "" : `: ${file.code === "" ? "" : `${file.code} `}${file.reason}`;
  return singleLine(`${file.state.padEnd(8)} ${place}${why}`);
}

/** The number of files in each state: `2 added, 1 failed`. */
export function formatCounts(counts: Partial<SyncReport["counts"]>): string {
  const states = ["added", "updated", "moved", "deleted", "unchanged", "skipped", "failed"] as const;
  const sums = states.flatMap((state) => (counts[state] ? [`${counts[state]} ${state}`] : []));
  return sums.join(", ") || "no files";
}

/** The sums of a sync. A dry run has ended no file, so it lists what it would do. */
export function syncText({ files, counts, collection, folder, dryRun, durationMs }: SyncReport): string {
  const reasonOf = uniqueHints();
  const shown = dryRun ? files.slice(0, 50).map((file) => fileText({ ...file, reason: reasonOf(file) })) : [];
  if (dryRun && files.length > shown.length)
    shown.push(`… and ${files.length - shown.length} more (--format json lists all)`);
  return [
    ...shown,
    `${collection} ← ${folder}: ${formatCounts(counts)}${dryRun ? " (dry run: nothing changed)" : ""}; ${plural(counts.hashed, "file")} read, ${plural(counts.chunks, "chunk")}, ${duration(durationMs)}`,
  ].join("\n");
}

function sourcesText(sources: readonly FolderSource[]): string {
  if (sources.length === 0) return noSources;
  const rows = sources.map(
    ({ folder, address, depth, collection, department, include, exclude, syncedAt }) => {
      const rules = [...include.map((each) => `+${each}`), ...exclude.map((each) => `-${each}`)].join(" ");
      const place = `${address || folder}${depth > 0 ? ` (depth ${depth})` : ""}`;
      return [place, collection, department, rules, syncedAt === null ? "never" : timeOf(syncedAt)];
    },
  );
  return table(["folder", "collection", "department", "patterns", "synced"], rows);
}
