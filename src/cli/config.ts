import type { Command } from "commander";
import { table } from "./output.ts";
import { action } from "./session.ts";

/** `ragctl config show`: every setting, its value and where that came from. */
export function registerConfig(program: Command): void {
  const config = program.command("config").description("show the settings");
  config
    .command("show")
    .description("print the settings; secrets are covered")
    .option("--effective", "every setting with where it came from (default: only those that differ from the built-in)")
    .addHelpText("after", "\nExample:\n  ragctl config show --effective")
    .action(
      action(async (session, flags: { readonly effective?: boolean }) => {
        await session.ownerOnly("see the settings");
        const { describeSettings } = await import("../config.ts");
        const rows = describeSettings(session.loaded).filter(
          (row) => flags.effective === true || !["built-in", "defaults file"].includes(row.origin),
        );
        const shown = rows.map((row) => [row.key, String(row.value), row.unit, row.origin]);
        for (const { message, surprising } of session.loaded.notices) if (!surprising) session.output.note(message);
        session.output.result({
          text:
            rows.length === 0
              ? "every setting has its default; --effective lists them"
              : table(["setting", "value", "unit", "from"], shown),
          data: { schema_version: 1, project_file: session.loaded.projectFile ?? null, settings: rows },
          lines: rows,
        });
      }),
    );
}
