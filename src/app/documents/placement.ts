import { lstat, realpath } from "node:fs/promises";
import { callerPath } from "../../config/caller.ts";
import type { Job } from "../../core/documents/queue.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { openSources, type Source } from "../../registry/documents/folders.ts";
import type { Home } from "../home.ts";

/** The default place for documents of a collection. */
export interface Placement {
  readonly collection: string;
  readonly instance: Instance;
  /** "" for none. */
  readonly department: string;
}

/** Hexadecimal digits of the hash that names the collection of one file; a name may have 63 characters. */
export const fileMarkDigits = 32;
const ofOneFile = new RegExp(`^file_[0-9a-f]{${fileMarkDigits}}$`);

/** Name of the collection of one file that is asked about, from a mark of `fileMarkDigits` digits. */
export const fileCollection = (mark: string): string => `file_${mark}`;

/**
 * The placement of `named`, or of the default collection: that of the existing collection, else as planned in
 * the registry, else by its name. `hr_private_docs` is private and belongs to hr (source: mission A10); the
 * collection of one file is private, since asking about a file publishes nothing.
 */
export function placementOf(
  named: string | undefined,
  { collections, profiles, settings }: Pick<Home, "collections" | "profiles" | "settings">,
): Placement {
  const name = named ?? settings.ingest.collection;
  const planned = profiles.find(name);
  const byName = placementByName(name);
  const instance = collections.instances().get(name) ?? planned?.instance ?? byName.instance;
  return { collection: name, instance, department: planned?.department ?? byName.department };
}

/** What the name of a collection alone says. */
export function placementByName(name: string): Pick<Placement, "instance" | "department"> {
  const [, owner] = /^(.+)_private_docs$/.exec(name) ?? [];
  const isPrivate = owner !== undefined || ofOneFile.test(name);
  return { instance: isPrivate ? "private" : "public", department: owner ?? "" };
}

/** The folder's real path. @throws SOURCE_MISSING, USAGE_INVALID */
export async function realFolder(folder: string): Promise<string> {
  const path = await realpath(callerPath(folder)).catch((cause: unknown) => {
    throw new RagctlError("SOURCE_MISSING", `${folder} does not exist`, {
      hint: "check the path; nothing was deleted",
      cause,
    });
  });
  if ((await lstat(path)).isDirectory()) return path;
  throw new RagctlError("USAGE_INVALID", `${folder} is not a folder`, {
    hint: "use `ragctl ingest` for a single file",
  });
}

/**
 * Whether the run's principal may know of a mapping. The owner may also know of one whose collection is not
 * made yet.
 */
export function visibleSource(
  { access }: Pick<Home, "access">,
  run: Run,
): (source: Pick<Source, "collection">) => boolean {
  const names = new Set(access.allowed(run, null, "read").collections);
  const isOwner = access.principal(run).kind === "owner";
  return ({ collection }) => isOwner || names.has(collection);
}

/**
 * The destination of a job's documents; `auto` consults the synced folders that the job's principal may know.
 */
export function targetOf(
  {
    documentPath,
    targetCollection,
    instance,
    department,
  }: Pick<Job, "documentPath" | "targetCollection" | "instance" | "department">,
  home: Pick<Home, "registry" | "settings" | "access">,
  run: Run,
): Placement & { readonly collection: string } {
  if (targetCollection !== "auto") return { collection: targetCollection, instance, department };
  const source = openSources(home.registry).above(documentPath, visibleSource(home, run));
  if (source === undefined) return { collection: home.settings.ingest.collection, instance, department };
  return {
    collection: source.collection,
    instance: source.instance,
    department: department === "" ? source.department : department,
  };
}
