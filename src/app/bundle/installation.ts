import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";
import { readNamed } from "../../files.ts";

/** Where the program lies in the folder that it was installed into. */
export const programFolder = "program";
const recordName = "installation.json";

const recordSchema = z.object({ ragctl_installation: z.literal(1), version: z.string(), home: z.string() });
type InstallationRecord = z.infer<typeof recordSchema>;

/** Beginning of the name of a folder that a bundle is unpacked to. */
export const draftPrefix = ".partial-";
/** End of the name of the old program while the new one takes its place. */
const beforeSuffix = "-before";
/** Names that an interrupted installation leaves next to its destination. */
const leftover = /^(?:\.partial-\w{6}(?:-before)?|installation\.json\.partial|ragctl\.partial|\.lock.*)$/;

/** What is known of an installation. */
export interface Installation {
  readonly version: string;
  readonly home: string;
}

/**
 * What was installed into a folder; undefined for one that is empty, but for what an ended installation left,
 * or is not there. A record that cannot be read is passed over where the home is named anyway.
 * @throws USAGE_INVALID for a folder with something else in it, and for a damaged record
 */
export async function readInstallation(
  folder: string,
  isHomeGiven: boolean,
): Promise<Installation | undefined> {
  const path = join(folder, recordName);
  const text = await readNamed(path).catch(() => undefined);
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
 * Puts the program of before back where an installation was ended while it replaced it, and removes what it
 * left. Nobody else may install into the folder meanwhile.
 */
export async function recoverInstallation(folder: string): Promise<void> {
  const names = await readdir(folder);
  const before = names.find((name) => name.startsWith(draftPrefix) && name.endsWith(beforeSuffix));
  if (before !== undefined && !names.includes(programFolder))
    await rename(join(folder, before), join(folder, programFolder));
  await removeDrafts(folder);
}

/** Removes the folders that bundles were unpacked to and not installed from. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(draftPrefix) && leftover.test(name))
      await rm(join(folder, name), { recursive: true, force: true });
}

/** Notes what is being installed: before it is in its place, so that an ended installation can be repeated. */
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
export const beforeOf = (draft: string): string => `${draft}${beforeSuffix}`;
