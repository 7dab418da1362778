import type { Command } from "commander";
import type { Check } from "../../app/owner/check.ts";
import { doctorShape } from "../../shapes/machine.ts";
import { declared } from "../commands.ts";
import { openProgress } from "../shell/progress.ts";
import { action, type Session } from "../shell/session.ts";

const marks = { ok: "ok     ", warning: "warning", failed: "FAILED " } as const;

/** Variables that are known and change nothing, which other commands do not speak of. */
function environmentCheck(notices: Session["loaded"]["notices"]): Check {
  const without = notices.map(({ name, reason }) => `${name} (${reason})`).join("; ");
  const message =
    without === ""
      ? "every variable that is known has its effect"
      : `recognised, without effect in this version: ${without}`;
  return { name: "environment", status: "ok", message, hint: "" };
}

/** `ragctl doctor`: is everything there, and what to do where it is not. */
export function registerDoctor(program: Command): void {
  declared(program, "doctor")
    .addHelpText("after", "\nExample:\n  ragctl doctor")
    .action(
      action(async (session) => {
        await session.ownerOnly("look into the machine");
        using progress = openProgress("", "", session.output);
        progress.stage("looking at home, registry, models, stores and GPU");
        const checks = [
          ...(await (await session.app()).doctor(session.run)),
          environmentCheck(session.loaded.notices),
        ];
        progress.close();
        const lines = checks.flatMap((check) => [
          `${marks[check.status]} ${check.name}: ${check.message}`,
          ...(check.hint === "" ? [] : [`        → ${check.hint}`]),
        ]);
        session.output.result({ text: lines.join("\n"), data: doctorShape(checks), lines: checks });
        if (checks.some((check) => check.status === "failed")) session.exit(1);
      }),
    );
}
