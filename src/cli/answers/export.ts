import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import { callerPath } from "../../config/caller.ts";
import { z } from "../../core/schema.ts";
import { field } from "../../operations/operation.ts";
import { bytes } from "../../operations/text.ts";
import { exportShape } from "../../shapes/verify.ts";
import { declare } from "../commands.ts";
import { writeUserFile } from "../evaluate/files.ts";
import { defineCommand } from "../operations.ts";
import { createProgress } from "../shell/progress.ts";

const loadExport = () => import("../../app/verify/export.ts");

/** `ragctl export`: a past answer as one HTML page that can be handed on. */
export function registerExport(program: Command): void {
  const input = {
    run: field("<run>", z.string(), "run id or unique prefix, as listed by `ragctl logs`"),
    to: field("--to <file>", z.string(), "HTML file to write; an existing file is replaced"),
  };
  const examples = ["ragctl export 0f8e1c2a --to answer.html"];
  defineCommand(declare(program, "export"), { input, examples }, async (session, { run, to }) => {
    const app = await session.app();
    using progress = createProgress("", "", session.output);
    progress.stage("rendering the cited pages");
    const { id } = await app.runRecord(run, session.run);
    const { exportRun } = await loadExport();
    const page = Buffer.from(await exportRun(id, app, session.run));
    await writeUserFile(to, (path) => writeFile(callerPath(path), page, { mode: 0o600 }));
    progress.close();
    session.output.result({
      text: `${to}: ${bytes(page.length)}; check it with: ragctl verify ${to}`,
      data: exportShape({ runId: id, path: to, bytes: page.length }),
    });
  });
}
