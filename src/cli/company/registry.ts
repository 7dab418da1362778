import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import type { Change } from "../../app/owner/registry.ts";
import { caller } from "../../config/caller.ts";
import { RagctlError } from "../../core/errors.ts";
import { changesShape, movedShape, registryShape } from "../../shapes/registry.ts";
import { declared } from "../commands.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";
import { counted, oneLine } from "../shell/text.ts";
import { readText } from "./registry-flags.ts";

/** `ragctl registry …`: the whole registry as one YAML file, or in another place. */
export function registerRegistry(program: Command): void {
  const registry = declared(program, "registry");

  registry
    .command("export")
    .description("write the registry to a YAML file, or print it")
    .argument("[file]", "file to write, or - for stdout")
    .option("--force", "overwrite an existing file")
    .addHelpText("after", "\nExample:\n  ragctl registry export registry.yaml")
    .action(
      action(async (session, name: string | undefined, flags: { readonly force?: boolean }) => {
        const file = name === "-" ? undefined : name;
        const yaml = (await session.app()).registry.export(session.run);
        if (file !== undefined) write(file, yaml, flags.force === true);
        const text = file === undefined ? yaml : `wrote ${file}`;
        session.output.result({ text, data: registryShape(yaml, file ?? null) });
      }),
    );

  registry
    .command("import")
    .description("apply a YAML file to the registry, all or nothing; entries missing from the file are kept")
    .argument("<file>", "file to read, or - for stdin")
    .option("--dry-run", "show what would change without changing it")
    .option("--prune", "remove entries that are missing from the file's sections")
    .addHelpText("after", "\nExample:\n  ragctl registry import registry.yaml --dry-run")
    .action(
      action(
        async (session, file: string, flags: { readonly dryRun?: boolean; readonly prune?: boolean }) => {
          const [{ registry }, text] = [await session.app(), readText(file)];
          const options = { name: nameOf(file), prune: flags.prune === true };
          const dry = flags.dryRun === true;
          const changes = dry
            ? registry.diff(text, options, session.run).filter(({ kind }) => kind !== "keep")
            : registry.import(text, options, session.run);
          print(session, changes, !dry, dry ? "would change" : "changed");
        },
      ),
    );

  registry
    .command("diff")
    .description("show how the registry differs from a YAML file")
    .argument("<file>", "file to read, or - for stdin")
    .addHelpText("after", "\nExample:\n  ragctl registry diff registry.yaml")
    .action(
      action(async (session, file: string) => {
        const [{ registry }, text] = [await session.app(), readText(file)];
        print(session, registry.diff(text, { name: nameOf(file) }, session.run), false, "different");
      }),
    );

  registerMove(registry);
}

/** `ragctl registry move`: from SQLite to PostgreSQL and back. */
function registerMove(registry: Command): void {
  registry
    .command("move")
    .description("copy the registry to an empty database and compare the two; the old one is kept")
    .requiredOption("--to <place>", "postgresql://user:password@host/database, or path of an SQLite file")
    .addHelpText("after", "\nExample:\n  ragctl registry move --to postgresql://ragctl@db.example/company")
    .action(
      action(async (session, { to }: { readonly to: string }) => {
        const report = await (await session.app()).registry.move(to, caller().cwd, session.run);
        const rows = report.tables.reduce((sum, each) => sum + each.rows, 0);
        const text = [
          `copied ${counted(rows, "row")} of ${counted(report.tables.length, "table")} to ${report.to}; all tables match`,
          `${report.from} is unchanged and still in use; to switch, set registry.url, registry.path or DATABASE_URL to the new place`,
        ].join("\n");
        session.output.result({ text, data: movedShape(report) });
      }),
    );
}

const nameOf = (file: string): string => (file === "-" ? "standard input" : file);

function write(file: string, text: string, force: boolean): void {
  try {
    writeFileSync(file, text, { flag: force ? "w" : "wx", mode: 0o600 });
  } catch (cause) {
    const exists = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError(
      "USAGE_INVALID",
      exists ? `${file} already exists` : `cannot write ${file}: ${reason}`,
      {
        hint: exists ? "--force overwrites it" : "check the path",
        cause,
      },
    );
  }
}

const signs: Readonly<Record<Change["kind"], string>> = {
  add: "+ add",
  change: "~ change",
  remove: "- remove",
  keep: "= in the registry only",
};

function print(session: Session, changes: readonly Change[], applied: boolean, verb: string): void {
  const rows = changes.map(({ section, name, kind, fields }) => [
    signs[kind],
    section,
    name,
    fields.map(({ field, before, after }) => `${field}: ${value(before)} → ${value(after)}`).join("\n"),
  ]);
  const text =
    changes.length === 0
      ? "no differences"
      : `${table(["", "section", "name", "fields"], rows)}\n${counted(changes.length, "row")} ${verb}`;
  const data = changesShape(changes, applied);
  session.output.result({ text, data, lines: data.changes });
}

const value = (value: unknown): string => oneLine(JSON.stringify(value) ?? "nothing", 60);
