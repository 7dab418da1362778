import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { asRagctlError, errorTable, RagctlError } from "../../core/errors.ts";
import { whole } from "../../operations/fields.ts";
import type { Check } from "../../shapes/machine.ts";
import { doctorShape } from "../../shapes/machine.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";

/** Pause before it is looked again, ms. */
const pauseMs = 1000;
/** Exit status of errors that only a person mends: of the command line and the settings. */
const usageStatus = 2;

const marks = { ok: "ok     ", warning: "warning", failed: "FAILED " } as const;

/** Variables that are known but have no effect, which other commands do not mention. */
function environmentCheck(notices: Session["loaded"]["notices"]): Check {
  const without = notices.map(({ name, reason }) => `${name} (${reason})`).join("; ");
  const message =
    without === "" ? "no ignored variables" : `recognised but without effect in this version: ${without}`;
  return { name: "environment", status: "ok", message, hint: "" };
}

/** The findings at one time. */
interface Found {
  readonly checks: readonly Check[];
  /** Whether waiting cannot help: a wrong file, or an invalid address. */
  readonly isFinal: boolean;
}

/**
 * The checks once none fails, or their state after `waitMs`. Meanwhile it reports what it waits for,
 * including a registry that does not answer yet.
 */
async function checksWithin(waitMs: number, session: Session): Promise<readonly Check[]> {
  const until = performance.now() + waitMs;
  let waitedFor = "";
  for (;;) {
    const isLast = performance.now() >= until;
    const { checks, isFinal } = await look(session);
    const failed = checks.filter(({ status }) => status === "failed").map(({ name }) => name);
    if (isLast || isFinal || failed.length === 0) return checks;
    if (failed.join(", ") !== waitedFor) session.output.note(`waiting for: ${failed.join(", ")}`);
    waitedFor = failed.join(", ");
    await sleep(pauseMs, undefined, { signal: session.run.signal });
  }
}

/** The check for a home that is not writable, of which a copy was examined. */
const copied = (home: string): Check => ({
  name: "home",
  status: "warning",
  message: `${home} is not fully writable: reading commands work on a copy, others fail`,
  hint: `check its owner and mode (ls -ld ${home}) and grant this user write access, or set RAGCTL_HOME to another folder`,
});

/**
 * @throws NOT_FOUND, PERMISSION_DENIED under `--as`, and then errors of the registry that identifies the
 * principal
 */
async function look(session: Session): Promise<Found> {
  await session.ownerOnly("inspect this machine");
  const app = await session.app().catch(asRagctlError);
  if (!(app instanceof RagctlError)) {
    const checks = await app.doctor(session.run);
    const { home } = session.settings;
    if ((await session.readable()).home === home) return { checks, isFinal: false };
    return { checks: checks.map((check) => (check.name === "home" ? copied(home) : check)), isFinal: false };
  }
  const checks = await (await session.machine()).doctor(app, session.run);
  return { checks, isFinal: errorTable[app.code].exit === usageStatus };
}

/** `ragctl doctor`: is everything there, and what to do where it is not. */
export function registerDoctor(program: Command): void {
  const input = { wait: whole("--wait <seconds>", 1, "retry until all checks pass, up to this timeout") };
  const examples = ["ragctl doctor"];
  defineCommand(declare(program, "doctor"), { input, examples }, async (session, { wait = 0 }) => {
    using progress = createProgress("", "", session.output);
    progress.stage("checking home, registry, models, stores and GPU");
    const checks = [...(await checksWithin(wait * 1000, session)), environmentCheck(session.loaded.notices)];
    progress.close();
    const lines = checks.flatMap((check) => [
      `${marks[check.status]} ${check.name}: ${check.message}`,
      ...(check.hint === "" ? [] : [`        → ${check.hint}`]),
    ]);
    session.output.result({ text: lines.join("\n"), data: doctorShape(checks), lines: checks });
    if (checks.some((check) => check.status === "failed")) session.exit(1);
  });
}
