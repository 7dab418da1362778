import { writeFileSync } from "node:fs";
import { ownerOnly, owners } from "../../app/audit/attempt.ts";
import type { ExchangeChange } from "../../app/owner/registry.ts";
import { caller } from "../../config/caller.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { changesShape, movedShape, registryShape } from "../../shapes/registry.ts";
import { toggle } from "../fields.ts";
import { field, type Operation, operation } from "../operation.ts";
import { type PrintedTable, type Text, tableOf } from "../result-text.ts";
import { oneLine, plural } from "../text.ts";
import { readText } from "./config.ts";

const file = field("<file>", z.string(), "file to read, or - for stdin");

const exported = operation({
  name: "registry export",
  summary: "write the registry to a YAML file, or print it",
  input: {
    file: field("[file]", z.string().optional(), "file to write, or - for stdout"),
    force: toggle("--force", "overwrite an existing file"),
  },
  document: "registry",
  examples: ["ragctl registry export registry.yaml"],
  attempt: () => [owners],
  async run(app, { file, force }, { run }) {
    const yaml = await app.registry.export(run);
    if (file === undefined || file === "-") return { yaml, file: null };
    write(file, yaml, force);
    return { yaml, file };
  },
  print: ({ yaml, file }) => registryShape(yaml, file),
  text: ({ yaml, file }) => (file === null ? yaml : `wrote ${file}`),
});

/** What the changes of a file have in common; `verb` says what became of them. */
const shown = {
  document: "changes",
  lines: "changes",
  print: ({ changes, applied }: Changed) => changesShape(changes, applied),
  text: ({ changes, verb }: Changed): Text =>
    changes.length === 0
      ? "no differences"
      : [changeTable(changes), `${plural(changes.length, "row")} ${verb}`],
};

interface Changed {
  readonly changes: readonly ExchangeChange[];
  readonly applied: boolean;
  readonly verb: "would change" | "changed" | "different";
}

const imported = operation({
  ...shown,
  name: "registry import",
  summary: "apply a YAML file to the registry, all or nothing; entries missing from the file are kept",
  input: {
    file,
    dry_run: toggle("--dry-run", "show what would change without changing it"),
    prune: toggle("--prune", "remove entries that are missing from the file's sections"),
  },
  examples: ["ragctl registry import registry.yaml --dry-run"],
  attempt: () => [{ input: { file: "/dev/null" }, ...ownerOnly }],
  async run({ registry }, { file, dry_run: isDry, prune }, { run }): Promise<Changed> {
    const [text, options] = [readText(file), { name: nameOf(file), prune }];
    if (!isDry) return { changes: await registry.import(text, options, run), applied: true, verb: "changed" };
    const changes = (await registry.diff(text, options, run)).filter(({ kind }) => kind !== "keep");
    return { changes, applied: false, verb: "would change" };
  },
});

const diff = operation({
  ...shown,
  name: "registry diff",
  summary: "show how the registry differs from a YAML file",
  input: { file },
  examples: ["ragctl registry diff registry.yaml"],
  attempt: () => [{ input: { file: "/dev/null" }, ...ownerOnly }],
  run: async ({ registry }, { file }, { run }): Promise<Changed> => ({
    changes: await registry.diff(readText(file), { name: nameOf(file) }, run),
    applied: false,
    verb: "different",
  }),
});

const move = operation({
  name: "registry move",
  summary: "copy the registry to an empty database and compare the two; the old one is kept",
  input: {
    to: field(
      "--to <place>",
      z.string(),
      "postgresql://user:password@host/database, or path of an SQLite file",
    ),
  },
  document: "moved",
  examples: ["ragctl registry move --to postgresql://ragctl@db.example/company"],
  attempt: () => [{ input: { to: "audit.sqlite" }, ...ownerOnly }],
  run: (app, { to }, { run }) => app.registry.move(to, caller().cwd, run),
  print: movedShape,
  text: ({ from, to, tables }) => [
    `copied ${plural(
      tables.reduce((sum, { rows }) => sum + rows, 0),
      "row",
    )} of ${plural(tables.length, "table")} to ${to}; all tables match`,
    `${from} is unchanged and still in use; to switch, set registry.url, registry.path or DATABASE_URL to the new place`,
  ],
});

/** The whole registry as one YAML file, or in another place, in the order of the help. */
export const exchange: readonly Operation[] = [exported, imported, diff, move];

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
      { hint: exists ? "--force overwrites it" : "check the path", cause },
    );
  }
}

const signs: Readonly<Record<ExchangeChange["kind"], string>> = {
  add: "+ add",
  change: "~ change",
  remove: "- remove",
  keep: "= in the registry only",
};

const changeTable = (changes: readonly ExchangeChange[]): PrintedTable =>
  tableOf(changes, {
    "": ({ kind }) => signs[kind],
    section: ({ section }) => section,
    name: ({ name }) => name,
    fields: ({ fields }) =>
      fields.map(({ field, before, after }) => `${field}: ${value(before)} → ${value(after)}`).join("\n"),
  });

const value = (value: unknown): string => oneLine(JSON.stringify(value) ?? "nothing", 60);
