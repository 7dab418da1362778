import type { Dirent, Stats } from "node:fs";
import { glob, lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { FileStamp } from "../../core/documents/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { type Failure, isFailure } from "../../core/flow.ts";
import { toNfc } from "../../core/text.ts";
import { describeReadError, isPattern, shownName } from "../../files.ts";
import type { Scope } from "./scope.ts";

/** A readable regular file, before its content is examined. */
export interface Candidate {
  /** Absolute real path. */
  readonly path: string;
  /** Relative to the folder it was found in, or the base name; `/` between parts, as it is shown. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly stamp: FileStamp;
  /** Device number; with the inode it identifies the file. */
  readonly device: number;
}

export interface SourceOptions {
  /** Base of relative paths. */
  readonly cwd: string;
  /** Largest file accepted, in bytes. */
  readonly maxBytes: number;
  /** Follows links even if they lead out of the ingested folder. Default false. */
  readonly followLinks?: boolean;
  /** Which files below a folder are included. Default: all. */
  readonly scope?: Scope;
  /** Reports what the scope excludes, a folder as one entry. Default false. */
  readonly namesIgnored?: boolean;
  /**
   * Why a folder or file may not be read; undefined if it may. Default: all may. `name` is its name in
   * messages.
   */
  readonly refuse?: (path: string, name: string) => RagctlError | undefined;
}

/** A document that could not be read, as a value in the stream of files. */
export function documentFailure(name: string, error: RagctlError, path?: string): Failure {
  return {
    failed: true,
    name: toNfc(name),
    phase: "read",
    error,
    ...(path === undefined ? {} : { path }),
  };
}

/** Size, modification time and inode of a file, which change when it is touched. */
export function fileStamp(stats: Stats): FileStamp {
  return { sizeBytes: stats.size, mtimeMs: stats.mtimeMs, inode: String(stats.ino) };
}

function errno(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function fileError(name: string, cause: unknown): RagctlError {
  if (cause instanceof RagctlError) return cause;
  const code = errno(cause);
  // Node decodes bytes that are not UTF-8 to this character, so the path does not exist under that name.
  if (code === "ENOENT" && name.includes("\uFFFD"))
    return new RagctlError("SOURCE_UNREADABLE", `cannot open ${name}: its name is not UTF-8`, {
      hint: "rename it",
      cause,
    });
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new RagctlError("SOURCE_MISSING", `${name} does not exist`, {
      hint: "check the path; relative paths start from the current folder",
      cause,
    });
  }
  if (code === "ELOOP")
    return new RagctlError("SOURCE_OUTSIDE", `${name} is a link to itself`, {
      hint: "remove the link",
      cause,
    });
  return new RagctlError("SOURCE_UNREADABLE", `cannot open ${name}: ${describeReadError(cause)}`, {
    hint: "grant yourself read access, or exclude it",
    cause,
  });
}

/** The error for something at `path`, which may be a broken link. */
async function placeError(path: string, name: string, cause: unknown): Promise<RagctlError> {
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  if (!isLink || errno(cause) !== "ENOENT") return fileError(name, cause);
  return new RagctlError("SOURCE_MISSING", `${name} is a link whose target does not exist`, {
    hint: "restore the target, or remove the link",
    cause,
  });
}

/** Faults of what is no folder itself. */
const fileFaults = ["SOURCE_SPECIAL", "SOURCE_EMPTY", "SOURCE_TOO_LARGE"] as const;

/** Whether more may be below a path that could not be read. */
export const isFolderFault = ({ error }: Failure): boolean => fileFaults.every((code) => code !== error.code);

function checkFile(path: string, name: string, stats: Stats, maxBytes: number): Candidate | Failure {
  const fault = (code: (typeof fileFaults)[number], message: string, hint: string) =>
    documentFailure(name, new RagctlError(code, message, { hint }), path);
  if (!stats.isFile())
    return fault(
      "SOURCE_SPECIAL",
      `${name} is not a regular file but a device, pipe or socket`,
      "pass a file",
    );
  if (stats.size === 0) return fault("SOURCE_EMPTY", `${name} is empty (0 bytes)`, "it has nothing to index");
  if (stats.size > maxBytes) {
    const mib = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
    const message = `${name} is ${mib(stats.size)}; the limit is ${mib(maxBytes)}`;
    return fault("SOURCE_TOO_LARGE", message, "split the file, or raise parse.maxBytes");
  }
  // The path is not normalised, because the file is opened by it.
  return { path, name: shownName(name), sizeBytes: stats.size, stamp: fileStamp(stats), device: stats.dev };
}

/** A file under the path where it was found. */
async function fileAt(path: string, name: string, maxBytes: number): Promise<Candidate | Failure> {
  try {
    return checkFile(path, name, await lstat(path), maxBytes);
  } catch (error) {
    return documentFailure(name, fileError(name, error), path);
  }
}

const isHidden = (entry: string) => entry.startsWith(".") || entry.startsWith("~$");
const hasHiddenPart = (name: string) => name.split("/").some((part) => part !== ".." && isHidden(part));
const isInside = (path: string, root: string) =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
const shown = (path: string, root: string) => relative(root, path).split(sep).join("/");

interface Walk {
  /** Real path of the named folder. */
  readonly root: string;
  readonly options: SourceOptions;
  /** Real paths of folders entered so far. */
  readonly entered: Set<string>;
}

async function* readLink(path: string, walk: Walk): AsyncGenerator<Candidate | Failure> {
  const name = shown(path, walk.root);
  const outside = (what: string) =>
    documentFailure(
      name,
      new RagctlError("SOURCE_OUTSIDE", `${name} is a link ${what}`, {
        hint: "ingest its target directly",
      }),
    );
  const leaving = "that leads outside the folder";
  try {
    const target = await realpath(path);
    const stats = await stat(target);
    if (isInside(target, walk.root)) {
      // Content inside the root is read once, under its own name, unless that name is hidden.
      if (!hasHiddenPart(shown(target, walk.root))) return;
      if (stats.isDirectory()) yield outside("to a hidden folder, which is skipped");
      else yield checkFile(target, name, stats, walk.options.maxBytes);
    } else if (walk.options.followLinks !== true) yield outside(leaving);
    else if (stats.isDirectory()) yield* walkFolder(target, walk, path);
    else yield checkFile(target, name, stats, walk.options.maxBytes);
  } catch (error) {
    // For a forbidden location, not even existence is revealed.
    if (walk.options.refuse?.(path, name) !== undefined) yield outside(leaving);
    else yield documentFailure(name, await placeError(path, name, error));
  }
}

/** `path` is the real location of the folder, `at` its path in the walk. */
async function* walkFolder(
  path: string,
  walk: Walk,
  at = path,
  above = walk.options.scope,
): AsyncGenerator<Candidate | Failure> {
  if (walk.entered.has(path)) return;
  walk.entered.add(path);
  const name = shown(at, walk.root) || basename(path);
  const refusal = walk.options.refuse?.(path, name);
  if (refusal !== undefined) {
    yield documentFailure(name, refusal, path);
    return;
  }
  try {
    const entries = await readdir(path, { withFileTypes: true });
    entries.sort((one, two) => (one.name < two.name ? -1 : 1));
    const { scope, faults = [] } = (await above?.enter(path, shown(at, walk.root))) ?? {};
    for (const fault of faults) yield fault;
    for (const entry of entries) yield* walkEntry(entry, path, at, walk, scope);
  } catch (error) {
    yield documentFailure(name, fileError(name, error), path);
  }
}

const ignored = (name: string): RagctlError =>
  new RagctlError("SOURCE_IGNORED", `${name} is excluded by a .gitignore or .ragctlignore`, {
    hint: "to read it, name it in the command",
  });

/** The files of an entry in the folder `parent`, which has the path `at` in the walk. */
async function* walkEntry(
  entry: Dirent,
  parent: string,
  at: string,
  walk: Walk,
  scope: Scope | undefined,
): AsyncGenerator<Candidate | Failure> {
  const path = join(parent, entry.name);
  const entryAt = join(at, entry.name);
  const name = shown(entryAt, walk.root);
  if (isHidden(entry.name)) return;
  if (scope?.takes(name, entry.isDirectory()) === false) {
    if (walk.options.namesIgnored === true) yield documentFailure(name, ignored(name), path);
  } else if (entry.isDirectory()) yield* walkFolder(path, walk, entryAt, scope);
  else if (entry.isSymbolicLink()) yield* readLink(path, walk);
  else yield await fileAt(path, name, walk.options.maxBytes);
}

/** The folder in a pattern before its first wildcard. */
function globBase(pattern: string, cwd: string): string {
  const folders = pattern.split(/[\\/]/).slice(0, -1);
  const wild = folders.findIndex(isPattern);
  const fixed = (wild < 0 ? folders : folders.slice(0, wild)).join("/");
  return resolve(cwd, fixed || (pattern.startsWith("/") ? "/" : "."));
}

/** The file inside `root` that a link leads to, under its own name, which need not match the pattern. */
async function* readWithin(
  link: string,
  root: string,
  { maxBytes }: SourceOptions,
): AsyncGenerator<Candidate | Failure> {
  // A broken link was already reported by `readLink`.
  const target = await realpath(link).catch(() => undefined);
  if (target === undefined || !isInside(target, root) || hasHiddenPart(shown(target, root))) return;
  const stats = await stat(target);
  if (stats.isFile()) yield checkFile(target, shown(target, root), stats, maxBytes);
}

async function* readMatch(
  path: string,
  base: string,
  options: SourceOptions,
): AsyncGenerator<Candidate | Failure> {
  const name = shown(path, base);
  try {
    const stats = await lstat(path);
    const root = await realpath(base);
    if (!stats.isSymbolicLink()) yield checkFile(await realpath(path), name, stats, options.maxBytes);
    else {
      yield* readLink(join(root, name), { root, options, entered: new Set() });
      yield* readWithin(path, root, options);
    }
  } catch (error) {
    yield documentFailure(name, fileError(name, error));
  }
}

async function* expandGlob(pattern: string, options: SourceOptions): AsyncGenerator<Candidate | Failure> {
  const base = globBase(pattern, options.cwd);
  const wantsHidden = /(^|\/)\./.test(pattern.replace(/(^|\/)\.{1,2}(?=\/)/g, ""));
  const matches = await Array.fromAsync(glob(pattern, { cwd: options.cwd }), (match) =>
    resolve(options.cwd, match),
  );
  let files = 0;
  for (const path of matches.sort()) {
    // A pattern can lead anywhere. Forbidden files are skipped silently, because a report of matches would
    // let a pattern spell out every name.
    if (options.refuse?.(path, pattern) !== undefined) continue;
    if (!wantsHidden && hasHiddenPart(shown(path, base))) continue;
    const isFolder = await lstat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (isFolder) continue;
    files++;
    yield* readMatch(path, base, options);
  }
  if (files === 0) {
    yield documentFailure(
      pattern,
      new RagctlError("SOURCE_MISSING", `${pattern} matches no files`, {
        hint: "check the pattern; quote it so that the shell does not expand it",
      }),
    );
  }
}

async function* expand(path: string, options: SourceOptions): AsyncGenerator<Candidate | Failure> {
  const absolute = resolve(options.cwd, path);
  try {
    const real = await realpath(absolute);
    const stats = await stat(real);
    if (stats.isDirectory()) yield* walkFolder(real, { root: real, options, entered: new Set() });
    else yield checkFile(real, basename(absolute), stats, options.maxBytes);
  } catch (error) {
    if (isPattern(path) && errno(error) === "ENOENT") yield* expandGlob(path, options);
    // Nothing is revealed about a forbidden location, not even that there is a link.
    else if (options.refuse?.(absolute, path) !== undefined)
      yield documentFailure(path, fileError(path, error));
    else yield documentFailure(path, await placeError(absolute, path, error));
  }
}

function unlessRefused(file: Candidate, { refuse }: SourceOptions): Candidate | Failure {
  const refusal = refuse?.(file.path, file.name);
  return refusal === undefined ? file : documentFailure(file.name, refusal, file.path);
}

/**
 * Every file that the paths name, each once, and a failure for everything unreadable; folders are walked in
 * sorted order, without hidden entries.
 */
export async function listSources(
  paths: readonly string[],
  options: SourceOptions,
  signal: AbortSignal,
): Promise<readonly (Candidate | Failure)[]> {
  const found: (Candidate | Failure)[] = [];
  const seen = new Set<string>();
  for (const path of paths) {
    for await (const item of expand(path, options)) {
      signal.throwIfAborted();
      if (item.path !== undefined) {
        if (seen.has(item.path)) continue;
        seen.add(item.path);
      }
      found.push(isFailure(item) ? item : unlessRefused(item, options));
    }
  }
  return found;
}
