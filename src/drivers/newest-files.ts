import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Removes all files of a folder but the newest. */
export async function keepNewest(folder: string, most: number): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= most) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, ms: (await stat(join(folder, name))).mtimeMs })),
  );
  aged.sort((one, two) => two.ms - one.ms);
  for (const { name } of aged.slice(most)) await rm(join(folder, name), { force: true });
}
