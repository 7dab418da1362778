import { mkdir, readdir, rm, stat, unlink, writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { caller } from "../../config/caller.ts";
import { counted } from "../../core/counted.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { resolveChecked, systemLookup } from "../../tools/network/address.ts";
import { type Address, repositoryName } from "./address.ts";
import { filesBelow } from "./folder.ts";
import { type FetchLimits, fetchError, type Staged } from "./staged.ts";

type Repository = Extract<Address, { readonly kind: "repository" }>;

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
  const env = {
    PATH,
    ...(SystemRoot === undefined ? {} : { SystemRoot }),
    HOME: join(folder, ".git"),
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
    throw gitError(repository, result.stderr);
  };
}

function gitError({ url, revision }: Repository, stderr: string): RagctlError {
  if (/couldn't find remote ref|not our ref|unadvertised object/i.test(stderr))
    return new RagctlError("SOURCE_MISSING", `${url.href} has no revision ${revision}`, {
      hint: "add a branch, tag or full commit id after @; documents fetched earlier are kept",
    });
  const said = stderr
    .split("\n")
    .find((line) => /^(?:fatal|error): /.test(line))
    ?.slice(0, 300);
  return failed(
    `${url.href} was not fetched: ${said ?? "git failed"}`,
    "check the URL; documents fetched earlier are kept",
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
  const names = await readdir(packs).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(packs, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Ends the watched process once it has received more than is allowed. */
async function watchSize(
  folder: string,
  maxBytes: number,
  tooMuch: AbortController,
  done: AbortSignal,
): Promise<void> {
  try {
    for await (const _ of setInterval(200, undefined, { signal: done }))
      if ((await receivedBytes(folder)) > maxBytes) tooMuch.abort();
  } catch {
    // It was received.
  }
}

const tooLarge = (url: URL, maxBytes: number, cause?: unknown): RagctlError =>
  failed(`${url.href} has more than ${maxBytes} bytes`, "raise fetch.maxBytes", cause);

/** Fetches one revision without its history. */
async function receive(
  repository: Repository,
  git: Git,
  gitFolder: string,
  limits: FetchLimits,
  tooMuch: AbortController,
) {
  const { url, revision } = repository;
  const done = new AbortController();
  const watching = watchSize(gitFolder, limits.maxBytes, tooMuch, done.signal);
  try {
    await git("--git-dir", gitFolder, "fetch", "--quiet", "--depth=1", "--no-tags", "--", url.href, revision);
  } catch (thrown) {
    throw tooMuch.signal.aborted ? tooLarge(url, limits.maxBytes, thrown) : thrown;
  } finally {
    done.abort();
    await watching;
  }
}

/** Whether a path leads out of its folder, or into git's own. */
const isOutside = (path: string): boolean =>
  path.split(/[/\\]/).some((part) => part === "" || part === "." || part === ".." || /^\.git$/i.test(part));

/**
 * Paths of the files of the revision, and of its links. @throws DOWNLOAD_FAILED for more than is allowed, and
 * for a path that leads elsewhere, which git leaves out in silence
 */
async function listFiles({ url }: Repository, git: Git, gitFolder: string, { maxBytes }: FetchLimits) {
  const listed = await git("--git-dir", gitFolder, "ls-tree", "-r", "-l", "-z", "FETCH_HEAD");
  const entries = listed.split("\0").flatMap((line) => {
    const [, mode, size, path = ""] = /^(\d+) blob \w+ +(\d+)\t(.+)$/s.exec(line) ?? [];
    return mode === undefined ? [] : [{ isLink: mode === "120000", size: Number(size), path }];
  });
  const outside = entries.find(({ path }) => isOutside(path));
  if (outside !== undefined)
    throw failed(
      `${url.href} contains a path outside the repository: ${JSON.stringify(outside.path.slice(0, 200))}`,
      "nothing was kept",
    );
  if (entries.length > maxFiles)
    throw failed(`${url.href} has ${counted(entries.length, "file")}`, `at most ${maxFiles} are fetched`);
  if (entries.reduce((sum, { size }) => sum + size, 0) > maxBytes) throw tooLarge(url, maxBytes);
  return { files: entries.length, links: entries.filter(({ isLink }) => isLink).map(({ path }) => path) };
}

/** Files of a repository at most. */
const maxFiles = 100_000;

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
  await mkdir(gitFolder);
  const tooMuch = new AbortController();
  const signal = AbortSignal.any([run.signal, tooMuch.signal]);
  const git = await openGit(repository, await pinnedHost(repository, limits), limits, folder, signal);
  await git("init", "--quiet", "--bare", "--template=", gitFolder);
  await receive(repository, git, gitFolder, limits, tooMuch);
  const { files, links } = await listFiles(repository, git, gitFolder, limits);
  // Nothing that the repository says of its files makes them other or larger ones.
  await mkdir(join(gitFolder, "info"), { recursive: true });
  await writeFile(
    join(gitFolder, "info", "attributes"),
    "* -text -eol -ident -filter !working-tree-encoding\n",
  );
  if (files > 0)
    await git(
      "--git-dir",
      gitFolder,
      "--work-tree",
      folder,
      "checkout",
      "--quiet",
      "--force",
      "FETCH_HEAD",
      "--",
      ".",
    );
  // A link is checked out as a file that says where it leads.
  for (const path of links) await unlink(join(folder, path));
  await rm(gitFolder, { recursive: true });
  const name = repositoryName(repository);
  const paths = await filesBelow(folder);
  return { names: new Map(paths.map((path) => [path, `${name}:${path}`])), stays: () => false, failures: [] };
}
