import { link, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Identity, identityText, isRunning, type Role, readIdentity } from "./identity.ts";

/*
 * Ownership of a home: a lock made of files that needs no clean-up.
 * 1. The owner is the running process named by `owner.<n>` with the highest n. To release the home earlier, it empties
 *   that file.
 * 2. Otherwise the next owner links a complete file to `owner.<n + 1>`, which the file system allows exactly one to do.
 * 3. A process that then sees a higher number withdraws; the owner removes the lower numbers.
 * 4. The highest number is never removed, so numbers are unique and a slow contender cannot win an old one.
 */

const pattern = /^owner\.(\d+)$/;
const draftPrefix = "draft.";
/** Drafts are linked within milliseconds, so one of this age, ms, was left by a killed process. */
const staleDraftMs = 60_000;

async function generations(folder: string): Promise<number[]> {
  const numbers = (await readdir(folder)).flatMap((name) => pattern.exec(name)?.[1] ?? []);
  return numbers.map(Number).sort((a, b) => b - a);
}

const fileOf = (folder: string, generation: number): string => join(folder, `owner.${generation}`);

/** The running owner of a folder, if any. */
export async function ownerOf(folder: string): Promise<(Identity & { readonly role: Role }) | undefined> {
  const [highest] = await generations(folder).catch(() => []);
  if (highest === undefined) return undefined;
  const owner = await readIdentity(fileOf(folder, highest));
  return owner !== undefined && (await isRunning(owner)) ? owner : undefined;
}

/**
 * Makes this process the owner of a folder until it ends or releases it. False if the folder has an owner,
 * this process included.
 */
export async function acquireOwnership(folder: string, role: Role = "server"): Promise<boolean> {
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

/** Releases a folder, if this process owns it. */
export async function releaseOwnership(folder: string): Promise<void> {
  const [highest = 0] = await generations(folder);
  const mine = fileOf(folder, highest);
  // No one takes a higher number while the owner runs, and emptying works on a full disk.
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
