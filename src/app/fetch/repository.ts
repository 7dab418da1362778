import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join } from "node:path";
import { caller } from "../../config/caller.ts";
import { RagctlError } from "../../core/errors.ts";
import { listed, plural } from "../../core/plural.ts";
import type { Run } from "../../core/run.ts";
import { resolveChecked, systemLookup } from "../../tools/network/address.ts";
import { repositoryName, type SourceAddress } from "./address.ts";
import { listFetchedFiles } from "./folder.ts";
import { type FetchLimits, fetchError, maxListedNames, type Staged } from "./staged.ts";

type Repository = Extract<SourceAddress, { readonly kind: "repository" }>;

/** Nothing of the user's or the machine's configuration: no hook, filter, prompt, helper or other address. */
const options: Readonly<Record<string, string>> = {
  "core.hooksPath": devNull,
  "core.symlinks": "false",
  "core.autocrlf": "false",
  "credential.helper": "",
  "fetch.recurseSubmodules": "false",
  // Receives a pack, however few its objects, so that its growing size can be watched.
  "fetch.unpackLimit": "1",
  "submodule.recurse": "false",
  "http.followRedirects": "false",
  "http.lowSpeedLimit": "1000",
  "http.lowSpeedTime": "30",
};

/** Runs git in a separate folder. */
type Git = (...words: readonly string[]) => Promise<string>;

const failed = (message: string, hint: string, cause?: unknown): RagctlError =>
  new RagctlError("DOWNLOAD_FAILED", message, { hint, cause });

async function openGit(
  repository: Repository,
  pinned: readonly string[],
  limits: FetchLimits,
  folder: string,
  signal: AbortSignal,
): Promise<Git> {
  const { execa } = await import("execa");
  const { PATH = "", SystemRoot } = caller().environment;
  const config = Object.entries(options).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const gitFolder = join(folder, ".git");
  const env = {
    PATH,
    ...(SystemRoot === undefined ? {} : { SystemRoot }),
    GIT_DIR: gitFolder,
    GIT_WORK_TREE: folder,
    HOME: gitFolder,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_TERMINAL_PROMPT: "0",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_ALLOW_PROTOCOL: repository.url.protocol === "file:" ? "file" : "https",
  };
  return async (...words) => {
    const result = await execa("git", [...config, ...pinned, ...words], {
      shell: false,
      reject: false,
      cwd: folder,
      env,
      extendEnv: false,
      stdin: "ignore",
      timeout: limits.timeoutMs,
      cancelSignal: signal,
      forceKillAfterDelay: 2000,
      maxBuffer: 64 * 1024 ** 2,
    });
    if (!result.failed) return result.stdout;
    if (result.code === "ENOENT")
      throw new RagctlError("RUNTIME_MISSING", "git is not installed", {
        hint: "install git; ragctl fetches repositories with it",
      });
    signal.throwIfAborted();
    if (result.timedOut)
      throw failed(
        `${repository.url.href} was not fetched within ${limits.timeoutMs} ms`,
        "raise fetch.timeoutMs",
      );
    if (result.isMaxBuffer) throw tooMany(repository.url, `more than ${maxFiles} files`);
    throw gitError(repository, result.stderr);
  };
}

function gitError({ url, revision }: Repository, stderr: string): RagctlError {
  if (/couldn't find remote ref|not our ref|unadvertised object/i.test(stderr))
    return new RagctlError("SOURCE_MISSING", `${url.href} has no revision ${revision}`, {
      hint: "add a branch, tag or full commit id after @; documents fetched earlier are kept",
    });
  const said = stderr.split("\n").filter((line) => /^(?:remote: )?(?:fatal|error): /.test(line));
  // The other side knows the reason; both write at once.
  const reason = said.find((line) => line.startsWith("remote: ")) ?? said[0] ?? "git failed";
  return failed(
    `${url.href} was not fetched: ${reason.trimEnd().slice(0, 300)}`,
    "check the URL and the repository; documents fetched earlier are kept",
  );
}

/** The address that git connects to, checked as those of tools are: it resolves the name no second time. */
async function pinnedHost(
  { url }: Repository,
  { allowPrivate, lookup }: FetchLimits,
): Promise<readonly string[]> {
  if (url.protocol === "file:") return [];
  const addresses = await resolveChecked(url.hostname, allowPrivate, lookup ?? systemLookup).catch(
    (cause: unknown) => {
      throw fetchError(cause, url);
    },
  );
  const list = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address)).join(",");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return ["-c", `http.curloptResolve=${host}:${url.port || "443"}:${list}`];
}

/** Bytes of what git has received so far. */
async function receivedBytes(folder: string): Promise<number> {
  const packs = join(folder, "objects", "pack");
  let bytes = 0;
  for (const name of await readdir(packs).catch(() => []))
    bytes += (await stat(join(packs, name)).catch(() => undefined))?.size ?? 0;
  return bytes;
}

const tooLarge = (url: URL, maxBytes: number, cause?: unknown): RagctlError =>
  failed(`${url.href} has more than ${maxBytes} bytes`, "raise fetch.maxBytes", cause);

/** Fetches one revision without its history; `tooMuch` ends git once it has received more than is allowed. */
async function receive(
  { url, revision }: Repository,
  git: Git,
  gitFolder: string,
  maxBytes: number,
  tooMuch: AbortController,
) {
  const watch = setInterval(async () => {
    if ((await receivedBytes(gitFolder)) > maxBytes) tooMuch.abort();
  }, 200);
  try {
    await git("fetch", "--quiet", "--depth=1", "--no-tags", "--", url.href, revision);
  } catch (thrown) {
    throw tooMuch.signal.aborted ? tooLarge(url, maxBytes, thrown) : thrown;
  } finally {
    clearInterval(watch);
  }
}

/** Whether a path leads out of its folder, or into git's own, or is longer than file systems hold. */
const isImpossible = (path: string): boolean =>
  path.length > 1000 ||
  path
    .split(/[/\\]/)
    .some((part) => ["", ".", "..", ".git"].includes(part.toLowerCase()) || Buffer.byteLength(part) > 255);

/**
 * Paths of the files of the revision, of its links and its submodules. @throws DOWNLOAD_FAILED for more than
 * is allowed, and for a path that git would leave out in silence, or could not remove again
 */
async function listFiles({ url }: Repository, git: Git, maxBytes: number) {
  const tree = await git("ls-tree", "-r", "-l", "-z", "FETCH_HEAD");
  const entries = tree.split("\0").flatMap((line) => {
    const [, mode, size, path = ""] = /^(\d+) \w+ \w+ +(\d+|-)\t(.+)$/s.exec(line) ?? [];
    return mode === undefined ? [] : [{ mode, size: Number(size) || 0, path }];
  });
  const impossible = entries.find(({ path }) => isImpossible(path));
  if (impossible !== undefined)
    throw failed(
      `${url.href} contains a path that cannot be kept: ${JSON.stringify(impossible.path.slice(0, 200))}`,
      "nothing was kept",
    );
  if (entries.length > maxFiles) throw tooMany(url, plural(entries.length, "file"));
  if (entries.reduce((sum, { size }) => sum + size, 0) > maxBytes) throw tooLarge(url, maxBytes);
  return Object.groupBy(entries, ({ mode }) => kinds.get(mode) ?? "files");
}

/** What is no file, by its mode. */
const kinds: ReadonlyMap<string, "links" | "submodules"> = new Map([
  ["120000", "links"],
  ["160000", "submodules"],
]);

/** Files of a repository at most. */
const maxFiles = 100_000;

const tooMany = (url: URL, files: string): RagctlError =>
  failed(`${url.href} has ${files}`, `at most ${maxFiles} are fetched`);

/**
 * Fetches the files of a repository at one revision with the user's git, without its history, submodules,
 * hooks and filters. @throws SOURCE_MISSING for a revision that is not there, RUNTIME_MISSING without git,
 * DOWNLOAD_FAILED, SOURCE_OUTSIDE for a host that may not be asked
 */
export async function fetchRepository(
  repository: Repository,
  limits: FetchLimits,
  folder: string,
  run: Run,
): Promise<Staged> {
  const gitFolder = join(folder, ".git");
  const tooMuch = new AbortController();
  const signal = AbortSignal.any([run.signal, tooMuch.signal]);
  const git = await openGit(repository, await pinnedHost(repository, limits), limits, folder, signal);
  await git("init", "--quiet", "--template=");
  await receive(repository, git, gitFolder, limits.maxBytes, tooMuch);
  const { files = [], links = [], submodules = [] } = await listFiles(repository, git, limits.maxBytes);
  // Nothing that the repository says of its files makes them other or larger ones.
  await mkdir(join(gitFolder, "info"), { recursive: true });
  await writeFile(
    join(gitFolder, "info", "attributes"),
    "* -text -eol -ident -filter !working-tree-encoding\n",
  );
  if (files.length > 0) await git("checkout", "--quiet", "--force", "FETCH_HEAD", "--", ".");
  await rm(gitFolder, { recursive: true });
  // A link is checked out as a file that says where it leads.
  for (const { path } of links) await rm(join(folder, path), { recursive: true, force: true });
  const leading = listed(
    links.map(({ path }) => path),
    maxListedNames,
  );
  if (leading !== "") run.log.warn(`links in ${repository.address} are not followed: ${leading}`);
  const name = repositoryName(repository);
  const paths = await listFetchedFiles(folder);
  const unclaimed = new Set(paths);
  const errors = [
    ...submodules.map(({ path }) => [path, submodule] as const),
    // Paths that are the same to this file system, and those that git takes for an attack.
    ...files.filter(({ path }) => !unclaimed.delete(path)).map(({ path }) => [path, unwritten] as const),
  ];
  return {
    names: new Map(paths.map((path) => [path, `${name}:${path}`])),
    stays: () => false,
    failures: errors.map(([path, error]) => ({ name: `${name}:${path}`, error: error(path) })),
  };
}

const submodule = (path: string): RagctlError =>
  new RagctlError("SOURCE_UNSUPPORTED", `${path} is a submodule: its content is not here`, {
    hint: "ingest its own repository",
  });

const unwritten = (path: string): RagctlError =>
  new RagctlError("SOURCE_UNREADABLE", `${path} cannot stand in one folder with the other files`, {
    hint: "rename it in its repository",
  });
