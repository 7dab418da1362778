import type { Command } from "commander";
import type { Conflict } from "../../core/answers/conflicts.ts";
import { conflictsShape } from "../../shapes/verify.ts";
import { declared } from "../commands.ts";
import { listOption } from "../shell/options.ts";
import { openProgress } from "../shell/progress.ts";
import { action } from "../shell/session.ts";
import { counted } from "../shell/text.ts";

/** `ragctl conflicts`: figures that documents about the same thing give differently. */
export function registerConflicts(program: Command): void {
  declared(program, "conflicts")
    .addOption(
      listOption("-c, --collection <name>", "compare only documents in this collection; may be repeated"),
    )
    .addHelpText("after", "\nExample:\n  ragctl conflicts --collection filings")
    .action(
      action(async (session, { collection = [] }: { readonly collection?: readonly string[] }) => {
        const app = await session.app();
        using progress = openProgress("", "", session.output);
        progress.stage("comparing tables");
        const report = await app.conflicts(collection, session.run);
        progress.close();
        const { conflicts, documents } = report;
        const summary = `${counted(conflicts.length, "conflict")} in ${counted(documents, "document")}`;
        const data = conflictsShape(report);
        session.output.result({
          text: [...conflicts.map(conflictText), summary].join("\n\n"),
          data,
          lines: data.conflicts,
        });
      }),
    );
}

const conflictText = ({ row, period, values }: Conflict): string =>
  [
    `${row}, ${period}`,
    ...values.flatMap(({ text, sources }) =>
      sources.flatMap(({ document, pages, quote }) => [
        `    ${text}  ${document}${pages.length === 0 ? "" : `, page ${pages.join("–")}`}`,
        `        “${quote}”`,
      ]),
    ),
  ].join("\n");
