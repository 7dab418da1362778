import { lstatSync, mkdirSync, readlinkSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, posix, resolve, win32 } from "node:path";
import { isDiskFull, RagctlError } from "../core/errors.ts";
import type { Environment } from "./environment.ts";

/**
 * Home folder of the user. A numeric user, as in many containers, has none where HOME is unset; the root
 * folder is used instead, as container engines do. HOME is set for libraries and processes started later:
 * node-llama-cpp reads it when it is loaded, and fails without one.
 */
export function userFolder(): string {
  try {
    return homedir();
  } catch {
    const root = resolve("/");
    process.env["HOME"] = root;
    return root;
  }
}

/** The inputs of the default home. */
export interface Platform {
  readonly name: NodeJS.Platform;
  /** Home folder of the user. */
  readonly userHome: string;
  readonly environment: Environment;
}

/**
 * The platform's data folder for ragctl: XDG on Linux and its like, Application Support on macOS,
 * LOCALAPPDATA on Windows.
 */
export function defaultHome({ name, userHome, environment }: Platform): string {
  if (name === "win32")
    return win32.join(environment["LOCALAPPDATA"] || win32.join(userHome, "AppData", "Local"), "ragctl");
  if (name === "darwin") return posix.join(userHome, "Library", "Application Support", "ragctl");
  const data = environment["XDG_DATA_HOME"];
  // The XDG specification: a relative value is invalid and must be ignored.
  return posix.join(
    data !== undefined && posix.isAbsolute(data) ? data : posix.join(userHome, ".local", "share"),
    "ragctl",
  );
}

/** Paths within the home. */
export interface HomePaths {
  readonly home: string;
  readonly registry: string;
  readonly cache: string;
  readonly models: string;
  /** Words of chunks whose Milvus cannot search by words. */
  readonly lexicalIndex: string;
  /** The user's own settings; `ragctl setup` writes the models it chose here. */
  readonly settings: string;
  /** The user's own glossary of query terms, in addition to that of the installation. */
  readonly glossary: string;
}

/** Paths below `home`; `registryPath` is `registry.path`, "" for the default. */
export function homePaths(home: string, registryPath = ""): HomePaths {
  return {
    home,
    registry: registryPath === "" ? join(home, "registry.sqlite") : registryPath,
    cache: join(home, "cache", "cache.sqlite"),
    models: join(home, "models"),
    lexicalIndex: join(home, "cache", "lexical.sqlite"),
    settings: join(home, "settings.yaml"),
    glossary: join(home, "glossary.yaml"),
  };
}

/** Where the registry is: the address of a server where one is set, else the path of a file. */
export function registryLocation(
  home: string,
  { path, url }: { readonly path: string; readonly url: string },
): string {
  return url === "" ? homePaths(home, path).registry : url;
}

/**
 * Makes the home and its folders where they are missing, readable by their owner only (0700).
 * @throws CONFIG_INVALID when a folder cannot be made
 */
export function createHome(home: string, registryPath = ""): HomePaths {
  const paths = homePaths(home, registryPath);
  try {
    for (const folder of [resolve(home), join(home, "cache"), paths.models, dirname(paths.registry)])
      makeFolder(folder, 0o700);
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("CONFIG_INVALID", `cannot create the home ${home}: ${reason}`, {
      hint: "choose a folder you can write to, e.g. RAGCTL_HOME=/some/folder",
      cause,
    });
  }
  return paths;
}

/**
 * Makes a folder and those above it that are missing, one at a time: the recursive mkdir of node 24 tries for
 * ever where the file system takes no folder at all, as below /proc. `mode` is of those that are made.
 * @throws Error naming the folder that is in the way
 */
export function makeFolder(path: string, mode: number): void {
  const before = statOf(path);
  if (before?.isDirectory() === true) return;
  if (before !== undefined) throw new Error(`${path} is not a folder`);
  const link = linkAt(path);
  if (link !== undefined) throw new Error(`${path} links to ${link}, which does not exist`);
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    // Another command may have made it in between.
    if (statOf(path)?.isDirectory() === true) return;
    if (isDiskFull(cause)) throw cause;
    throw new Error(`${dirname(path)} is not writable`, { cause });
  }
}

/** The target of a link; undefined for anything else. */
const linkAt = (path: string): string | undefined =>
  statOf(path, lstatSync)?.isSymbolicLink() === true ? readlinkSync(path) : undefined;

/** The state of a path; undefined where nothing is there, e.g. below a file. */
function statOf(path: string, read: typeof statSync | typeof lstatSync = statSync) {
  try {
    return read(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}
