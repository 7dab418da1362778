import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
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
/** Most that is fetched of a file whose size the manifest does not state, bytes; such models have a few GB. */
const largestBytes = 16 * 1024 ** 3;
/** An attempt that receives nothing for this long is broken off, ms. */
const stallMs = 30_000;

/**
 * Downloads `url` to `target`, going on where an earlier download stopped, and tries again when the line breaks.
 * @throws SourceFailure; the signal's reason when aborted (what has arrived stays)
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
      if (isFileError(error)) throw error;
      // What was longer than the file is not the beginning of it.
      if (error instanceof SourceFailure && error.kind === "failed") await rm(target, { force: true });
      const failure =
        error instanceof SourceFailure
          ? error
          : new SourceFailure("network", `${url} broke off (${reasonOf(error)})`, error);
      if (failure.kind !== "network" || attempt === attempts) throw failure;
      await sleep(firstWaitMs * 2 ** (attempt - 1), undefined, { signal: options.signal }).catch(() =>
        options.signal.throwIfAborted(),
      );
    }
  }
}

async function downloadOnce(url: string, target: string, options: DownloadOptions): Promise<void> {
  let have = await sizeOf(target);
  if (options.sizeBytes !== null && have > options.sizeBytes) {
    await rm(target, { force: true });
    have = 0;
  }
  if (have > 0 && have === options.sizeBytes) return options.onBytes(have);
  const stall = new AbortController();
  const timer = setTimeout(() => stall.abort(new Error(`nothing received for ${stallMs / 1000} s`)), stallMs);
  const signal = AbortSignal.any([options.signal, stall.signal]);
  try {
    const headers = { "accept-encoding": "identity", ...(have > 0 ? { range: `bytes=${have}-` } : {}) };
    const response = await fetch(url, { headers, signal });
    if (response.status === 416) {
      // Nothing lies behind what we have: the hash decides whether it is the whole file.
      await response.body?.cancel();
      if (options.sizeBytes === null) return;
      await rm(target, { force: true });
      throw new SourceFailure("network", `${url} refused to go on at byte ${have}`);
    }
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new SourceFailure(
        response.status >= 500 || response.status === 429 ? "network" : "failed",
        `${url} answered ${response.status}`,
      );
    }
    const append =
      response.status === 206 && (response.headers.get("content-range") ?? "").startsWith(`bytes ${have}-`);
    let done = append ? have : 0;
    const limit = options.sizeBytes ?? largestBytes;
    const tooLarge = (): SourceFailure =>
      new SourceFailure(
        "failed",
        `${url} is larger than the ${limit} bytes ${options.sizeBytes === null ? "a model may have" : "announced"}`,
      );
    if (done + Number(response.headers.get("content-length") ?? 0) > limit) {
      await response.body.cancel();
      throw tooLarge();
    }
    const count = async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const part of source) {
        timer.refresh();
        done += part.byteLength;
        if (done > limit) throw tooLarge();
        options.onBytes(done);
        yield part;
      }
    };
    await pipeline(
      Readable.fromWeb(response.body),
      count,
      createWriteStream(target, { flags: append ? "a" : "w" }),
      { signal },
    );
    if (options.sizeBytes !== null && done < options.sizeBytes) {
      throw new SourceFailure("network", `${url} ended after ${done} of ${options.sizeBytes} bytes`);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  return found?.size ?? 0;
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
