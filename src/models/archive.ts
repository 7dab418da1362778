import { createWriteStream } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

interface Member {
  readonly name: string;
  /** Unpacked size. */
  readonly sizeBytes: number;
  /** Unix permission bits; 0 where the archive holds none. */
  readonly mode: number;
  open(): Promise<Readable>;
}

/**
 * The files of a zip archive (wheel, jar), one at a time; names that leave the archive are refused by the
 * reader.
 */
async function* archiveMembers(path: string): AsyncGenerator<Member> {
  const { openPromise } = await import("yauzl");
  const zip = await openPromise(path);
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith("/")) continue;
      yield {
        name: entry.fileName,
        sizeBytes: entry.uncompressedSize,
        mode: (entry.externalFileAttributes >>> 16) & 0o777,
        open: () => zip.openReadStreamPromise(entry),
      };
    }
  } finally {
    zip.close();
  }
}

/**
 * Writes the one member whose name matches `pattern` (`*`: any characters) to `target`; false when none does.
 */
export async function extractMember(
  archive: string,
  pattern: string,
  target: string,
  options: { readonly append: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  const namePattern = new RegExp(`^${pattern.split("*").map(escapePattern).join(".*")}$`);
  for await (const member of archiveMembers(archive)) {
    if (!namePattern.test(member.name)) continue;
    await pipeline(await member.open(), createWriteStream(target, { flags: options.append ? "a" : "w" }), {
      signal: options.signal,
    });
    return true;
  }
  return false;
}

/** Unpacks everything under `from` into `target`, keeping executable bits; the number of files written. */
export async function unpackFolder(
  archive: string,
  from: string,
  target: string,
  signal: AbortSignal,
): Promise<number> {
  const prefix = `${from}/`;
  let count = 0;
  for await (const member of archiveMembers(archive)) {
    if (!member.name.startsWith(prefix)) continue;
    const path = join(target, member.name.slice(prefix.length));
    await mkdir(dirname(path), { recursive: true });
    await pipeline(await member.open(), createWriteStream(path), { signal });
    if ((member.mode & 0o111) !== 0) await chmod(path, 0o755);
    count += 1;
  }
  return count;
}

function escapePattern(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}
