import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "../core/schema.ts";
import { type FileHash, hashFile } from "./catalog.ts";

/** Path → the file's state when it was read, and its hash then. */
const memorySchema = z.record(z.string(), z.object({ stamp: z.string(), sha256: z.string() }));
type Memory = z.infer<typeof memorySchema>;

/**
 * Remembers the hashes of files at `path`: a file with unchanged size and times is not read again. Two
 * processes that write at once lose at most a hash, which is computed again.
 */
export function createHashMemory(path: string): FileHash {
  return async (file, signal) => {
    const { size, mtimeMs, ctimeMs } = await stat(file);
    const stamp = `${size} ${mtimeMs} ${ctimeMs}`;
    const known = (await recall(path))[file];
    if (known?.stamp === stamp) return known.sha256;
    const sha256 = await hashFile(file, signal);
    await keep(path, { ...(await recall(path)), [file]: { stamp, sha256 } });
    return sha256;
  };
}

async function recall(path: string): Promise<Memory> {
  try {
    return memorySchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    // A missing or torn file is rebuilt.
    return {};
  }
}

async function keep(path: string, memory: Memory): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, JSON.stringify(memory), { mode: 0o600 });
    await rename(draft, path);
  } catch {
    // On a full disk, or one that cannot be written, files are read each time.
    await rm(draft, { force: true });
  }
}
