import type { Command } from "commander";
import type { WatchEvent } from "../../app/documents/sync.ts";
import { z } from "../../core/schema.ts";
import { defined, field } from "../../operations/operation.ts";
import { duration, singleLine } from "../../operations/text.ts";
import { syncShape } from "../../shapes/documents.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { lowerPriority } from "../shell/priority.ts";
import type { Session } from "../shell/session.ts";
import { folderFields, formatCounts } from "./sync.ts";

/** `ragctl watch`: a sync, then one after every change, until stopped. */
export function registerWatch(program: Command): void {
  const input = {
    folder: field("<folder>", z.string(), "folder; its .gitignore and .ragctlignore are respected"),
    ...folderFields,
  };
  const examples = ["ragctl watch ./handbook --collection policies"];
  defineCommand(
    declare(program, "watch"),
    { input, examples },
    async (session, { folder, threads: _, ...flags }) => {
      lowerPriority(session);
      session.onStop("stopping: stored documents are kept");
      const { background } = await session.app();
      const request = { folder, ...defined(flags) };
      for await (const event of background.watch(request, session.run)) tell(event, session);
    },
  );
}

function tell(event: WatchEvent, session: Session): void {
  const { output } = session;
  const time = new Date().toISOString();
  const { text, data } = lineOf(event);
  if (output.format !== "text") output.line({ event: event.type, time, ...data });
  else if (text !== "") output.stream(`${time.slice(11, 19)} ${text}\n`);
}

function lineOf(event: WatchEvent): {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
} {
  if (event.type === "watch-ready") {
    const { folder, collection } = event;
    return { text: `watching  ${folder} → ${collection}`, data: { folder, collection } };
  }
  if (event.type === "sync-failed") {
    const { code, message } = event;
    return { text: singleLine(`failed    ${code} ${message}`), data: { code, message } };
  }
  if (event.type === "sync-end") {
    const { counts, durationMs } = event.report;
    const text = `in sync   ${formatCounts({ ...counts, skipped: 0 })} (${duration(durationMs)})`;
    return { text, data: { ...syncShape.report(event.report), files: undefined } };
  }
  const { file } = event;
  if (file.state === "unchanged") return { text: "", data: { ...file } };
  const from = "from" in file ? file.from : "";
  const why = file.reason === "" ? "" : `: ${file.reason}`;
  const text = `${file.state.padEnd(9)} ${file.name}${from === "" ? "" : ` (was ${from})`}${why}`;
  return { text: singleLine(text), data: syncShape.file({ ...file, state: file.state, from }) };
}
