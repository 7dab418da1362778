import { createHash } from "node:crypto";
import { type FileHandle, readlink, realpath } from "node:fs/promises";
import type { SourceFile } from "../../core/documents/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { type Failure, type Flow, isFailure } from "../../core/flow.ts";
import type { Run } from "../../core/run.ts";
import { fileChangedError, openVerifiedFile, unreadableFileError } from "../../files.ts";
import { detectFormat, extensionMismatchWarning } from "./detect.ts";
import { type Candidate, documentFailure, fileStamp, listSources, type SourceOptions } from "./sources.ts";

export { type Candidate, listSources, type SourceOptions } from "./sources.ts";

const sliceBytes = 256 * 1024;

async function hash(handle: FileHandle, signal: AbortSignal): Promise<{ sha256: string; sizeBytes: number }> {
  const digest = createHash("sha256");
  const slice = new Uint8Array(sliceBytes);
  let sizeBytes = 0;
  while (true) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(slice, 0, sliceBytes, sizeBytes);
    if (bytesRead === 0) return { sha256: digest.digest("hex"), sizeBytes };
    digest.update(slice.subarray(0, bytesRead));
    sizeBytes += bytesRead;
  }
}

/**
 * The real location of an open file: on Linux from the kernel, by its descriptor; elsewhere by resolving its
 * path again.
 */
async function placeOf({ fd }: FileHandle, path: string): Promise<string> {
  return await readlink(`/proc/self/fd/${fd}`).catch(() => realpath(path));
}

/**
 * Whether the open file is the one listed, still at its location. Anyone who can write to the folder could
 * have replaced it or a parent folder with a link, to have another file read.
 */
async function isListed(handle: FileHandle, { path, device, stamp }: Candidate): Promise<boolean> {
  const stats = await handle.stat();
  const { inode, sizeBytes } = fileStamp(stats);
  if (stats.dev !== device || inode !== stamp.inode || sizeBytes !== stamp.sizeBytes) return false;
  // Case-insensitive file systems may return either case.
  return (await placeOf(handle, path)).toLowerCase() === path.toLowerCase();
}

async function readOne(
  candidate: Candidate,
  run: Run,
  declared: ReadonlySet<string>,
): Promise<SourceFile | Failure> {
  const { path, name } = candidate;
  try {
    await using handle = await openVerifiedFile(path, name);
    if (!(await isListed(handle, candidate))) throw fileChangedError(name);
    const stamp = fileStamp(await handle.stat());
    const format = await detectFormat(handle, name, declared);
    const warning = extensionMismatchWarning({ name, format }, declared);
    return {
      path,
      name,
      format,
      ...(await hash(handle, run.signal)),
      stamp,
      ...(warning === undefined ? {} : { misnamed: warning }),
    };
  } catch (error) {
    run.signal.throwIfAborted();
    return documentFailure(
      name,
      error instanceof RagctlError ? error : unreadableFileError(name, error),
      path,
    );
  }
}

/**
 * Candidates with their format and hash, one at a time; failures pass through. `declared`: extensions that
 * user-defined commands read.
 */
export async function* readSources(
  candidates: Iterable<Candidate | Failure>,
  run: Run,
  declared: ReadonlySet<string> = new Set(),
): Flow<SourceFile> {
  for (const candidate of candidates) {
    run.signal.throwIfAborted();
    yield isFailure(candidate) ? candidate : await readOne(candidate, run, declared);
  }
}

/**
 * Files, folders and globs as source files, in the order named; unreadable ones stay in the stream as
 * failures.
 */
export async function* read(paths: readonly string[], options: SourceOptions, run: Run): Flow<SourceFile> {
  yield* readSources(await listSources(paths, options, run.signal), run);
}
