import { flushCompileCache } from "node:module";
import { setPriority } from "node:os";
import { asRagctlError, RagctlError } from "../../../core/errors.ts";
import { unreadableFileError } from "../../../files.ts";
import { damagedFile } from "../blocks.ts";
import { loadParser } from "../by-format.ts";
import { createOcrPool } from "../ocr/ocr.ts";
import type { ParseReply, ParseRequest } from "./messages.ts";
import { createPageScheduler } from "./page-scheduler.ts";
import { readBytes } from "./read-bytes.ts";
import { startWatchdog } from "./watchdog.ts";

/** Started before the priority is lowered, so that a busy machine does not delay it. */
const gauge = startWatchdog();
if (process.argv.includes("--low-priority")) setPriority(10);
const idleBytes = process.memoryUsage.rss();
const ocrPool = createOcrPool();

/** A system error may not recur; a file that the parser cannot read always fails. */
const failure = ({ name, format }: ParseRequest["file"], thrown: unknown): RagctlError =>
  thrown instanceof Error && "syscall" in thrown
    ? unreadableFileError(name, thrown)
    : damagedFile(name, `a ${format} document`, thrown);

async function answer({ file, maxBytes, limits, history, ocr, draw }: ParseRequest): Promise<ParseReply> {
  const turns = createPageScheduler(limits, history, gauge, idleBytes);
  const held = () => ({ heldBytes: process.memoryUsage.rss() - idleBytes });
  try {
    const bytes = await readBytes(file, maxBytes);
    const parser = await loadParser(file.format, {
      turns,
      ...(draw === undefined ? {} : { draw }),
      ...(ocr === undefined ? {} : await ocrPool(ocr, turns)),
    });
    const content = await parser.parse(bytes, { name: file.name });
    return { ok: true, content, method: parser.id, ...held() };
  } catch (thrown) {
    const memory =
      thrown instanceof RangeError &&
      /allocation failed|invalid (array|string|typed array) length/i.test(thrown.message);
    const error = thrown instanceof RagctlError || memory ? asRagctlError(thrown) : failure(file, thrown);
    return { ok: false, code: error.code, message: error.message, hint: error.hint, memory, ...held() };
  } finally {
    turns.end();
  }
}

// The pool ends this process; a signal that a terminal sends to all of a command's processes is for the
// command to heed.
for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => undefined);
process.on("disconnect", () => process.exit(0));
process.on("message", async (message) => {
  // The only sender is the pool, which speaks this protocol.
  const reply = await answer(message as ParseRequest);
  process.send?.(reply);
  flushCompileCache(); // The pool kills this process, so it has no end to do so at.
});
process.send?.("ready");
