import type { Stats } from "node:fs";
import { glob, lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import type { FileStamp } from "../../core/documents/document.ts";
import { RagctlError } from "../../core/errors.ts";
import { type Failure, isFailure } from "../../core/flow.ts";
import type { Scope } from "./scope.ts";

/** A regular file that may be read, before its content has been looked at. */
export interface Candidate {
  /** Absolute real path. */
  readonly path: string;
  /** Relative to the folder it was found in, or the base name; `/` between parts. */
  readonly name: string;
  readonly sizeBytes: number;
  readonly stamp: FileStamp;
  /** Number of the device the file is on: with the inode it tells the file from every other. */
  readonly device: number;
}

export interface SourceOptions {
  /** Folder that relative paths start from. */
  readonly cwd: string;
  /** Largest file that is read, bytes. */
  readonly maxBytes: number;
  /** Read what a link points to even outside the folder that is ingested. Default false. */
  readonly followLinks?: boolean;
  /** Which files below a folder are meant. Default: all. */
  readonly scope?: Scope;
  /** Why a folder or file may not be read; undefined where it may. Default: all may. `name` is what messages call it. */
  readonly refuse?: (path: string, name: string) => RagctlError | undefined;
}

/** A document that could not be read, as a value that travels with the others. */
export function failure(name: string, error: RagctlError, path?: string): Failure {
  return { failed: true, name, phase: "read", error, ...(path === undefined ? {} : { path }) };
}

/** What tells later that the file was not touched. */
export function stampOf(stats: Stats): FileStamp {
  return { sizeBytes: stats.size, mtimeMs: stats.mtimeMs, inode: String(stats.ino) };
}

function errno(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function fileError(name: string, cause: unknown): RagctlError {
  if (cause instanceof RagctlError) return cause;
  const code = errno(cause);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new RagctlError("SOURCE_MISSING", `${name} does not exist`, {
      hint: "check the path; relative paths start from the current folder",
      cause,
    });
  }
  if (code === "ELOOP")
    return new RagctlError("SOURCE_OUTSIDE", `${name} is a link that leads back to itself`, {
      hint: "remove the link",
      cause,
    });
  const reason =
    code === "EACCES" || code === "EPERM"
      ? "permission denied"
      : cause instanceof Error
        ? cause.message
        : String(cause);
  return new RagctlError("SOURCE_UNREADABLE", `${name} cannot be opened: ${reason}`, {
    hint: "give yourself the right to read it, or leave it out",
    cause,
  });
}

function checkFile(path: string, name: string, stats: Stats, maxBytes: number): Candidate | Failure {
  if (!stats.isFile()) {
    return failure(
      name,
      new RagctlError("SOURCE_SPECIAL", `${name} is not a regular file but a device, pipe or socket`, {
        hint: "name a file",
      }),
      path,
    );
  }
  if (stats.size === 0)
    return failure(
      name,
      new RagctlError("SOURCE_EMPTY", `${name} is empty (0 bytes)`, {
        hint: "there is nothing in it to index",
      }),
      path,
    );
  if (stats.size > maxBytes) {
    const mib = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
    const message = `${name} is ${mib(stats.size)}; the limit is ${mib(maxBytes)}`;
    return failure(
      name,
      new RagctlError("SOURCE_TOO_LARGE", message, {
        hint: "split the file, or raise the size limit in the configuration",
      }),
      path,
    );
  }
  return { path, name, sizeBytes: stats.size, stamp: stampOf(stats), device: stats.dev };
}

const isHidden = (entry: string) => entry.startsWith(".") || entry.startsWith("~$");
const isInside = (path: string, root: string) =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
const shown = (path: string, root: string) => relative(root, path).split(sep).join("/");

interface Walk {
  /** Real path of the folder that was named. */
  readonly root: string;
  readonly options: SourceOptions;
  /** Real paths of folders entered so far. */
  readonly entered: Set<string>;
}

async function* readLink(path: string, walk: Walk): AsyncGenerator<Candidate | Failure> {
  const name = shown(path, walk.root);
  const outside = (what: string) =>
    failure(
      name,
      new RagctlError("SOURCE_OUTSIDE", `${name} is a link ${what}`, {
        hint: "ingest what it points to under its own path",
      }),
    );
  try {
    const target = await realpath(path);
    const stats = await stat(target);
    const inside = isInside(target, walk.root);
    if (!inside && walk.options.followLinks !== true) yield outside("that leaves the folder being read");
    else if (stats.isDirectory()) {
      if (inside) yield outside("to a folder inside the one being read, which is read under its own name");
      else yield* walkFolder(target, walk, path);
    } else if (!inside) yield checkFile(target, name, stats, walk.options.maxBytes);
    // A link to a file inside is not read twice, except where the file's own name keeps it from being read.
    else if (shown(target, walk.root).split("/").some(isHidden))
      yield checkFile(target, name, stats, walk.options.maxBytes);
  } catch (error) {
    yield failure(name, fileError(name, error));
  }
}

/** `path` is where the folder really is, `at` where it stands in the walk. */
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
    yield failure(name, refusal, path);
    return;
  }
  try {
    const entries = await readdir(path, { withFileTypes: true });
    entries.sort((one, two) => (one.name < two.name ? -1 : 1));
    const { scope, faults = [] } = (await above?.enter(path, shown(at, walk.root))) ?? {};
    for (const fault of faults) yield fault;
    for (const entry of entries) {
      if (isHidden(entry.name)) continue;
      const child = join(path, entry.name);
      if (scope?.takes(shown(join(at, entry.name), walk.root), entry.isDirectory()) === false) continue;
      if (entry.isDirectory()) yield* walkFolder(child, walk, join(at, entry.name), scope);
      else if (entry.isSymbolicLink()) yield* readLink(child, walk);
      else {
        const childName = shown(join(at, entry.name), walk.root);
        try {
          yield checkFile(child, childName, await lstat(child), walk.options.maxBytes);
        } catch (error) {
          yield failure(childName, fileError(childName, error));
        }
      }
    }
  } catch (error) {
    yield failure(name, fileError(name, error));
  }
}

async function* expandGlob(pattern: string, options: SourceOptions): AsyncGenerator<Candidate | Failure> {
  const fixed = pattern.split(/[\\/]/).slice(0, -1);
  const wild = fixed.findIndex((part) => /[*?[{]/.test(part));
  const base = resolve(
    options.cwd,
    (wild < 0 ? fixed : fixed.slice(0, wild)).join("/") || (pattern.startsWith("/") ? "/" : "."),
  );
  const wantsHidden = /(^|\/)\./.test(pattern.replace(/(^|\/)\.{1,2}(?=\/)/g, ""));
  const found: string[] = [];
  for await (const match of glob(pattern, { cwd: options.cwd })) found.push(resolve(options.cwd, match));
  found.sort();
  let files = 0;
  let refusal: RagctlError | undefined;
  for (const path of found) {
    // Not even its name is told: a pattern can lead anywhere.
    const refused = options.refuse?.(path, pattern);
    refusal ??= refused;
    if (refused !== undefined) continue;
    if (
      !wantsHidden &&
      shown(path, base)
        .split("/")
        .some((part) => isHidden(part) && part !== "..")
    )
      continue;
    try {
      const stats = await lstat(path);
      if (stats.isDirectory()) continue;
      files++;
      const root = await realpath(base);
      const walk: Walk = { root, options, entered: new Set() };
      if (stats.isSymbolicLink()) yield* readLink(join(root, shown(path, base)), walk);
      else yield checkFile(await realpath(path), shown(path, base), stats, options.maxBytes);
    } catch (error) {
      files++;
      yield failure(shown(path, base), fileError(shown(path, base), error));
    }
  }
  if (refusal !== undefined) yield failure(pattern, refusal);
  else if (files === 0) {
    yield failure(
      pattern,
      new RagctlError("SOURCE_MISSING", `${pattern} matches no file`, {
        hint: "check the pattern; quote it so that the shell leaves it alone",
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
    if (/[*?[{]/.test(path) && errno(error) === "ENOENT") yield* expandGlob(path, options);
    else yield failure(path, fileError(path, error));
  }
}

/** Every file the paths name, each once, and a failure for everything that cannot be read; folders are walked in sorted order, hidden entries left out. */
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
      if ("path" in item) {
        if (seen.has(item.path)) continue;
        seen.add(item.path);
        const refusal = isFailure(item) ? undefined : options.refuse?.(item.path, item.name);
        if (refusal !== undefined) {
          found.push(failure(item.name, refusal, item.path));
          continue;
        }
      }
      found.push(item);
    }
  }
  return found;
}
