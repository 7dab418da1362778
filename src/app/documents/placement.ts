import { lstat, realpath } from "node:fs/promises";
import { callerPath } from "../../config/caller.ts";
import { decide } from "../../core/decide.ts";
import type { Job } from "../../core/documents/queue.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { placementByName } from "../../registry/company/profiles.ts";
import { createSourceRepository, type SourceFolder } from "../../registry/documents/folders.ts";
import { collectionResource } from "../access.ts";
import type { Home } from "../home.ts";

export { fileCollection, fileMarkDigits } from "../../registry/company/profiles.ts";

/** The default place for documents of a collection. */
export interface Placement {
  readonly collection: string;
  readonly instance: Instance;
  /** "" for none. */
  readonly department: string;
}

/**
 * The placement of `named`, or of the default collection: that of the existing collection, else as planned in
 * the registry, else by its name, else in the instance `usual`.
 */
export async function placementOf(
  named: string | undefined,
  { collections, profiles, settings }: Pick<Home, "collections" | "profiles" | "settings">,
  usual: Instance = "public",
): Promise<Placement> {
  const name = named ?? settings.ingest.collection;
  const byName = placementByName(name);
  const instance = byName.instance === "private" ? "private" : usual;
  const planned = (await profiles.find(name)) ?? { ...byName, instance };
  const { department } = planned;
  return {
    collection: name,
    instance: (await collections.instances()).get(name) ?? planned.instance,
    department,
  };
}

/** Who can read a new collection of the owner, in words; undefined in a home that nobody else uses. */
export async function readersOf(
  collection: { readonly name: string; readonly instance: Instance },
  { principals, permissions }: Pick<Home, "principals" | "permissions">,
): Promise<string | undefined> {
  const { name } = collection;
  const others = (await principals.list()).filter(({ kind, enabled }) => kind !== "owner" && enabled);
  const resource = collectionResource(collection);
  const asked = { agent: null, action: "read", resource, grants: await permissions.list() } as const;
  const readers = others.filter((principal) => decide({ ...asked, principal }).effect === "allow");
  if (others.length === 0) return undefined;
  if (readers.length === 0)
    return `only you can read the new collection ${name}; to share it: ragctl permissions grant read ${name} --principal NAME`;
  const names = readers.map((each) => each.name).join(", ");
  if (readers.length < others.length) return `you, ${names} can read the new collection ${name}`;
  return `everybody who uses this home can read the new collection ${name}; to keep it private: ragctl collections migrate ${name} --instance private`;
}

/** The folder's real path. @throws SOURCE_MISSING, USAGE_INVALID */
export async function resolveFolder(folder: string): Promise<string> {
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
export async function createSourceFilter(
  { access }: Pick<Home, "access">,
  run: Run,
): Promise<(source: Pick<SourceFolder, "collection">) => boolean> {
  const names = new Set((await access.allowed(run, null, "read")).collections);
  const isOwner = (await access.principal(run)).kind === "owner";
  return ({ collection }) => isOwner || names.has(collection);
}

/**
 * The destination of a job's documents; `auto` consults the synced folders that the job's principal may know.
 */
export async function targetOf(
  {
    documentPath,
    targetCollection,
    instance,
    department,
  }: Pick<Job, "documentPath" | "targetCollection" | "instance" | "department">,
  home: Pick<Home, "registry" | "settings" | "access">,
  run: Run,
): Promise<Placement & { readonly collection: string }> {
  if (targetCollection !== "auto") return { collection: targetCollection, instance, department };
  const source = await createSourceRepository(home.registry).above(
    documentPath,
    await createSourceFilter(home, run),
  );
  if (source === undefined) return { collection: home.settings.ingest.collection, instance, department };
  return {
    collection: source.collection,
    instance: source.instance,
    department: department === "" ? source.department : department,
  };
}
