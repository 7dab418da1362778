import type { Command } from "commander";
import type { DocumentHistory } from "../../core/documents/versions.ts";
import { diffShape, duplicatesShape, historyShape, pruneShape } from "../shapes/documents.ts";
import { listOption, positiveInteger, share, wholeNumber } from "../shell/options.ts";
import { table } from "../shell/output.ts";
import { action } from "../shell/session.ts";
import { bytes, counted } from "../shell/text.ts";

/** `ragctl history`, `diff`, `restore`, `prune`, `duplicates`: what documents were, and which say the same. */
export function registerVersions(program: Command): void {
  program
    .command("history")
    .description("list the versions of a document, newest first")
    .argument("<document>", "id (or its unique beginning), name or path")
    .addHelpText("after", "\nExample:\n  ragctl history policy_handbook.pdf")
    .action(
      action(async (session, reference: string) => {
        const found = await (await session.app()).inStep.history(reference, session.run);
        session.output.result({ text: historyText(found), data: historyShape(found) });
      }),
    );

  program
    .command("diff")
    .description(
      "compare the texts of two versions of a document (default: the one before, and the visible one)",
    )
    .argument("<document>", "id (or its unique beginning), name or path")
    .argument("[from]", "version", positiveInteger)
    .argument("[to]", "version", positiveInteger)
    .addHelpText("after", "\nExample:\n  ragctl diff policy_handbook.pdf 1 2")
    .action(
      action(async (session, reference: string, from: number | undefined, to: number | undefined) => {
        const versions = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
        const found = await (await session.app()).inStep.diff(reference, versions, session.run);
        const same = `version ${found.from} and version ${found.to} of ${found.document.name} have the same text`;
        session.output.result({ text: found.patch === "" ? same : found.patch, data: diffShape(found) });
      }),
    );

  program
    .command("restore")
    .description("make a kept version of a document the visible one again; the file on disk stays as it is")
    .argument("<document>", "id (or its unique beginning), name or path")
    .argument("<version>", "number in `ragctl history`", positiveInteger)
    .addHelpText("after", "\nExample:\n  ragctl restore policy_handbook.pdf 1")
    .action(
      action(async (session, reference: string, version: number) => {
        const found = await (await session.app()).inStep.restore(reference, version, session.run);
        session.output.result({ text: historyText(found), data: historyShape(found) });
      }),
    );

  program
    .command("prune")
    .description("remove the chunks of replaced versions; documents and their history stay")
    .option("--keep <n>", "replaced versions of each document that stay", wholeNumber, 0)
    .option("-c, --collection <name>", "this collection only")
    .option("--dry-run", "only tell what would go")
    .addHelpText("after", "\nExample:\n  ragctl prune --keep 1 --dry-run")
    .action(
      action(
        async (
          session,
          flags: { readonly keep: number; readonly collection?: string; readonly dryRun?: boolean },
        ) => {
          const of = flags.collection === undefined ? {} : { collection: flags.collection };
          const report = await (await session.app()).inStep.prune(
            { keep: flags.keep, dryRun: flags.dryRun === true, ...of },
            session.run,
          );
          const lines = report.versions.map(
            ({ name, version, collection, chunks }) =>
              `${name} v${version} (${collection}, ${counted(chunks, "chunk")})`,
          );
          const end = `${counted(report.versions.length, "replaced version")} ${report.dryRun ? "would go" : "removed"}`;
          session.output.result({ text: [...lines, end].join("\n"), data: pruneShape(report) });
        },
      ),
    );

  program
    .command("duplicates")
    .description("list documents of the same content, and pairs that say nearly the same")
    .addOption(listOption("-c, --collection <name>", "this collection only; may be repeated"))
    .option("--threshold <share>", "least share of equal five-word runs, 0 to 1", share, 0.8)
    .addHelpText("after", "\nExample:\n  ragctl duplicates --threshold 0.7")
    .action(
      action(
        async (session, flags: { readonly collection?: readonly string[]; readonly threshold: number }) => {
          const report = await (await session.app()).inStep.duplicates(
            flags.collection ?? [],
            flags.threshold,
            session.run,
          );
          const exact = report.exact.flatMap(({ paths }) => [
            "same content, stored once:",
            ...paths.map((path) => `  ${path}`),
          ]);
          const near = report.near.flatMap(({ similarity, paths }) => [
            `${Math.round(similarity * 100)} % alike:`,
            ...paths.map((path) => `  ${path}`),
          ]);
          const text = exact.length + near.length === 0 ? "no duplicates" : [...exact, ...near].join("\n");
          session.output.result({ text, data: duplicatesShape(report) });
        },
      ),
    );
}

function historyText({ document, versions }: DocumentHistory): string {
  const rows = versions.map(({ version, isLatest, kept, at, sizeBytes, chunks, sha256, origin, name }) => [
    `v${version}`,
    isLatest ? "visible" : kept ? "kept" : "gone",
    at.slice(0, 19).replace("T", " "),
    bytes(sizeBytes),
    chunks,
    sha256.slice(0, 8),
    origin,
    name,
  ]);
  return [
    `${document.id} ${document.path}`,
    table(["version", "state", "since", "size", "chunks", "sha256", "by", "name"], rows),
  ].join("\n");
}
