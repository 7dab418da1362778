import type { Command } from "commander";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { z } from "../../core/schema.ts";
import { listCollections } from "../../operations/documents/collections.ts";
import { text } from "../../operations/fields.ts";
import { defined, field, type InputOf } from "../../operations/operation.ts";
import { duration, plural } from "../../operations/text.ts";
import { migrationShape } from "../../shapes/registry.ts";
import { declare } from "../commands.ts";
import { defineCommand, runOperation } from "../operations.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

/** `ragctl collections`, and those below it that confirm or show progress. */
export function registerCollections(program: Command): void {
  const collections = declare(program, "collections");
  const input = { word: text("[command]", "") };
  const examples = ["ragctl collections"];
  defineCommand(
    collections.usage("[options] [command]"),
    { input, examples },
    async (session, { word }): Promise<void> => {
      if (word !== undefined) throw unknownCommand(collections, word);
      await runOperation(listCollections, {}, session);
    },
  );
  defineCommand(collections.command("migrate"), migration, migrate);
}

const migration = {
  summary: "copy a collection and its vectors to another Milvus, without embedding anything again",
  input: {
    collection: field("<collection>", z.string(), "name"),
    from: text(
      "--from <address>",
      "where the vectors are now if the settings name a new server; `local` means in the home",
    ),
    instance: field(
      "--instance <instance>",
      z.enum(["public", "private"]).optional(),
      "instance to move it to",
      { conflicts: "from" },
    ),
  },
  examples: [
    "ragctl collections migrate manuals --from local",
    "ragctl collections migrate salaries --instance private",
  ],
};

async function migrate(
  session: Session,
  { collection, from, instance }: InputOf<typeof migration.input>,
): Promise<void> {
  if (from === undefined && instance === undefined) {
    throw new RagctlError("USAGE_INVALID", "no source or target given", {
      hint: `ragctl collections migrate ${collection} --from ADDRESS, or --instance public|private`,
    });
  }
  session.onStop("stopping: run the same command again to continue");
  const app = await session.app();
  using progress = createProgress("migrate", "chunk", session.output);
  for await (const event of app.migrate({ collection, ...defined({ from, instance }) }, session.run)) {
    if (event.type === "migrate-progress") {
      progress.set(event.progress.chunks, event.progress.total, collection);
      continue;
    }
    const { report } = event;
    const gone = report.removed > 0 ? `, ${report.removed} without a document removed` : "";
    const sums = `${plural(report.chunks, "chunk")} (${report.copied} copied, ${report.compared} compared${gone})`;
    const text = `${collection}: ${report.from} → ${report.to}, ${sums}, ${duration(report.durationMs)}\n  the source vectors are kept`;
    session.output.result({ text, data: migrationShape(report) });
  }
}

function unknownCommand(collections: Command, word: string): RagctlError {
  const names = collections.commands.map((command) => command.name());
  return new RagctlError("USAGE_INVALID", `unknown command "${word}"${didYouMean(word, names)}`, {
    hint: `commands: ${names.join(", ")}`,
  });
}
