import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import type { Parser, ReadEntry } from "tar";
import { RagctlError } from "../../core/errors.ts";
import {
  type BundledFile,
  type BundleManifest,
  formatChecksums,
  manifestName,
  maxManifestBytes,
  parseManifest,
  sumsName,
  topFolder,
} from "./manifest.ts";
import { createDigest } from "./signature.ts";

/**
 * Takes the files of a bundle one after another; each is whole and right once the next comes or reading ends.
 */
export interface BundleSink {
  begin(manifest: BundleManifest): Promise<void>;
  write(file: BundledFile, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/** What reading a bundle is done with. */
interface Reading {
  readonly file: string;
  readonly sink: BundleSink;
  /** Required BLAKE2b digest, hex; undefined for an unsigned file. */
  readonly digest: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads a bundle as a stream and checks every byte against its manifest. Only the stated files are accepted:
 * no folders, links or devices, no other names, sizes or order.
 * @throws SOURCE_MISSING, USAGE_INVALID for a file that is not a bundle, HASH_MISMATCH for one that is
 * truncated or altered, and errors of the sink
 */
export async function readBundle({ file, sink, digest, signal }: Reading): Promise<BundleManifest> {
  const stats = await stat(file).catch((cause: unknown) => {
    throw new RagctlError("SOURCE_MISSING", `${file} does not exist`, { hint: "check the path", cause });
  });
  if (!stats.isFile()) throw notBundle(file, "is not a file");
  const expected = openExpectation(file, sink);
  const whole = digest === undefined ? undefined : createDigest();
  try {
    await eachEntry(bytesOf(file, whole, signal), expected.take, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw asFault(error, file, expected.manifest() !== undefined);
  }
  if (whole?.digest("hex") !== digest) throw alteredError(file, "changed while it was being read");
  return expected.end();
}

/** The bytes of a file as they come, each also put into `whole`. */
async function* bytesOf(
  file: string,
  whole: ReturnType<typeof createDigest> | undefined,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 18, signal })) {
    whole?.update(chunk);
    yield chunk;
  }
}

/** Unpacks gzip and tar, one entry at a time; reading waits while an entry is taken. */
async function eachEntry(
  bytes: AsyncIterable<Buffer>,
  take: (entry: ReadEntry) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const [{ Parser }, { Readable }] = await Promise.all([import("tar"), import("node:stream")]);
  const failed = new AbortController();
  let taking = Promise.resolve();
  const parser = new Parser({
    strict: true,
    onReadEntry(entry: ReadEntry) {
      taking = taking.then(() => take(entry));
      taking.catch((error: unknown) => failed.abort(error));
    },
  });
  parser.on("error", (error: unknown) => failed.abort(error));
  const either = AbortSignal.any([signal, failed.signal]);
  const source = Readable.from(bytes).on("error", (error) => unpacked.destroy(error));
  const unpacked = source.pipe(createGunzip());
  for await (const chunk of unpacked) {
    either.throwIfAborted();
    if (!parser.write(chunk)) await drained(parser, either);
  }
  await new Promise<void>((resolve) => {
    parser.once("end", resolve);
    if (either.aborted) resolve();
    either.addEventListener("abort", () => resolve());
    parser.end();
  });
  either.throwIfAborted();
  await taking;
}

/** Until a parser takes more. @throws the reason of `signal`, which may have ended before */
async function drained(parser: Parser, signal: AbortSignal): Promise<void> {
  try {
    await once(parser, "drain", { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Which entries may come: manifest, checksums, then the stated files in the stated order. */
function openExpectation(file: string, sink: BundleSink) {
  let manifest: BundleManifest | undefined;
  let text = "";
  let at = -1;
  const take = async (entry: ReadEntry): Promise<void> => {
    if (entry.type !== "File") throw alteredError(file, `holds ${entry.path}, which is not a file`);
    if (manifest === undefined) {
      text = await readText(entry, maxManifestBytes, file);
      manifest = manifestOf(text, entry.path, file);
      await sink.begin(manifest);
      return;
    }
    const stated = at < 0 ? sumsOf(manifest, text) : manifest.files[at];
    at += 1;
    const path = stated === undefined ? undefined : `${topFolder(manifest)}/${stated.path}`;
    if (stated === undefined || entry.path !== path)
      throw alteredError(file, `holds ${entry.path}, which its manifest does not list`);
    await sink.write(stated, checkedContent(entry, stated, file));
  };
  return {
    take,
    manifest: () => manifest,
    end(): BundleManifest {
      if (manifest === undefined) throw notBundle(file, "is empty");
      const next = manifest.files[Math.max(at, 0)];
      if (next !== undefined) throw alteredError(file, `is truncated: ${next.path} is missing`);
      return manifest;
    },
  };
}

function sumsOf(manifest: BundleManifest, text: string): BundledFile {
  const sums = formatChecksums(manifest, text);
  const sha256 = createHash("sha256").update(sums).digest("hex");
  return { path: sumsName, size_bytes: Buffer.byteLength(sums), sha256, executable: false };
}

function manifestOf(text: string, path: string, file: string): BundleManifest {
  try {
    const manifest = parseManifest(text);
    if (path === `${topFolder(manifest)}/${manifestName}`) return manifest;
  } catch (cause) {
    throw notBundle(file, "has no manifest that this version can read", cause);
  }
  throw notBundle(file, `does not begin with ${manifestName}`);
}

async function readText(entry: ReadEntry, most: number, file: string): Promise<string> {
  if (!entry.path.endsWith(`/${manifestName}`)) throw notBundle(file, `does not begin with ${manifestName}`);
  if (entry.size > most) throw alteredError(file, `has a manifest of ${entry.size} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of contentOf(entry)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The bytes of an entry as they come. */
async function* contentOf(entry: ReadEntry): AsyncGenerator<Uint8Array> {
  yield* entry;
}

/** @throws HASH_MISMATCH at the end of bytes that are not the stated ones */
async function* checkedContent(
  entry: ReadEntry,
  stated: BundledFile,
  file: string,
): AsyncGenerator<Uint8Array> {
  if (entry.size !== stated.size_bytes)
    throw alteredError(
      file,
      `holds ${entry.size} bytes of ${stated.path}, but its manifest lists ${stated.size_bytes}`,
    );
  const hash = createHash("sha256");
  for await (const chunk of contentOf(entry)) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== stated.sha256)
    throw alteredError(file, `was altered: ${stated.path} has a different sha256`);
}

/** Translates an error of gzip or tar into one about the bundle. */
function asFault(error: unknown, file: string, hasManifest: boolean): unknown {
  if (error instanceof RagctlError || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  if (code === "Z_BUF_ERROR") return alteredError(file, "is truncated", error);
  if (code.startsWith("Z_") || code.startsWith("TAR_") || "tarCode" in error)
    return hasManifest
      ? alteredError(file, `cannot be unpacked: ${error.message}`, error)
      : notBundle(file, "is not an archive written by `ragctl bundle create`", error);
  return error;
}

/** The error for an altered bundle. */
export const alteredError = (file: string, why: string, cause?: unknown): RagctlError =>
  new RagctlError("HASH_MISMATCH", `${file} ${why}`, {
    hint: "nothing was installed; copy the bundle again from its source",
    cause,
  });

const notBundle = (file: string, why: string, cause?: unknown): RagctlError =>
  new RagctlError("USAGE_INVALID", `${file} ${why}`, {
    hint: "pass an archive written by `ragctl bundle create`; it may need a newer ragctl",
    cause,
  });
