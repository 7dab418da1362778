import { createHash } from "node:crypto";
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { z } from "../../core/schema.ts";

/** Hidden, so that it is not taken for a document. */
const indexName = ".fetched.json";

const indexForm = z.record(z.string(), z.string());

/** Path below the folder → name of the file in citations. */
export type FetchedNames = ReadonlyMap<string, string>;

/** The names of files fetched into a folder before; empty where there is no folder. */
export async function listFetchedNames(folder: string): Promise<FetchedNames> {
  const text = await readFile(join(folder, indexName), "utf8").catch(() => "{}");
  try {
    return new Map(Object.entries(indexForm.parse(JSON.parse(text))));
  } catch {
    return new Map();
  }
}

const digestOf = async (path: string): Promise<string> =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");

const isSame = async (one: string, other: string): Promise<boolean> => {
  const sizes = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  if (sizes[0] === undefined || sizes[0].size !== sizes[1]?.size || !sizes[1].isFile()) return false;
  return (await digestOf(one)) === (await digestOf(other));
};

/** Keeps the file at `from` under `to` with its time, and its inode where the file system can. */
async function keep(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rm(to, { force: true });
  await link(from, to).catch(() => copyFile(from, to));
}

/**
 * Replaces the previous files by the fetched ones: a file of the same content remains the same file, so that
 * it is not read again. Earlier files that are not in `names` are removed, unless `stays` keeps their name.
 * If interrupted, the folder holds the old or the new files.
 */
export async function replaceFolder(
  staged: string,
  folder: string,
  names: FetchedNames,
  stays: (name: string) => boolean,
): Promise<void> {
  for (const name of names.keys())
    if (await isSame(join(folder, name), join(staged, name)))
      await keep(join(folder, name), join(staged, name));
  const left = [...(await listFetchedNames(folder))].filter(
    ([name, called]) => !names.has(name) && stays(called),
  );
  for (const [name] of left) await keep(join(folder, name), join(staged, name));
  await writeFile(join(staged, indexName), JSON.stringify(Object.fromEntries([...left, ...names])));
  const before = `${staged}.before`;
  await rename(folder, before).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(staged, folder);
  await rm(before, { recursive: true, force: true });
}

/** Paths of all files below a folder, relative to it, sorted, with `/` between parts. */
export async function listFetchedFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll("\\", "/"))
    .sort();
}
