import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { BundleReport } from "./create.ts";
import { unpackedBytes } from "./manifest.ts";
import { type BundleSink, readBundle } from "./read.ts";
import { verifySignature } from "./signature.ts";

/**
 * Reads every byte of a bundle of any platform and checks it against its checksums, and against a signature
 * where `key` is given (a public key of minisign, or the file that holds it).
 * @throws USAGE_INVALID for a file that is not a bundle, HASH_MISMATCH
 */
export async function verifyBundle(
  source: string,
  key: string | undefined,
  signal: AbortSignal,
  onProgress: (doneBytes: number, totalBytes: number) => void = () => undefined,
): Promise<BundleReport> {
  const file = resolve(source);
  const signed = key === undefined ? undefined : await verifySignature(file, key, signal);
  let [totalBytes, doneBytes] = [0, 0];
  const sink: BundleSink = {
    async begin(manifest) {
      totalBytes = unpackedBytes(manifest);
    },
    async write({ size_bytes }, content) {
      for await (const _ of content);
      doneBytes += size_bytes;
      onProgress(doneBytes, totalBytes);
    },
  };
  const manifest = await readBundle({ file, sink, digest: signed?.digest, signal });
  const { size } = await stat(file);
  return { file, archiveBytes: size, manifest, leftOut: [], signature: signed?.comment ?? null };
}
