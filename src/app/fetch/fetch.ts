import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Run } from "../../core/run.ts";
import type { Home } from "../home.ts";
import { fetchedFolder, type SourceAddress } from "./address.ts";
import { type FetchedNames, listFetchedNames, replaceFolder } from "./folder.ts";
import type { FetchLimits, Staged } from "./staged.ts";

/** A folder of the home with the fetched content of an address. */
export interface Fetched extends Pick<Staged, "failures"> {
  readonly folder: string;
  readonly names: FetchedNames;
}

/**
 * Fetches the content of an address into its folder of the home; where that fails as a whole, the folder is
 * unchanged.
 * @throws SOURCE_MISSING for a page or revision that does not exist, SOURCE_OUTSIDE for an address that may
 * not be requested, DOWNLOAD_FAILED, RUNTIME_MISSING without git
 */
export async function fetchInto(
  address: SourceAddress,
  depth: number,
  { settings }: Pick<Home, "settings">,
  run: Run,
): Promise<Fetched> {
  const folder = fetchedFolder(settings.home, address);
  const staged = `${folder}.${run.id}`;
  const { maxPages, maxBytes, timeoutMs, allowPrivate } = settings.fetch;
  const maxFileBytes = Math.min(settings.parse.maxBytes, maxBytes);
  const limits = { maxPages, maxBytes, maxFileBytes, timeoutMs, allowPrivate: allowPrivate === "on" };
  await mkdir(dirname(folder), { recursive: true });
  await mkdir(staged, { recursive: true });
  try {
    const { names, stays, failures } = await stage(address, depth, limits, staged, run);
    await replaceFolder(staged, folder, names, stays);
    return { folder, names: await listFetchedNames(folder), failures };
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

async function stage(
  address: SourceAddress,
  depth: number,
  limits: FetchLimits,
  staged: string,
  run: Run,
): Promise<Staged> {
  if (address.kind === "page") {
    const { fetchPages } = await import("./pages.ts");
    return fetchPages(address.url, depth, limits, staged, run);
  }
  const { fetchRepository } = await import("./repository.ts");
  return fetchRepository(address, limits, staged, run);
}
