import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { SourceFile } from "../core/document.ts";
import { RagctlError } from "../core/errors.ts";
import { type Failure, type Flow, isFailure } from "../core/flow.ts";
import type { Run } from "../core/run.ts";
import { detectFormat } from "./detect.ts";
import { type Candidate, failure, listSources, type SourceOptions, stampOf } from "./sources.ts";

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

async function readOne(candidate: Candidate, run: Run, declared: ReadonlySet<string>): Promise<SourceFile | Failure> {
  const { path, name } = candidate;
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    const stamp = stampOf(await handle.stat());
    const format = await detectFormat(handle, path, name, declared);
    return { path, name, format, ...(await hash(handle, run.signal)), stamp };
  } catch (error) {
    run.signal.throwIfAborted();
    if (error instanceof RagctlError) return failure(name, error, path);
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = error instanceof Error ? error.message : String(error);
    const wrapped = missing
      ? new RagctlError("SOURCE_MISSING", `${name} is gone`, { hint: "run the command again when the folder is at rest", cause: error })
      : new RagctlError("SOURCE_UNREADABLE", `${name} cannot be opened: ${reason}`, {
          hint: "give yourself the right to read it, or leave it out",
          cause: error,
        });
    return failure(name, wrapped, path);
  } finally {
    await handle?.close();
  }
}

/** Candidates with their format and hash, one at a time; failures pass through. `declared`: extensions that the user's own commands read. */
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

/** Files, folders and globs as source files, in the order named; what cannot be read stays in the stream as a failure. */
export async function* read(paths: readonly string[], options: SourceOptions, run: Run): Flow<SourceFile> {
  yield* readSources(await listSources(paths, options, run.signal), run);
}
