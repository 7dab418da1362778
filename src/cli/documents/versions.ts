import type { Command } from "commander";
import type { DocumentHistory, DuplicateReport, PruneReport } from "../../core/documents/versions.ts";
import { diffShape, duplicatesShape, historyShape, pruneShape } from "../../shapes/documents.ts";
import { declared } from "../commands.ts";
import { listOption, share, versionNumber, wholeNumber } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { bytes, counted, inLine, timeOf } from "../shell/text.ts";
import { aboutDocument, type DocumentFlags, documentMeant, documentReference } from "./reference.ts";

/**
 * `ragctl history`, `diff`, `restore`, `prune`, `duplicates`: versions of documents, and documents with the
 * same text.
 */
export function registerVersions(program: Command): void {
  registerHistory(program);
  registerDiff(program);
  registerRestore(program);
  registerPrune(program);
  registerDuplicates(program);
}

function registerHistory(program: Command): void {
  aboutDocument(declared(program, "history"))
    .addHelpText("after", "\nExample:\n  ragctl history policy_handbook.pdf")
    .action(
      action(async (session, typed: string, flags: DocumentFlags) => {
        const app = await session.app();
        const reference = await documentMeant(typed, flags, app, session);
        const history = await app.background.history(reference, session.run);
        session.output.result({ text: historyText(history), data: historyShape(history) });
      }),
    );
}

function registerDiff(program: Command): void {
  aboutDocument(declared(program, "diff"))
    .argument("[from]", "version number, as listed by `ragctl history`", versionNumber)
    .argument("[to]", "version number, as listed by `ragctl history`", versionNumber)
    .addHelpText("after", "\nExample:\n  ragctl diff policy_handbook.pdf 1 2")
    .action(
      action(
        async (
          session,
          typed: string,
          from: number | undefined,
          to: number | undefined,
          flags: DocumentFlags,
        ) => {
          const app = await session.app();
          const reference = await documentMeant(typed, flags, app, session);
          const versions = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
          const diff = await app.background.diff(reference, versions, session.run);
          const same = `version ${diff.from} and version ${diff.to} of ${inLine(diff.document.name)} have the same text`;
          session.output.result({ text: diff.patch === "" ? same : diff.patch, data: diffShape(diff) });
        },
      ),
    );
}

function registerRestore(program: Command): void {
  declared(program, "restore")
    .argument("<document>", documentReference)
    .argument("<version>", "version number, as listed by `ragctl history`", versionNumber)
    .addHelpText("after", "\nExample:\n  ragctl restore policy_handbook.pdf 1")
    .action(
      action(async (session, reference: string, version: number) => {
        const history = await (await session.app()).background.restore(reference, version, session.run);
        session.output.result({ text: historyText(history), data: historyShape(history) });
      }),
    );
}

interface PruneFlags {
  readonly keep?: number;
  readonly collection?: string;
  readonly dryRun?: boolean;
}

function registerPrune(program: Command): void {
  declared(program, "prune")
    .option(
      "--keep <n>",
      "number of replaced versions to keep per document (default: ingest.keepVersions, 1)",
      wholeNumber,
    )
    .option("-c, --collection <name>", "prune only this collection")
    .option("--dry-run", "show what would be removed without removing it")
    .addHelpText("after", "\nExample:\n  ragctl prune --keep 0 --dry-run")
    .action(
      action(async (session, flags: PruneFlags) => {
        const { keep = session.settings.ingest.keepVersions, collection, dryRun } = flags;
        const scope = collection === undefined ? {} : { collection };
        const request = { keep, dryRun: dryRun === true, ...scope };
        const report = await (await session.app()).background.prune(request, session.run);
        session.output.result({ text: pruneText(report), data: pruneShape(report) });
      }),
    );
}

function pruneText({ versions, history: { runs, jobs }, dryRun }: PruneReport): string {
  const lines = versions.map(
    ({ name, version, collection, chunks }) =>
      `${inLine(name)} v${version} (${collection}, ${counted(chunks, "chunk")})`,
  );
  const gone = [
    counted(versions.length, "replaced version"),
    ...(runs > 0 ? [counted(runs, "recorded run")] : []),
    ...(jobs > 0 ? [counted(jobs, "ended job")] : []),
  ];
  return [...lines, `${gone.join(", ")} ${dryRun ? "would be removed" : "removed"}`].join("\n");
}

interface DuplicateFlags {
  readonly collection?: readonly string[];
  readonly threshold: number;
}

function registerDuplicates(program: Command): void {
  declared(program, "duplicates")
    .addOption(listOption("-c, --collection <name>", "check only this collection; may be repeated"))
    .option("--threshold <share>", "minimum share of common five-word sequences, 0 to 1", share, 0.8)
    .addHelpText("after", "\nExample:\n  ragctl duplicates --threshold 0.7")
    .action(
      action(async (session, { collection = [], threshold }: DuplicateFlags) => {
        const app = await session.app();
        const report = await app.background.duplicates(collection, threshold, session.run);
        session.output.result({ text: duplicatesText(report), data: duplicatesShape(report) });
      }),
    );
}

function duplicatesText({ exact, near }: DuplicateReport): string {
  const lines = [
    ...exact.flatMap(({ paths }) => [
      "same content, stored once:",
      ...paths.map((path) => `  ${inLine(path)}`),
    ]),
    ...near.flatMap(({ similarity, paths }) => [
      `${Math.round(similarity * 100)} % alike:`,
      ...paths.map((path) => `  ${inLine(path)}`),
    ]),
  ];
  return lines.length === 0 ? "no duplicates" : lines.join("\n");
}

function historyText({ document, versions }: DocumentHistory): string {
  const rows = versions.map(({ version, isLatest, kept, at, sizeBytes, chunks, sha256, origin, name }) => [
    `v${version}`,
    isLatest ? "visible" : kept ? "kept" : "gone",
    timeOf(at),
    bytes(sizeBytes),
    chunks,
    sha256.slice(0, 8),
    origin,
    inLine(name),
  ]);
  return [
    `${document.id} ${inLine(document.path)}`,
    table(["version", "state", "since", "size", "chunks", "sha256", "by", "name"], rows),
  ].join("\n");
}
