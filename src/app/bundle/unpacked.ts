import { createHash } from "node:crypto";
import { join } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import { openVerifiedFile, readUserFile } from "../../files.ts";
import { type BundledFile, type BundleManifest, manifestName, parseManifest } from "./manifest.ts";
import { alteredError, type BundleSink } from "./read.ts";

/**
 * Reads a bundle that was unpacked, e.g. by `tar`; other files in the folder are ignored.
 * @throws USAGE_INVALID for a folder that is not a bundle, HASH_MISMATCH for a file that is altered or
 * missing
 */
export async function readUnpacked(
  folder: string,
  sink: BundleSink,
  signal: AbortSignal,
): Promise<BundleManifest> {
  const manifest = await readManifest(join(folder, manifestName));
  await sink.begin(manifest);
  for (const file of manifest.files) {
    signal.throwIfAborted();
    await sink.write(file, checkedContent(folder, file));
  }
  return manifest;
}

async function readManifest(path: string): Promise<BundleManifest> {
  try {
    return parseManifest((await readUserFile(path)).toString("utf8"));
  } catch (cause) {
    if (cause instanceof RagctlError) throw cause;
    throw new RagctlError("USAGE_INVALID", `${path} is not a bundle manifest that this version can read`, {
      hint: "pass an archive written by `ragctl bundle create`, or the folder it was unpacked to",
      cause,
    });
  }
}

/** Follows no link in the last part of a path. */
async function* checkedContent(folder: string, file: BundledFile): AsyncGenerator<Uint8Array> {
  const path = join(folder, file.path);
  await using handle = await openVerifiedFile(path, file.path).catch((cause: unknown) => {
    const isChanged = cause instanceof RagctlError && cause.code === "SOURCE_CHANGED";
    throw alteredError(
      folder,
      isChanged ? `holds ${file.path}, which is not a file` : `lacks ${file.path}`,
      cause,
    );
  });
  const { size } = await handle.stat();
  if (size !== file.size_bytes)
    throw alteredError(
      folder,
      `holds ${size} bytes of ${file.path}, but its manifest lists ${file.size_bytes}`,
    );
  const hash = createHash("sha256");
  for await (const chunk of handle.createReadStream({ highWaterMark: 1 << 20, autoClose: false })) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== file.sha256)
    throw alteredError(folder, `was altered: ${file.path} has a different sha256`);
}
