import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync, readFileSync } from "node:fs";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";
import { homePaths } from "../../config/home.ts";
import { portableSettings } from "../../config/portable.ts";
import { RagctlError } from "../../core/errors.ts";
import { lazyMap } from "../../core/lazy.ts";
import { type FileHash, hashFile } from "../../models/catalog.ts";
import type { ModelEntry } from "../../models/manifest-schema.ts";
import type { Models } from "../../models/models.ts";
import type { BundleFacts } from "../../shapes/machine.ts";
import { createStagingFolder } from "../draft.ts";
import {
  type BundleFile,
  describeFile,
  entryOf,
  listProgramFiles,
  locateNode,
  modelOrigins,
} from "./contents.ts";
import {
  type BundledFile,
  type BundleManifest,
  formatChecksums,
  manifestName,
  platformName,
  sumsName,
  topFolder,
} from "./manifest.ts";
import { readInstallation } from "./packages.ts";
import { billOfMaterials, licenceList, type Parts } from "./sbom.ts";

/** The folder of this program: of its package.json. */
const installation = resolve(fileURLToPath(new URL("../../../", import.meta.url)));

/** Size of a block of a tar archive, bytes. */
const blockBytes = 512;

/** The contents of a bundle. */
export interface BundleRequest {
  /** The archive to write; it must not be there. */
  readonly output: string;
  /** Home whose models and settings go into it. */
  readonly home: string;
  readonly models: Pick<Models, "list" | "entry" | "path" | "verify">;
  /** Ids of models; empty: all that are installed. */
  readonly modelIds: readonly string[];
  /** Folder of the program's package.json; default: this program's. */
  readonly root?: string;
  /** Whether builds of llama.cpp for CUDA and Vulkan go in too, where they are installed. Default false. */
  readonly gpu?: boolean;
  /**
   * Every byte counts twice: read for its checksum, and into the archive. Models are read before that, to be
   * verified, which gives their checksums too.
   */
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  readonly signal: AbortSignal;
}

/** The report on a created or verified bundle. */
export interface BundleReport extends BundleFacts {
  readonly manifest: BundleManifest;
}

/**
 * Writes one archive with this program, Node.js, packages, models and settings for another machine of this
 * platform. Files are read as streams; the archive becomes visible when it is complete.
 * @throws USAGE_INVALID when the archive exists, MODEL_MISSING, RUNTIME_MISSING, HASH_MISMATCH for a model
 * that is damaged, SOURCE_CHANGED for a file that changes meanwhile, DISK_FULL
 */
export async function createBundle(request: BundleRequest): Promise<BundleReport> {
  const { root = installation, signal, onProgress = () => undefined } = request;
  const file = resolve(request.output);
  if (existsSync(file)) {
    throw new RagctlError("USAGE_INVALID", `${file} already exists`, { hint: "choose a new file name" });
  }
  const room = await createStagingFolder(file);
  try {
    // Each file is hashed once: a checksum covers the verified content, even if the file changes later.
    const fileHash = lazyMap((path: string) => hashFile(path, signal));
    const { origins, parts, leftOut } = await originsOf(request, root, room, fileHash);
    const totalBytes = (await Promise.all(origins.map(async ({ from }) => (await stat(from)).size))).reduce(
      (sum, size) => sum + size,
      0,
    );
    const files: BundledFile[] = [];
    let readBytes = 0;
    for (const origin of origins) {
      signal.throwIfAborted();
      const each = await describeFile(origin, fileHash, signal);
      files.push(each);
      readBytes += each.size_bytes;
      onProgress(readBytes, 2 * totalBytes);
    }
    const manifest: BundleManifest = {
      ragctl_bundle: 1,
      program_version: parts.program.version,
      platform: platformName(),
      node_version: parts.nodeVersion,
      created_at: parts.createdAt.toISOString(),
      entry: entryOf(parts),
      models: parts.models.map(({ id, task, licence }) => ({ id, task, licence })),
      packages: parts.packages.length,
      files,
    };
    const head = await writeHead(room, manifest);
    const draft = join(room, "bundle.tar.gz");
    const bytes = archived([...head, ...origins], manifest, (done) =>
      onProgress(totalBytes + done, 2 * totalBytes),
    );
    await pipeline(bytes, createGzip(), createWriteStream(draft, { flags: "wx" }), { signal });
    await rename(draft, file);
    return { file, archiveBytes: (await stat(file)).size, manifest, leftOut, signature: null };
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

type Measured = Parts & Awaited<ReturnType<typeof readInstallation>>;

/** Every file of the bundle except manifest and checksums; generated files are in `room`. */
async function originsOf(
  request: BundleRequest,
  root: string,
  room: string,
  fileHash: FileHash,
): Promise<{
  readonly origins: readonly BundleFile[];
  readonly parts: Measured;
  readonly leftOut: readonly string[];
}> {
  const platform = platformName();
  const { entries, missing } = await chosenModels(request, fileHash);
  const installed = await readInstallation(root, platform, request.gpu === true);
  const program = await listProgramFiles(installed, platform);
  const node = await locateNode(root);
  const parts = { ...installed, nodeVersion: node.version, models: entries, createdAt: new Date() };
  const models: BundleFile[] = [];
  for (const { id } of entries) models.push(...(await modelOrigins(await request.models.path(id))));
  const settings = settingsOf(request.home);
  const made: Readonly<Record<string, string>> = {
    "sbom.cdx.json": await billOfMaterials(parts),
    "licences.txt": licenceList(parts),
    ...(settings.text === "" ? {} : { "settings.yaml": settings.text }),
    ...glossaryOf(request.home),
  };
  const texts = await Promise.all(
    Object.entries(made).map(async ([path, text]): Promise<BundleFile> => {
      await writeFile(join(room, path), text, { mode: 0o600 });
      return { path, from: join(room, path) };
    }),
  );
  const script = { path: "install", from: join(root, "config/bundle/install.sh"), executable: true };
  return {
    origins: [script, ...texts, node.origin, ...program.origins, ...models],
    parts,
    leftOut: [
      ...missing,
      ...settings.leftOut.map((key) => `setting ${key}`),
      ...installed.leftOut,
      ...program.leftOut,
    ],
  };
}

/**
 * The requested models with the installed runtimes, each checked against its published hashes. @throws
 * MODEL_MISSING, HASH_MISMATCH
 */
async function chosenModels(
  { models, modelIds, signal }: BundleRequest,
  fileHash: FileHash,
): Promise<{ readonly entries: readonly ModelEntry[]; readonly missing: readonly string[] }> {
  const states = await models.list();
  const ready = states.filter(({ state }) => state === "ready");
  const runtimes = ready.filter(({ task }) => task === "runtime").map(({ id }) => id);
  for (const id of modelIds) await models.path(id);
  const ids = [...new Set([...(modelIds.length === 0 ? ready.map(({ id }) => id) : modelIds), ...runtimes])];
  const damaged = (await models.verify(ids, signal, fileHash)).filter(({ state }) => state !== "ok");
  if (damaged[0] !== undefined) {
    throw new RagctlError(
      "HASH_MISMATCH",
      `${damaged[0].id}: ${damaged[0].file} differs from the published file`,
      {
        hint: `download it again: ragctl models pull ${damaged[0].id}`,
      },
    );
  }
  const lacking = states.filter(({ task, state }) => task === "runtime" && state !== "ready");
  return { entries: ids.map((id) => models.entry(id)), missing: lacking.map(({ id }) => id) };
}

function settingsOf(home: string): ReturnType<typeof portableSettings> {
  const { settings } = homePaths(home);
  return existsSync(settings) ? portableSettings(settings) : { text: "", leftOut: [] };
}

/** The home's own terms of questions, where it has some. */
function glossaryOf(home: string): { readonly "glossary.yaml"?: string } {
  const { glossary } = homePaths(home);
  return existsSync(glossary) ? { "glossary.yaml": readFileSync(glossary, "utf8") } : {};
}

/** The files that come first. */
async function writeHead(room: string, manifest: BundleManifest): Promise<readonly BundleFile[]> {
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  await writeFile(join(room, manifestName), text);
  await writeFile(join(room, sumsName), formatChecksums(manifest, text));
  return [manifestName, sumsName].map((path) => ({ path, from: join(room, path) }));
}

/**
 * The bytes of a tar archive of the manifest's head and files, one read at a time. @throws SOURCE_CHANGED for
 * a file that no longer has the checksum of the manifest
 */
async function* archived(
  origins: readonly BundleFile[],
  manifest: BundleManifest,
  onWritten: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const { Header, Pax } = await import("tar");
  const [top, mtime] = [topFolder(manifest), new Date(manifest.created_at)];
  const hashes = new Map(manifest.files.map((file) => [file.path, file.sha256]));
  let doneBytes = 0;
  for (const { path, from, executable } of origins) {
    const { size } = await stat(from);
    const mode = executable === true ? 0o755 : 0o644;
    const facts = { path: `${top}/${path}`, size, mode, mtime, type: "File" as const, uid: 0, gid: 0 };
    const header = new Header(facts);
    // A path or size that the old form has no room for comes before it, in one that has.
    if (header.encode()) yield new Pax({ path: facts.path, size, mtime }).encode();
    if (header.block !== undefined) yield header.block;
    let written = 0;
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(from, { highWaterMark: 1 << 20 })) {
      written += chunk.length;
      hash.update(chunk);
      yield chunk;
      onWritten(doneBytes + written);
    }
    const read = hash.digest("hex");
    if (written !== size || read !== (hashes.get(path) ?? read))
      throw new RagctlError("SOURCE_CHANGED", `${from} changed while the bundle was being made`, {
        hint: "run the command again once nothing writes to the file",
      });
    yield Buffer.alloc(-size & (blockBytes - 1));
    doneBytes += size;
  }
  yield Buffer.alloc(2 * blockBytes);
}
