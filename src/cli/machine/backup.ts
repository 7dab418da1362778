import type { Command } from "commander";
import { embeddingPrefix } from "../../core/answers/provider.ts";
import { z } from "../../core/schema.ts";
import { toggle } from "../../operations/fields.ts";
import { field } from "../../operations/operation.ts";
import { plural } from "../../operations/text.ts";
import { type BackupReport, backupShape } from "../../shapes/machine.ts";
import { programVersion } from "../../version.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { confirm } from "../shell/confirm.ts";
import type { Session } from "../shell/session.ts";

const loadBackup = () => import("../../app/owner/backup.ts");

/** `ragctl backup`: everything that cannot be made again, and back. */
export function registerBackup(program: Command): void {
  const backup = declare(program, "backup");
  defineCommand(
    backup.command("create"),
    {
      summary:
        "copy the registry, settings, uploads and local vectors to a new folder, without models and caches",
      input: { folder: field("<folder>", z.string(), "folder to create") },
      examples: ["ragctl backup create /mnt/backup/ragctl-monday"],
    },
    async (session, { folder }) => {
      await session.ownerOnly("create a backup");
      const { createBackup } = await loadBackup();
      const report = await createBackup(folder, await session.readable(), programVersion);
      session.output.result({ text: createdText(report), data: backupShape(report, []) });
    },
  );
  defineCommand(
    backup.command("restore"),
    {
      summary: "verify a backup's checksums and restore it into this home",
      input: {
        folder: field("<folder>", z.string(), "folder written by `ragctl backup create`"),
        force: toggle(
          "--force",
          "restore into a home that is not empty; what the backup replaces is moved aside and kept",
        ),
      },
      examples: ["ragctl backup restore /mnt/backup/ragctl-monday --home ~/ragctl-again"],
    },
    async (session, { folder, force }) => {
      await session.ownerOnly("restore a backup");
      const { restoreBackup } = await loadBackup();
      const report = await restoreBackup(folder, session.settings, {
        force,
        showSettings: (file) => showSettings(file, session),
      });
      const missing = await missingModels(session);
      session.output.result({ text: restoredText(report, missing), data: backupShape(report, missing) });
    },
  );
}

/**
 * Shows the settings in a backup, and asks about those that name servers, paths or programs: a backup may
 * come from a stranger. @throws USAGE_INVALID where the answer is no
 */
async function showSettings(file: string, session: Session): Promise<void> {
  const { incomingSettings } = await import("../../config/portable.ts");
  const { lines, reaching } = incomingSettings(file);
  if (lines.length === 0) return;
  session.output.note(`settings in the backup:\n  ${lines.join("\n  ")}`);
  if (reaching.length > 0) await confirm(`restore them, including ${reaching.join(", ")}?`, session);
}

/**
 * Models that made the vectors of the collections and are not on this machine; the app is opened over what
 * was restored.
 */
async function missingModels(session: Session): Promise<readonly string[]> {
  const app = await session.app();
  const ready = new Set(
    (await (await app.models()).list()).filter(({ state }) => state === "ready").map(({ id }) => id),
  );
  const needed = new Set((await app.collections(session.run)).map(({ embedder }) => embedder));
  return [...needed].filter((id) => !ready.has(id) && !id.startsWith(embeddingPrefix)).sort();
}

function sums({ files, servers }: BackupReport): readonly string[] {
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const far =
    servers.length === 0
      ? []
      : [`not included: vectors of the ${servers.join(" and the ")} store, which is outside the home`];
  return [`${plural(files.length, "file")}, ${(bytes / 1e6).toFixed(1)} MB`, ...far];
}

function createdText(report: BackupReport): string {
  return [
    `${report.folder}: ${sums(report).join("\n")}`,
    `to restore it: ragctl backup restore ${report.folder}`,
  ].join("\n");
}

function restoredText(report: BackupReport, missing: readonly string[]): string {
  return [
    `restored the backup of ${report.createdAt}: ${sums(report).join("\n")}`,
    ...(report.setAside === "" ? [] : [`previous contents moved to: ${report.setAside}`]),
    ...(missing.length === 0
      ? []
      : [`missing models: ${missing.join(", ")}`, `  → ragctl models pull ${missing.join(" ")}`]),
    "to check the result: ragctl doctor",
  ].join("\n");
}
