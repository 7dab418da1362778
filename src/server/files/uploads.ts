import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { uploadFolder } from "../../app/roots.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import { idleMs } from "./idle-timeout.ts";

/** A file that was received. */
export interface Received {
  /** Absolute path. */
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
}

export interface Uploads {
  /**
   * Writes a body to disk as it comes and puts it in its place when it is complete; of one that is cut off
   * nothing stays.
   * @throws REQUEST_TOO_LARGE, REQUEST_INVALID for an empty one, DISK_FULL
   */
  receive(
    body: AsyncIterable<Uint8Array>,
    target: { readonly fileName: string; readonly collection: string; readonly instance: Instance },
    signal: AbortSignal,
  ): Promise<Received>;
}

export interface UploadOptions {
  /** ragctl's own folder. */
  readonly home: string;
  /** Largest file, bytes. */
  readonly maxBytes: number;
  /** Opens the file that is written; another in tests of a full disk. */
  readonly open?: (path: string) => Writable;
}

/** Characters of a name that are looked at. */
const longestRead = 1000;

/** Bytes of a name that every file system takes, with room for an ending. */
const longestName = 180;

/**
 * A name of a file that leads nowhere else: the last part of a path, without what file systems, globs or
 * terminals read something into. `..\\..\\plan*.pdf` → `plan_.pdf`.
 */
export function safeName(name: string): string {
  const last = basename(name.normalize("NFC").replaceAll("\\", "/"));
  const plain = withoutEdges(
    // Longer names are cut anyway; the end of a name gives the format.
    last.slice(-longestRead).replace(/[^\p{L}\p{M}\p{N} ._()+,&@=~^#%'-]/gu, "_"),
  );
  const ending = /\.[\p{L}\p{N}]{1,10}$/u.exec(plain)?.[0] ?? "";
  let stem = plain.slice(0, plain.length - ending.length);
  while (Buffer.byteLength(stem) > longestName) stem = [...stem].slice(0, -1).join("");
  return stem === "" ? `upload${ending}` : `${stem}${ending}`;
}

/** Without the dots and spaces at both ends, which hide files or are dropped by some systems. */
function withoutEdges(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && ". ".includes(text.charAt(start))) start++;
  while (end > start && ". ".includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Creates the folder of uploads. */
export function createUploadFolder({ home, maxBytes, open = writePrivate }: UploadOptions): Uploads {
  return {
    async receive(body, { fileName, collection, instance }, signal) {
      const incoming = join(home, "uploads", "incoming");
      await mkdir(incoming, { recursive: true, mode: 0o700 });
      await sweep(incoming);
      const draft = join(incoming, `${randomUUID()}.part`);
      try {
        const sizeBytes = await written(body, open(draft), maxBytes, signal);
        const folder = uploadFolder(home, { name: collection, instance });
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const name = safeName(fileName);
        const path = join(folder, name);
        await rename(draft, path);
        return { path, name, sizeBytes };
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
  };
}

/** Removes the partial files of a killed process: those not written to for long. */
async function sweep(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && stats.mtimeMs < Date.now() - 2 * idleMs) await rm(path, { force: true });
  }
}

const writePrivate = (path: string): Writable => createWriteStream(path, { flags: "wx", mode: 0o600 });

/** Writes a body and returns its size. */
async function written(
  body: AsyncIterable<Uint8Array>,
  file: Writable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<number> {
  let size = 0;
  const measure = new Transform({
    transform(part: Uint8Array, _, done) {
      size += part.length;
      done(size > maxBytes ? fileTooLargeError(maxBytes) : null, part);
    },
  });
  await pipeline(body, measure, file, { signal });
  if (size > 0) return size;
  throw new RagctlError("REQUEST_INVALID", "the file is empty", { hint: "send a file with content" });
}

/** The error for a file beyond the limit. */
export const fileTooLargeError = (maxBytes: number): RagctlError =>
  new RagctlError("REQUEST_TOO_LARGE", `the file is larger than ${maxBytes} bytes`, {
    hint: "raise parse.maxBytes, which also limits the files that are read",
  });
