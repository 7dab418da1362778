import { type Command, Option } from "commander";
import type { CollectionView } from "../../app/owner/registry.ts";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import { collectionListShape, collectionShape, migrationShape, removedShape } from "../../shapes/registry.ts";
import { declared } from "../commands.ts";
import { given, requireSome } from "../company/registry-flags.ts";
import { confirmRemoval } from "../shell/confirm.ts";
import { table } from "../shell/output.ts";
import { openProgress } from "../shell/progress.ts";
import { action, type Session } from "../shell/session.ts";
import { counted, duration, oneLine } from "../shell/text.ts";

interface DescribeFlags {
  readonly description?: string;
  readonly department?: string;
  readonly instance?: "public" | "private";
}

/** `ragctl collections …`: the collections, their purpose and their permissions. */
export function registerCollections(program: Command): void {
  const collections = declared(program, "collections")
    .argument("[command]")
    .usage("[options] [command]")
    .addHelpText("after", "\nExample:\n  ragctl collections")
    .action(
      action(async (session, word: string | undefined) => {
        if (word !== undefined) throw unknownCommand(collections, word);
        await list(session);
      }),
    );
  collections
    .command("list")
    .description("list the collections you can read")
    .addHelpText("after", "\nExample:\n  ragctl collections list")
    .action(action(list));
  collections
    .command("show")
    .description("show a collection, its description and its grants")
    .argument("<collection>", "name")
    .addHelpText("after", "\nExample:\n  ragctl collections show hr_private_docs")
    .action(
      action(async (session, name: string) => {
        print(session, await (await session.app()).registry.collections.get(name, session.run));
      }),
    );
  registerDescribe(collections);
  registerMigrate(collections);
  collections
    .command("remove")
    .description("remove a collection and everything in it; your files are kept, except uploaded ones")
    .argument("<collection>", "name")
    .option("--yes", "do not ask for confirmation; required where there is no terminal")
    .addHelpText("after", "\nExample:\n  ragctl collections remove old_manuals")
    .action(
      action((session, name: string, flags: { readonly yes?: boolean }) =>
        remove(session, name, flags.yes === true),
      ),
    );
}

function registerDescribe(collections: Command): void {
  collections
    .command("describe")
    .description("set a collection's description, department or instance, even before it has documents")
    .argument("<collection>", "name")
    .option("--description <text>", "what its documents are about")
    .option("--department <name>", "department it belongs to")
    .addOption(
      new Option(
        "--instance <instance>",
        "public: every principal can read it; private: only principals with a grant (default: the current one, else as the name says)",
      ).choices(["public", "private"]),
    )
    .addHelpText(
      "after",
      '\nExample:\n  ragctl collections describe manuals --description "Manuals of pumps and compressors."',
    )
    .action(
      action(async (session, name: string, { description, department, instance }: DescribeFlags) => {
        const patch = given({ description, department, instance });
        requireSome(patch, "collections describe");
        print(session, await (await session.app()).registry.collections.describe(name, patch, session.run));
      }),
    );
}

interface MigrateFlags {
  readonly from?: string;
  readonly instance?: "public" | "private";
}

function registerMigrate(collections: Command): void {
  collections
    .command("migrate")
    .description("copy a collection and its vectors to another Milvus, without embedding anything again")
    .argument("<collection>", "name")
    .option(
      "--from <address>",
      "where the vectors are now if the settings name a new server; `local` means in the home",
    )
    .addOption(
      new Option("--instance <instance>", "instance to move it to")
        .choices(["public", "private"])
        .conflicts("from"),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  ragctl collections migrate manuals --from local\n  ragctl collections migrate salaries --instance private",
    )
    .action(action(migrate));
}

async function migrate(
  session: Session,
  collection: string,
  { from, instance }: MigrateFlags,
): Promise<void> {
  if (from === undefined && instance === undefined) {
    throw new RagctlError("USAGE_INVALID", "no source or target given", {
      hint: `ragctl collections migrate ${collection} --from ADDRESS, or --instance public|private`,
    });
  }
  session.onStop("stopping: run the same command again to continue");
  const app = await session.app();
  using progress = openProgress("migrate", "chunk", session.output);
  for await (const event of app.migrate({ collection, ...given({ from, instance }) }, session.run)) {
    if (event.type === "migrate-progress") {
      progress.set(event.progress.chunks, event.progress.total, collection);
      continue;
    }
    const { report } = event;
    const gone = report.removed > 0 ? `, ${report.removed} without a document removed` : "";
    const sums = `${counted(report.chunks, "chunk")} (${report.copied} copied, ${report.compared} compared${gone})`;
    const text = `${collection}: ${report.from} → ${report.to}, ${sums}, ${duration(report.durationMs)}\n  the source vectors are kept`;
    session.output.result({ text, data: migrationShape(report) });
  }
}

async function remove(session: Session, name: string, yes: boolean): Promise<void> {
  const app = await session.app();
  const view = await app.registry.collections.get(name, session.run);
  const held = counted(view.summary?.documents ?? 0, "document");
  await confirmRemoval(
    `remove collection ${view.name} with ${held}? Your files are kept, except uploaded ones.`,
    yes,
    session,
  );
  const documents = view.summary === null ? [] : await app.forgetCollection(view.name, session.run);
  if (view.profile !== null) app.registry.collections.undescribe(view.name, session.run);
  const text = `removed collection ${view.name} with ${counted(documents.length, "document")}`;
  session.output.result({ text, data: removedShape("collection", view.name) });
}

function unknownCommand(collections: Command, word: string): RagctlError {
  const names = collections.commands.map((command) => command.name());
  return new RagctlError("USAGE_INVALID", `unknown command "${word}"${didYouMean(word, names)}`, {
    hint: `commands: ${names.join(", ")}`,
  });
}

async function list(session: Session): Promise<void> {
  const views = await (await session.app()).registry.collections.list(session.run);
  const rows = views.map(({ name, summary, profile }) => [
    name,
    summary?.instance ?? profile?.instance ?? "",
    summary?.documents ?? 0,
    summary?.chunks ?? 0,
    summary?.embedder ?? "",
    summary?.lexical ?? "",
    profile?.department ?? "",
    oneLine(profile?.description ?? "", 50),
  ]);
  const header = [
    "collection",
    "instance",
    "documents",
    "chunks",
    "embedder",
    "lexical",
    "department",
    "description",
  ];
  const text = rows.length === 0 ? "no collections; `ragctl ingest PATH` creates one" : table(header, rows);
  const data = collectionListShape(views);
  session.output.result({ text, data, lines: data.collections });
}

function print(session: Session, view: CollectionView): void {
  const { schema_version: _, ingested, grants, ...fields } = collectionShape(view);
  const rules = grants.map(
    ({ subject_kind, subject, effect, level }) => `${effect} ${level} to ${subject_kind} ${subject}`,
  );
  const shown = { ...fields, ...ingested, grants: rules.join("\n") };
  const rows = Object.entries(shown).map(([name, value]) => [name, String(value)]);
  session.output.result({ text: table(["field", "value"], rows), data: collectionShape(view) });
}
