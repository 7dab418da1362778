import type { Command } from "commander";
import type { LocalApp } from "../../app/app.ts";
import type { Run } from "../../core/run.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";

/** Rows of the registry that share the commands list, show, enable, disable and remove. */
export interface Rows<Row> {
  /** What one is called, e.g. `agent`; with an s, the family of its commands. */
  readonly noun: string;
  /** How one is referred to, e.g. `name or id`. */
  readonly reference: string;
  /** A name as typed in a shell, for the examples; `removable` where another one suits `remove` better. */
  readonly example: string;
  readonly removable?: string;
  /** Descriptions of the commands. */
  readonly help: Readonly<Record<"list" | "enable" | "disable" | "remove", string>>;
  list(app: LocalApp, run: Run): readonly Row[];
  get(app: LocalApp, reference: string, run: Run): Row;
  setEnabled(app: LocalApp, reference: string, enabled: boolean, run: Run): Row;
  /** Removes the row and prints it. */
  remove(app: LocalApp, reference: string, session: Session): void;
  printAll(session: Session, rows: readonly Row[]): void;
  /** `done` is the change to the row, e.g. `enabled `; "" where it was only read. */
  print(session: Session, row: Row, done: string): void;
}

/** Adds `list` and `show`. */
export function registerReading<Row>(family: Command, rows: Rows<Row>): void {
  const { noun, reference, example } = rows;
  family
    .command("list")
    .description(rows.help.list)
    .addHelpText("after", `\nExample:\n  ragctl ${noun}s list`)
    .action(action(async (session) => rows.printAll(session, rows.list(await session.app(), session.run))));
  family
    .command("show")
    .description(`show one ${noun}`)
    .argument(`<${noun}>`, reference)
    .addHelpText("after", `\nExample:\n  ragctl ${noun}s show ${example}`)
    .action(
      action(async (session, name: string) => {
        rows.print(session, rows.get(await session.app(), name, session.run), "");
      }),
    );
}

/** Adds `enable`, `disable` and `remove`. */
export function registerSwitching<Row>(family: Command, rows: Rows<Row>): void {
  const { noun, reference, example, removable = example } = rows;
  for (const name of ["enable", "disable"] as const) {
    family
      .command(name)
      .description(rows.help[name])
      .argument(`<${noun}>`, reference)
      .addHelpText("after", `\nExample:\n  ragctl ${noun}s ${name} ${example}`)
      .action(
        action(async (session, named: string) => {
          const row = rows.setEnabled(await session.app(), named, name === "enable", session.run);
          rows.print(session, row, `${name}d `);
        }),
      );
  }
  family
    .command("remove")
    .description(rows.help.remove)
    .argument(`<${noun}>`, reference)
    .addHelpText("after", `\nExample:\n  ragctl ${noun}s remove ${removable}`)
    .action(action(async (session, named: string) => rows.remove(await session.app(), named, session)));
}

/** The members of a row as a table; objects as JSON, lists one entry a line. */
export function fieldTable(fields: object): string {
  const rows = Object.entries(fields).map(([name, value]) => [name, fieldText(value)]);
  return table(["field", "value"], rows);
}

function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
