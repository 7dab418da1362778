import { createHash } from "node:crypto";
import { lstat, readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "../core/schema.ts";
import { readUserFile, streamUserFile } from "../files.ts";
import type { ModelEntry, ModelFile, Platform, RuntimeEntry } from "./manifest-schema.ts";
import { SourceFailure } from "./sources/source.ts";

/** Folder of one model: `<home>/models/<id>`. */
export function modelFolder(home: string, id: string): string {
  return join(home, "models", id);
}

/** Hidden folder where downloads grow until their hash is checked. */
export function partFolder(folder: string): string {
  return join(folder, ".part");
}

/** `damaged`: the size is not the published one. Hashes are only read by verify. */
export type FilePresence = "present" | "missing" | "damaged";

/** Whether a file of a model is where it belongs, by its size. */
export async function fileState(
  folder: string,
  file: Pick<ModelFile, "name" | "sizeBytes">,
): Promise<FilePresence> {
  const stats = await stat(join(folder, file.name)).catch(() => undefined);
  if (stats === undefined || !stats.isFile()) return "missing";
  return file.sizeBytes === null || stats.size === file.sizeBytes ? "present" : "damaged";
}

/**
 * `partial`: some of it is there or a download was interrupted. `unsupported`: no build for this platform.
 */
export type ModelPresence = "ready" | "partial" | "missing" | "damaged" | "unsupported";

/** Whether a model can be used, by the sizes of its files. */
export async function modelState(home: string, entry: ModelEntry, platform: string): Promise<ModelPresence> {
  const folder = modelFolder(home, entry.id);
  const states =
    entry.task === "runtime"
      ? [await fileState(folder, { name: entry.executable, sizeBytes: null })]
      : await Promise.all(entry.files.map((file) => fileState(folder, file)));
  if (states.every((state) => state === "present")) return "ready";
  if (entry.task === "runtime" && archiveFor(entry, platform) === undefined) return "unsupported";
  if (states.includes("damaged")) return "damaged";
  const arrived = await readdir(partFolder(folder), { recursive: true, withFileTypes: true }).catch(() => []);
  const started = arrived.some((item) => item.isFile());
  return states.includes("present") || started ? "partial" : "missing";
}

/** The archive of a runtime for a platform such as `linux-x64`. */
export function archiveFor(
  entry: RuntimeEntry,
  platform: string,
): (RuntimeEntry["archives"][number] & { platform: Platform }) | undefined {
  return entry.archives.find((archive) => archive.platform === platform);
}

/** Bytes a download takes; null where the hub has to say. */
export function downloadBytes(entry: ModelEntry, platform: string): number | null {
  if (entry.task === "runtime") return archiveFor(entry, platform)?.sizeBytes ?? null;
  return entry.files.reduce<number | null>(
    (sum, file) => (sum === null || file.sizeBytes === null ? null : sum + file.sizeBytes),
    0,
  );
}

/** Lowercase hex sha256 of a file. */
export type FileHash = (path: string, signal?: AbortSignal) => Promise<string>;

/** Lowercase hex sha256 of a file, read as a stream. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(streamUserFile(path), hash, signal === undefined ? {} : { signal });
  return hash.digest("hex");
}

/**
 * sha256 over the lines `<sha256> <path>\n` of every file under `folder/name`, sorted by path. Links and
 * other special files are refused, because they would be loaded without being covered by the hash.
 * @throws SourceFailure `hash`
 */
export async function hashTree(
  folder: string,
  name: string,
  signal?: AbortSignal,
  fileHash: FileHash = hashFile,
): Promise<string> {
  const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
  const inside = (path: string): string => relative(folder, path).split(sep).join("/");
  const files: { readonly path: string; readonly name: string }[] = [];
  for (const path of [join(folder, name), ...entries.map((entry) => join(entry.parentPath, entry.name))]) {
    const [found, shown] = [await lstat(path), inside(path)];
    // A line break in a name would make one line of the listing look like two.
    if (/\p{Cc}/u.test(shown))
      throw new SourceFailure("hash", `${JSON.stringify(shown)} is a name with a control character`);
    if (found.isSymbolicLink())
      throw new SourceFailure("hash", `${shown} is a link, which the published folder does not contain`);
    if (found.isFile()) files.push({ path, name: shown });
    else if (!found.isDirectory()) throw new SourceFailure("hash", `${shown} is neither a file nor a folder`);
  }
  const hash = createHash("sha256");
  for (const file of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(`${await fileHash(file.path, signal)}  ${file.name}\n`);
  }
  return hash.digest("hex");
}

const lockSchema = z.record(
  z.string(),
  z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), from: z.string() }),
);

/** File name → hash the hub published when the file was fetched, for files the manifest does not pin. */
export type HashLock = z.infer<typeof lockSchema>;

export const lockName = "lock.json";

/** The recorded hashes of a model folder; empty where nothing was recorded. */
export async function readLock(folder: string): Promise<HashLock> {
  const text = await readUserFile(join(folder, lockName)).catch(() => undefined);
  return text === undefined ? {} : lockSchema.parse(JSON.parse(text.toString("utf8")));
}
