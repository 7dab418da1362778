import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { readUserFile } from "../../files.ts";

/** The program's folder within the installation. */
export const programFolder = "program";
const recordName = "installation.json";

const recordSchema = z.object({ ragctl_installation: z.literal(1), version: z.string(), home: z.string() });
type InstallationRecord = z.infer<typeof recordSchema>;

/** Beginning of the name of a folder that a bundle is unpacked to. */
export const stagingPrefix = ".partial-";
/** End of the name of the old program while the new one takes its place. */
const beforeSuffix = "-before";
/** Names that an interrupted installation leaves next to its destination. */
const leftover = /^(?:\.partial-\w{6}(?:-before)?|installation\.json\.partial|ragctl\.partial|\.lock.*)$/;

/** The record of an installation. */
export interface Installation {
  readonly version: string;
  readonly home: string;
}

/**
 * The installation in a folder; undefined for one that does not exist, or that is empty except for the
 * leftovers of an interrupted installation. An unreadable record is ignored where the home is given anyway.
 * @throws USAGE_INVALID for a folder with something else in it, and for a damaged record
 */
export async function readInstallation(
  folder: string,
  isHomeGiven: boolean,
): Promise<Installation | undefined> {
  const path = join(folder, recordName);
  const text = await readUserFile(path).catch(() => undefined);
  if (text === undefined) {
    const names = await readdir(folder).catch(() => []);
    if (names.every((name) => leftover.test(name))) return undefined;
    throw new RagctlError("USAGE_INVALID", `${folder} is not empty and is not a ragctl installation`, {
      hint: "choose a new or empty folder, or one with an earlier installation",
    });
  }
  const record = parsed(text.toString("utf8"));
  if (record !== undefined || isHomeGiven) return record;
  throw new RagctlError("USAGE_INVALID", `${path} is damaged: the home of this installation is unknown`, {
    hint: "run the command again with --home FOLDER",
  });
}

function parsed(text: string): InstallationRecord | undefined {
  try {
    return recordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Restores the previous program where an installation was interrupted while it replaced it, and removes the
 * leftovers. No other installation into the folder may run meanwhile.
 */
export async function recoverInstallation(folder: string): Promise<void> {
  const names = await readdir(folder);
  const before = names.find((name) => name.startsWith(stagingPrefix) && name.endsWith(beforeSuffix));
  if (before !== undefined && !names.includes(programFolder))
    await rename(join(folder, before), join(folder, programFolder));
  await removeDrafts(folder);
}

/** Removes the folders that bundles were unpacked to and not installed from. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(stagingPrefix) && leftover.test(name))
      await rm(join(folder, name), { recursive: true, force: true });
}

/** Records the installation before it is in place, so that an interrupted one can be repeated. */
export async function writeRecord(folder: string, { version, home }: Installation): Promise<void> {
  const record: InstallationRecord = { ragctl_installation: 1, version, home };
  await replaceFile(join(folder, recordName), `${JSON.stringify(record, null, 2)}\n`, 0o644);
}

/** Writes a file in one step: a reader finds the old one or the new one whole, also after a power cut. */
export async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.partial`;
  await rm(draft, { force: true });
  const file = await open(draft, "wx", mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** Where the program of before waits until the one from the draft is in its place. */
export const previousInstallPath = (draft: string): string => `${draft}${beforeSuffix}`;
