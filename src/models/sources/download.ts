import { open, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { SourceFailure } from "./source.ts";

interface DownloadOptions {
  /** Expected size; null when not known. */
  readonly sizeBytes: number | null;
  readonly signal: AbortSignal;
  readonly onBytes: (doneBytes: number) => void;
}

const attempts = 4;
/** Waiting time before the second attempt, ms; doubled each time. */
const firstWaitMs = 300;
/**
 * Most that is fetched of a file whose size the manifest does not state, bytes; such models have a few GB.
 */
const largestBytes = 16 * 1024 ** 3;
/** An attempt that receives nothing for this long is broken off, ms. */
const stallMs = 30_000;

/**
 * Downloads `url` to `target`, resumes an earlier download, and retries when the connection breaks.
 * @throws SourceFailure; the signal's reason when aborted (the received part is kept)
 */
export async function download(
  url: string,
  target: string,
  options: DownloadOptions,
): Promise<{ readonly resumed: boolean }> {
  const before = await sizeOf(target);
  for (let attempt = 1; ; attempt += 1) {
    options.signal.throwIfAborted();
    try {
      await downloadOnce(url, target, options);
      return { resumed: before > 0 };
    } catch (error) {
      options.signal.throwIfAborted();
      const failure = failureOf(url, error);
      // A longer file is not a partial download of this one.
      if (failure.kind === "failed") await rm(target, { force: true });
      if (failure.kind !== "network" || attempt === attempts) throw failure;
      await sleep(firstWaitMs * 2 ** (attempt - 1), undefined, { signal: options.signal }).catch(() =>
        options.signal.throwIfAborted(),
      );
    }
  }
}

/**
 * What ended an attempt, as a failure of the source. @throws the error of the disk, which no other attempt
 * helps
 */
function failureOf(url: string, error: unknown): SourceFailure {
  if (isFileError(error)) throw error;
  if (error instanceof SourceFailure) return error;
  return new SourceFailure("network", `${url} was interrupted (${reasonOf(error)})`, error);
}

async function downloadOnce(url: string, target: string, options: DownloadOptions): Promise<void> {
  let have = await sizeOf(target);
  if (options.sizeBytes !== null && have > options.sizeBytes) {
    await rm(target, { force: true });
    have = 0;
  }
  if (have > 0 && have === options.sizeBytes) return options.onBytes(have);
  const stall = new AbortController();
  const timer = setTimeout(() => stall.abort(new Error(`no data for ${stallMs / 1000} s`)), stallMs);
  const signal = AbortSignal.any([options.signal, stall.signal]);
  try {
    const headers = { "accept-encoding": "identity", ...(have > 0 ? { range: `bytes=${have}-` } : {}) };
    const response = await fetch(url, { headers, signal });
    if (response.status === 416) return await refuseRange(url, target, have, response, options);
    await append(url, target, have, response, { ...options, signal }, () => timer.refresh());
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The server has nothing after the present bytes. Where the size is unknown, the hash decides whether they
 * are the whole file.
 */
async function refuseRange(
  url: string,
  target: string,
  have: number,
  response: Response,
  { sizeBytes }: DownloadOptions,
): Promise<void> {
  await response.body?.cancel();
  if (sizeBytes === null) return;
  await rm(target, { force: true });
  throw new SourceFailure("network", `${url} refused to resume at byte ${have}`);
}

/**
 * Appends the body to the `have` bytes already present, or replaces them where the server sends the whole
 * file.
 */
async function append(
  url: string,
  target: string,
  have: number,
  response: Response,
  options: DownloadOptions,
  onPart: () => void,
): Promise<void> {
  const body = await bodyOf(url, response);
  const { sizeBytes, signal } = options;
  const isRest =
    response.status === 206 && (response.headers.get("content-range") ?? "").startsWith(`bytes ${have}-`);
  let doneBytes = isRest ? have : 0;
  const limit = sizeBytes ?? largestBytes;
  if (doneBytes + Number(response.headers.get("content-length") ?? 0) > limit) {
    await body.cancel();
    throw tooLarge(url, sizeBytes);
  }
  await using file = await open(target, isRest ? "a" : "w").catch(async (error: unknown) => {
    await body.cancel();
    throw error;
  });
  for await (const part of body) {
    onPart();
    if (doneBytes + part.byteLength > limit) throw tooLarge(url, sizeBytes);
    await file.writeFile(part);
    // Counted only after the write, so that the next attempt can resume from the reported bytes.
    doneBytes += part.byteLength;
    options.onBytes(doneBytes);
    signal.throwIfAborted();
  }
  if (sizeBytes !== null && doneBytes < sizeBytes) {
    throw new SourceFailure("network", `${url} ended after ${doneBytes} of ${sizeBytes} bytes`);
  }
}

/**
 * The body of a successful answer. @throws SourceFailure `network` where the server may do better later, else
 * `failed`
 */
async function bodyOf(url: string, response: Response): Promise<NonNullable<Response["body"]>> {
  if (response.ok && response.body !== null) return response.body;
  await response.body?.cancel();
  const passing = response.status >= 500 || response.status === 429;
  throw new SourceFailure(passing ? "network" : "failed", `${url} responded with status ${response.status}`);
}

function tooLarge(url: string, sizeBytes: number | null): SourceFailure {
  const limit =
    sizeBytes === null ? `limit of ${largestBytes} bytes for a model` : `${sizeBytes} bytes announced`;
  return new SourceFailure("failed", `${url} is larger than the ${limit}`);
}

async function sizeOf(path: string): Promise<number> {
  const file = await stat(path).catch(() => undefined);
  return file?.size ?? 0;
}

function isFileError(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    ["ENOSPC", "EACCES", "EROFS", "EDQUOT", "EIO"].includes(String(error.code))
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
