import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import type { SourceFile } from "../../core/document.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { unreadable } from "./blocks.ts";
import type { ParseReply, ParseRequest } from "./messages.ts";
import { loadParser } from "./table.ts";

async function readBytes(file: SourceFile, maxBytes: number): Promise<Uint8Array> {
  const handle = await open(file.path, "r").catch((cause: unknown) => {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") {
      throw new RagctlError("SOURCE_MISSING", `${file.name} was there when the run began and is gone now`, {
        hint: "run the command again when the folder is at rest",
        cause,
      });
    }
    throw unreadable(file.name, "a file", cause);
  });
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) {
      throw new RagctlError("SOURCE_TOO_LARGE", `${file.name} is ${size} bytes; the limit is ${maxBytes}`, {
        hint: "split the file or raise the limit",
      });
    }
    const bytes = new Uint8Array(await handle.readFile());
    if (createHash("sha256").update(bytes).digest("hex") !== file.sha256) {
      throw new RagctlError("SOURCE_CHANGED", `${file.name} changed while it was being read`, {
        hint: "run the command again when nothing writes to the file",
      });
    }
    return bytes;
  } finally {
    await handle.close();
  }
}

async function answer({ file, maxBytes }: ParseRequest): Promise<ParseReply> {
  try {
    const bytes = await readBytes(file, maxBytes);
    const parser = await loadParser(file.format);
    const content = await parser.parse(bytes, { name: file.name });
    return { ok: true, content, method: parser.id, rssBytes: process.memoryUsage.rss() };
  } catch (thrown) {
    const memory = thrown instanceof RangeError && /allocation failed|invalid (array|string|typed array) length/i.test(thrown.message);
    const error =
      thrown instanceof RagctlError || memory ? asRagctlError(thrown) : unreadable(file.name, `a ${file.format} document`, thrown);
    return { ok: false, code: error.code, message: error.message, hint: error.hint, memory };
  }
}

parentPort?.on("message", async (request: ParseRequest) => {
  parentPort?.postMessage(await answer(request));
});
