import { link, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Identity, identityText, isRunning, type Role, readIdentity } from "./identity.ts";

/*
 * Who owns a home. A lock that needs no clean-up, from files alone:
 * 1. the owner is the process named by `owner.<n>` with the highest n, as long as it runs; one that gives the
 *   home up before it ends empties that file;
 * 2. when it does not, the next owner links a finished file to `owner.<n + 1>`: the file system lets exactly
 *   one do so;
 * 3. who then sees a still higher number withdraws; the others remove the lower numbers;
 * 4. the highest number is never removed, so a number is never given twice and a slow contender cannot win an
 *   old one.
 */

const pattern = /^owner\.(\d+)$/;
const draftPrefix = "draft.";
/** A draft is linked within milliseconds: one of this age was left by a process that was killed. */
const staleDraftMs = 60_000;

async function generations(folder: string): Promise<number[]> {
  const numbers = (await readdir(folder)).flatMap((name) => pattern.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => b - a);
}

const fileOf = (folder: string, generation: number): string => join(folder, `owner.${generation}`);

/** The running owner of a folder; undefined when there is none. */
export async function ownerOf(folder: string): Promise<(Identity & { readonly role: Role }) | undefined> {
  const [highest] = await generations(folder).catch(() => []);
  if (highest === undefined) return undefined;
  const owner = await readIdentity(fileOf(folder, highest));
  return owner !== undefined && (await isRunning(owner)) ? owner : undefined;
}

/**
 * Makes this process the owner of a folder until it ends, however it ends, or gives it up. False when it or another
 * one is.
 */
export async function takeOwnership(folder: string, role: Role = "server"): Promise<boolean> {
  const [highest = 0] = await generations(folder);
  const owner = highest === 0 ? undefined : await readIdentity(fileOf(folder, highest));
  if (owner !== undefined && (await isRunning(owner))) return false;
  const mine = fileOf(folder, highest + 1);
  const draft = join(folder, `${draftPrefix}${process.pid}.${crypto.randomUUID()}`);
  await removeDrafts(folder);
  try {
    await writeFile(draft, await identityText(process.pid, folder, role), { mode: 0o600 });
    await link(draft, mine);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const [now = 0, ...older] = await generations(folder);
  if (now > highest + 1) {
    await rm(mine, { force: true });
    return false;
  }
  await Promise.all(older.map((generation) => rm(fileOf(folder, generation), { force: true })));
  return true;
}

/** Gives up a folder that this process owns; does nothing where it does not. */
export async function giveUpOwnership(folder: string): Promise<void> {
  const [highest = 0] = await generations(folder);
  const mine = fileOf(folder, highest);
  // Nobody else takes a higher number while the owner runs, and a full disk has room for an empty file.
  if ((await readIdentity(mine))?.pid === process.pid) await truncate(mine);
}

async function removeDrafts(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(draftPrefix));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const age =
        Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY);
      if (age > staleDraftMs) await rm(path, { force: true });
    }),
  );
}
