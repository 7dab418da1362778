import type { Command } from "commander";
import type { CollectionView } from "../../app/owner/registry.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { z } from "../../core/schema.ts";
import { listCollections } from "../../operations/documents/collections.ts";
import { text } from "../../operations/fields.ts";
import { defined, field, type InputOf } from "../../operations/operation.ts";
import { duration, plural } from "../../operations/text.ts";
import { migrationShape, removedShape } from "../../shapes/registry.ts";
import { declare } from "../commands.ts";
import { defineCommand, runOperation } from "../operations.ts";
import { confirmRemoval, yesField } from "../shell/confirm.ts";
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
  const removal = {
    summary: "remove a collection and everything in it; your files are kept, except uploaded ones",
    input: { collection: collectionField, yes: yesField },
    examples: ["ragctl collections remove old_manuals"],
  };
  defineCommand(collections.command("remove"), removal, remove);
}

const collectionField = field("<collection>", z.string(), "name");
const migration = {
  summary: "copy a collection and its vectors to another Milvus, without embedding anything again",
  input: {
    collection: collectionField,
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

/** Asks whether a collection may go; what there is of it. @throws NOT_FOUND, USAGE_INVALID */
export async function confirmCollection(
  act: string,
  name: string,
  yes: boolean,
  session: Session,
): Promise<CollectionView> {
  const view = await (await session.app()).registry.collections.get(name, session.run);
  const held = plural(view.summary?.documents ?? 0, "document");
  const question = `${act} ${view.name} with ${held}? Your files are kept, except uploaded ones.`;
  await confirmRemoval(question, yes, session);
  return view;
}

async function remove(
  session: Session,
  { collection: name, yes }: { readonly collection: string; readonly yes: boolean },
): Promise<void> {
  const view = await confirmCollection("remove collection", name, yes, session);
  const app = await session.app();
  const documents = view.summary === null ? [] : await app.forgetCollection(view.name, session.run);
  if (view.profile !== null) app.registry.collections.undescribe(view.name, session.run);
  const text = `removed collection ${view.name} with ${plural(documents.length, "document")}`;
  session.output.result({ text, data: removedShape("collection", view.name) });
}

function unknownCommand(collections: Command, word: string): RagctlError {
  const names = collections.commands.map((command) => command.name());
  return new RagctlError("USAGE_INVALID", `unknown command "${word}"${didYouMean(word, names)}`, {
    hint: `commands: ${names.join(", ")}`,
  });
}
