import type { Command } from "commander";
import { type AuditReport, auditShape } from "../../shapes/permissions.ts";
import { table } from "../shell/output.ts";
import { openProgress } from "../shell/progress.ts";
import { action } from "../shell/session.ts";
import { counted } from "../shell/text.ts";

/** `ragctl permissions audit`: canary documents, and everyone's attempts to reach them. */
export function registerAudit(permissions: Command): void {
  permissions
    .command("audit")
    .description(
      "check for leaks: plant canary documents and try to reach them as every principal; exit status 4 on a leak",
    )
    .addHelpText(
      "after",
      "\nUses a copy of the registry and temporary collections, which are removed afterwards.\n\nExample:\n  ragctl permissions audit",
    )
    .action(
      action(async (session) => {
        const app = await session.app();
        using progress = openProgress("audit", "principal", session.output);
        progress.stage("planting canary documents");
        let report: AuditReport | undefined;
        for await (const event of app.permissions.audit(session.run)) {
          if (event.type === "principal-end") progress.set(event.done, event.total, event.audit.principal);
          if (event.type === "audit-end") report = event;
        }
        progress.close();
        if (report === undefined) throw new TypeError("the audit ended without a result");
        session.output.result({ text: auditText(report), data: auditShape(report) });
        if (report.leaks.length > 0) session.exit(4);
        else if (report.principals.some(({ controlsFailed }) => controlsFailed.length > 0)) session.exit(1);
      }),
    );
}

function auditText({ canaries, principals, leaks }: AuditReport): string {
  const rows = principals.map(({ principal, attempts, controls, controlsFailed, leaks: own }) => [
    principal,
    attempts,
    own.length,
    `${controls - controlsFailed.length} of ${controls}`,
  ]);
  const attempts = principals.reduce((sum, each) => sum + each.attempts, 0);
  const failed = principals.flatMap(({ principal, controlsFailed }) =>
    controlsFailed.map((each) => `not reached, though ${principal} may: ${each}`),
  );
  return [
    table(["principal", "attempts", "leaked", "reached what it may"], rows),
    "",
    ...leaks.map(
      ({ principal, attempt, like, evidence }) =>
        `LEAK  ${principal}, ${attempt}, under the rules of ${like}: ${evidence}`,
    ),
    ...failed,
    `${counted(canaries, "canary document")}, ${counted(attempts, "attempt")} at what is not permitted: ${leaks.length === 0 ? "nothing leaked" : `${counted(leaks.length, "leak")}`}`,
  ].join("\n");
}
