import { readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { callerPath } from "../config/caller.ts";
import type { DocumentSummary } from "../core/app.ts";
import { isWithin } from "../core/decide.ts";
import { RagctlError } from "../core/errors.ts";
import type { Decision, Principal, Resource } from "../core/permission.ts";
import type { Instance } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";

/** Links that are followed one after the other; as many as Linux follows. */
const mostLinks = 40;

/**
 * The real path of a path. For one that does not exist, or is a pattern, that of the deepest existing folder
 * above it, plus the rest. A link with a missing target is followed too: its place is that of the target, not
 * of the link.
 */
function realPlace(path: string, left = mostLinks): string {
  const absolute = callerPath(path);
  try {
    return realpathSync(absolute);
  } catch {
    const above = dirname(absolute);
    if (above === absolute) return absolute;
    const folder = realPlace(above, left);
    const place = join(folder, basename(absolute));
    const target = left === 0 ? undefined : linkTarget(place);
    return target === undefined ? place : realPlace(resolve(folder, target), left - 1);
  }
}

/** The real path that a reference to a document is, read as a path of the caller; "" for an empty one. */
export const resolveReferencePath = (reference: string): string =>
  reference === "" ? "" : realPlace(reference);

/** The target of a link; undefined for anything else. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/**
 * A folder to grant to a principal, by its real path. @throws SOURCE_MISSING, USAGE_INVALID for anything but
 * a folder
 */
export function rootFolder(path: string): string {
  const real = realPlace(path);
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new RagctlError("SOURCE_MISSING", `${path} does not exist`, { hint: "create the folder first" });
  if (stats.isDirectory()) return real;
  throw new RagctlError("USAGE_INVALID", `${path} is not a folder`, {
    hint: "pass the folder that contains it",
  });
}

/** A path with `/` between its parts, as decisions compare them. */
const slashed = (path: string): string => path.split(sep).join("/");

/** A place on disk as decisions know it; `home` is ragctl's own. */
export function folderResource(path: string, home: string): Resource {
  const name = slashed(realPlace(path));
  const resource: Resource = { kind: "folder", name, instance: "", department: "" };
  const realHome = slashed(realPlace(home));
  const uploadedTo = uploadTarget(name, realHome);
  return uploadedTo === undefined
    ? { ...resource, isHome: isWithin(name, realHome), isFetched: isWithin(name, `${realHome}/fetched`) }
    : { ...resource, uploadedTo };
}

/** Where a file is kept that was uploaded into a collection. */
export function uploadFolder(
  home: string,
  { name, instance }: { readonly name: string; readonly instance: Instance },
) {
  return join(home, "uploads", instance, name);
}

/**
 * The collection that a file was uploaded into; undefined for one that was not. Both paths are real, with `/`
 * between parts.
 */
function uploadTarget(path: string, home: string): Resource["uploadedTo"] {
  const uploads = `${home}/uploads/`;
  if (!path.startsWith(uploads)) return undefined;
  const [instance, name = "", file = "", ...deeper] = path.slice(uploads.length).split("/");
  if ((instance !== "public" && instance !== "private") || file === "" || deeper.length > 0) return undefined;
  return { name, instance };
}

/**
 * The error for a place that may not be ingested, with the path as typed: the target of its links is not
 * revealed.
 */
export function forbiddenPathError(
  code: "PERMISSION_DENIED" | "SOURCE_OUTSIDE",
  typed: string,
  { rule }: Decision,
  { name }: Principal,
): RagctlError {
  if (rule === "home-closed")
    return new RagctlError(code, `${typed} is in ragctl's own home, from which nobody may ingest`, {
      hint: "move the documents elsewhere",
    });
  return new RagctlError(
    code,
    `${name} may not ingest ${typed}: it is outside the folders assigned to ${name}`,
    {
      hint: `the owner can assign folders: ragctl principals set "${name}" --root FOLDER`,
    },
  );
}

/**
 * What the run's principal sees of a document's place: the folders of the owner's machine are the owner's, so
 * that others see a path only below the folders assigned to them, else the name.
 */
export async function redactPaths(run: Run, access: { principal(run: Run): Promise<Principal> }) {
  const { kind, roots = [] } = await access.principal(run);
  return <Placed extends Pick<DocumentSummary, "path" | "name">>(document: Placed): Placed => {
    const isKnown = kind === "owner" || roots.some((root) => isWithin(slashed(document.path), root));
    return isKnown ? document : { ...document, path: document.name };
  };
}
