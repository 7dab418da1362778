import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { RagctlError } from "./core/errors.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Whether a path, or a part of one, is a pattern that may match several. */
export const isPattern = (path: string): boolean => /[*?[{]/.test(path);

/**
 * A file's name or path as it is shown: without the id that Notion puts after each title of an export, a
 * space and 32 hexadecimal digits.
 */
export const shownName = (name: string): string =>
  name.replace(/(?<=[^/]) [\da-f]{32}(?=[_./]|$)/g, "").normalize("NFC");

/** Why a file that somebody named could not be opened or read, in words to follow its path. */
export function describeReadError(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : "";
  if (code === "ENOENT" || code === "ENOTDIR") return "no such file";
  if (code === "EACCES" || code === "EPERM") return "permission denied";
  return cause instanceof Error ? cause.message : String(cause);
}

/** The error for a file that the system will not let be read. */
export const unreadableFileError = (name: string, cause: unknown): RagctlError =>
  new RagctlError(
    "SOURCE_UNREADABLE",
    `cannot read ${name}: ${cause instanceof Error ? cause.message : String(cause)}`,
    {
      hint: "grant yourself read access, or exclude it",
      cause,
    },
  );

const special = (name: string, cause?: unknown): RagctlError =>
  new RagctlError("SOURCE_SPECIAL", `${name} is not a regular file`, {
    hint: "replace it with a file, or choose another",
    cause,
  });

/** The error for a file that is not what was found at its path before. */
export function fileChangedError(name: string, cause?: unknown): RagctlError {
  return new RagctlError("SOURCE_CHANGED", `${name} changed while it was being read`, {
    hint: "run the command again once nothing writes to the file",
    cause,
  });
}

/**
 * Opens a file that was found before, and nothing that has taken its place since: no link is followed in the
 * last part of its path, and no pipe is waited for. @throws SOURCE_MISSING, SOURCE_CHANGED, SOURCE_UNREADABLE
 */
export async function openVerifiedFile(path: string, name: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : "";
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new RagctlError("SOURCE_MISSING", `${name} disappeared during the run`, {
        hint: "run the command again once nothing changes in the folder",
        cause,
      });
    // A link in its place, or a socket.
    if (code === "ELOOP" || code === "EMLINK" || code === "ENXIO") throw fileChangedError(name, cause);
    throw unreadableFileError(name, cause);
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw fileChangedError(name);
}

/**
 * Opens a file that somebody named. Links are followed; a pipe is not waited for, and of a device nothing is
 * read.
 * @throws SOURCE_SPECIAL for what is no regular file, and what the system raises
 */
export async function openUserFile(path: string, name = path): Promise<FileHandle> {
  const handle = await open(path, O_RDONLY | O_NONBLOCK).catch((error: unknown) => {
    throw isSpecial(error) ? special(name, error) : error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw special(name);
}

/** The bytes of a file that somebody named. @throws as `openUserFile` does */
export async function readUserFile(path: string, name = path): Promise<Buffer> {
  await using file = await openUserFile(path, name);
  return await file.readFile();
}

/** The bytes of a file that somebody named, as they come. @throws as `openUserFile` does */
export async function* streamUserFile(path: string, name = path): AsyncGenerator<Buffer> {
  await using file = await openUserFile(path, name);
  yield* file.createReadStream({ highWaterMark: 1 << 20, autoClose: false });
}

/**
 * The text of a small file, such as one with rules. Links are followed; a pipe is not waited for, and of a
 * device nothing is read.
 * @throws SOURCE_SPECIAL for what is no regular file, SOURCE_TOO_LARGE above `maxBytes`, and what the system
 *   raises
 */
export function readSmallText(path: string, name: string, maxBytes: number): string {
  const file = openNow(path, name);
  try {
    if (!fstatSync(file).isFile()) throw special(name);
    const bytes = Buffer.alloc(maxBytes + 1);
    let size = 0;
    // A read may bring less than was asked for; 0 is the end.
    for (let read = -1; read !== 0 && size <= maxBytes; size += read)
      read = readSync(file, bytes, size, bytes.length - size, size);
    if (size <= maxBytes) return bytes.toString("utf8", 0, size);
    throw new RagctlError("SOURCE_TOO_LARGE", `${name} is larger than ${maxBytes} bytes`, {
      hint: "make it smaller, or remove it",
    });
  } finally {
    closeSync(file);
  }
}

function openNow(path: string, name: string): number {
  try {
    return openSync(path, O_RDONLY | O_NONBLOCK);
  } catch (error) {
    throw isSpecial(error) ? special(name, error) : error;
  }
}

/** Whether an error says that a path is a socket, or a link that leads back to itself. */
const isSpecial = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENXIO" || error.code === "ELOOP");
