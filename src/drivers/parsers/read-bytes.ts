import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { SourceFile } from "../../core/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { unreadable } from "./blocks.ts";

/** The content of a file that was hashed before. @throws SOURCE_MISSING, SOURCE_TOO_LARGE, SOURCE_CHANGED, SOURCE_UNREADABLE */
export async function readBytes(file: SourceFile, maxBytes: number): Promise<Uint8Array> {
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
    const read = await handle.readFile();
    const bytes = new Uint8Array(read.buffer, read.byteOffset, read.byteLength);
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
