import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import { type BundledFile, type BundleManifest, manifestName, parseManifest } from "./manifest.ts";
import { altered, type BundleSink } from "./read.ts";

/**
 * Reads a bundle that was unpacked, e.g. by `tar`; what lies there beside the stated files is not looked at.
 * @throws USAGE_INVALID for a folder that is no bundle, HASH_MISMATCH for a file that is altered or missing
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
    return parseManifest(await readFile(path, "utf8"));
  } catch (cause) {
    throw new RagctlError(
      "USAGE_INVALID",
      `${path} is not the manifest of a bundle that this version reads`,
      {
        hint: "name an archive that `ragctl bundle create` made, or the folder it was unpacked to",
        cause,
      },
    );
  }
}

/** Follows no link in the last part of a path. */
async function* checkedContent(folder: string, file: BundledFile): AsyncGenerator<Uint8Array> {
  const path = join(folder, file.path);
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((cause: unknown) => {
    throw altered(folder, `lacks ${file.path}`, cause);
  });
  const hash = createHash("sha256");
  for await (const chunk of handle.createReadStream({ highWaterMark: 1 << 20 })) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest("hex") !== file.sha256)
    throw altered(folder, `was altered: ${file.path} has another sha256`);
}
