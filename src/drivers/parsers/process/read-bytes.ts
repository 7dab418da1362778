import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { SourceFile } from "../../../core/documents/document.ts";
import { RagctlError } from "../../../core/errors.ts";
import { fileChangedError, openVerifiedFile } from "../../../files.ts";

/**
 * The content of a file that was hashed before: those bytes, or none. @throws SOURCE_MISSING,
 * SOURCE_TOO_LARGE, SOURCE_CHANGED, SOURCE_UNREADABLE
 */
export async function readBytes(
  file: SourceFile,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  await using handle = await openVerifiedFile(file.path, file.name);
  const { size } = await handle.stat();
  if (size > maxBytes) {
    throw new RagctlError("SOURCE_TOO_LARGE", `${file.name} is ${size} bytes; the limit is ${maxBytes}`, {
      hint: "split the file or raise the limit",
    });
  }
  if (size !== file.sizeBytes) throw fileChangedError(file.name);
  const bytes = new Uint8Array(size);
  // A read may return less than requested; 0 is the end.
  for (let at = 0, read = -1; read !== 0 && at < size; at += read)
    read = (await handle.read(bytes, at, size - at, at)).bytesRead;
  if (createHash("sha256").update(bytes).digest("hex") !== file.sha256) throw fileChangedError(file.name);
  return bytes;
}

/**
 * A copy of a hashed file under its own name in a folder that only this user may enter: a program that is
 * given its path reads those bytes, whatever is at the file's own path by then. @throws as `readBytes`
 */
export async function copyVerifiedFile(
  file: SourceFile,
): Promise<{ readonly path: string } & AsyncDisposable> {
  const bytes = await readBytes(file);
  const folder = await mkdtemp(join(tmpdir(), "ragctl-file-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const path = join(folder, basename(file.name));
  try {
    await writeFile(path, bytes);
  } catch (error) {
    await remove();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: remove };
}
