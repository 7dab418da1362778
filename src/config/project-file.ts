import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readRegularFile } from "./read-file.ts";

/** Name of the file a project's settings are kept in. */
const projectFileName = "ragctl.yaml";

/** The project file for a folder; `ignored` is one that belongs to another user. */
export interface ProjectFile {
  readonly path: string | undefined;
  readonly ignored: string | undefined;
}

/**
 * The project file for `cwd`: the one in `cwd`, else the nearest above it within the same git repository.
 * Everything that decides it must belong to the user `uid`: the file, and for a file above every folder from
 * `cwd` up to the repository with its `.git`. Otherwise anyone with write access to a shared folder could set
 * the settings of everybody below it. `uid` undefined (Windows, or the user trusts the file): owners are not
 * checked.
 */
export function findProjectFile(cwd: string, userHome: string, uid: number | undefined): ProjectFile {
  const mine = (path: string): boolean => isOwnedBy(path, uid);
  const here = resolve(cwd);
  for (const folder of foldersOfRepository(here, userHome, mine) ?? [here]) {
    const path = join(folder, projectFileName);
    if (existsSync(path))
      return mine(path) ? { path, ignored: undefined } : { path: undefined, ignored: path };
  }
  return { path: undefined, ignored: undefined };
}

/** The folders from `here` up to the top of its repository; undefined outside of one. */
function foldersOfRepository(
  here: string,
  userHome: string,
  mine: (path: string) => boolean,
): readonly string[] | undefined {
  const folders: string[] = [];
  for (let folder = here; mine(folder); folder = dirname(folder)) {
    folders.push(folder);
    if (isRepository(folder, mine)) return folders;
    if (folder === userHome || dirname(folder) === folder) return undefined;
  }
  return undefined;
}

/**
 * Whether `folder` holds a git repository of the user's own, or the `.git` file of a work tree or submodule
 * of one.
 */
function isRepository(folder: string, mine: (path: string) => boolean): boolean {
  const git = join(folder, ".git");
  if (!existsSync(git) || !mine(git)) return false;
  const target = statSync(git).isDirectory() ? git : linkedRepository(git, folder);
  return target !== undefined && mine(target) && existsSync(join(target, "HEAD"));
}

/** Where the `.git` file of a work tree leads: its one line is `gitdir: PATH`. */
function linkedRepository(git: string, folder: string): string | undefined {
  try {
    const path = /^gitdir: (\S.*)$/m.exec(readRegularFile(git, 4096))?.[1];
    return path === undefined ? undefined : resolve(folder, path.trimEnd());
  } catch {
    return undefined;
  }
}

/**
 * Whether a path, and where it is a link what it leads to, belongs to a user; anybody's where `uid` is
 * undefined.
 */
export const isOwnedBy = (path: string, uid: number | undefined): boolean =>
  uid === undefined || (ownerOf(path) === uid && ownerOf(path, "link") === uid);

/** User that a path belongs to, or with `link` the link itself; undefined where nothing is there. */
function ownerOf(path: string, what: "target" | "link" = "target"): number | undefined {
  return (what === "link" ? lstatSync : statSync)(path, { throwIfNoEntry: false })?.uid;
}
