import type { Command } from "commander";
import type { ServeCopy } from "../../app/audit/attempt.ts";
import { plural } from "../../operations/text.ts";
import { type AuditCounts, type AuditReport, auditShape } from "../../shapes/permissions.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { table } from "../shell/output.ts";
import { createProgress } from "../shell/progress.ts";

/** `ragctl permissions audit`: canary documents, and everyone's attempts to reach them. */
export function registerAudit(program: Command, { serveCopy }: { readonly serveCopy: ServeCopy }): void {
  const command = declare(program, "permissions").command("audit");
  command.addHelpText(
    "after",
    "\nThe audit uses a copy of the registry and temporary collections, which it removes afterwards.",
  );
  const summary =
    "check for leaks: plant canary documents and try to reach them as every principal; exits with 4 on a leak";
  const examples = ["ragctl permissions audit"];
  defineCommand(command, { summary, examples }, async (session) => {
    const app = await session.app();
    using progress = createProgress("audit", "principal", session.output);
    progress.stage("planting canary documents");
    let report: AuditReport | undefined;
    for await (const event of app.permissions.audit(serveCopy, session.run)) {
      if (event.type === "principal-end") progress.set(event.done, event.total, event.audit.principal);
      if (event.type === "audit-end") report = event;
    }
    progress.close();
    if (report === undefined) throw new TypeError("the audit ended without a result");
    session.output.result({ text: auditText(report), data: auditShape(report) });
    if (report.leaks.length > 0) session.exit(4);
    else if (provesTooLittle(report)) session.exit(1);
  });
}

/** Whether something that is permitted was not reached, or a route was not tried. */
const provesTooLittle = ({ principals, untried }: AuditReport): boolean =>
  untried.length > 0 || principals.some(({ controlsFailed }) => controlsFailed.length > 0);

const countsOf = ({ attempts, controls, controlsFailed, leaks }: AuditCounts) => [
  attempts,
  leaks.length,
  `${controls - controlsFailed.length} of ${controls}`,
];

function auditText({ canaries, principals, surfaces, leaks, untried }: AuditReport): string {
  const attempts = principals.reduce((sum, each) => sum + each.attempts, 0);
  const failed = principals.flatMap(({ principal, controlsFailed }) =>
    controlsFailed.map((each) => `${principal} has access but could not reach: ${each}`),
  );
  const columns = ["attempts", "leaked", "permitted reads"];
  return [
    table(
      ["principal", ...columns],
      principals.map((each) => [each.principal, ...countsOf(each)]),
    ),
    "",
    table(
      ["surface", ...columns],
      surfaces.map((each) => [each.surface, ...countsOf(each)]),
    ),
    "",
    ...leaks.map(
      ({ principal, surface, attempt, like, evidence }) =>
        `LEAK  ${principal}, ${surface}: ${attempt}, under the rules of ${like}: ${evidence}`,
    ),
    ...failed,
    ...untried.map((route) => `not covered by any attempt: ${route}`),
    `${plural(canaries, "canary document")}, ${plural(attempts, "forbidden attempt")}: ${leaks.length === 0 ? "no leaks" : plural(leaks.length, "leak")}`,
  ].join("\n");
}
