import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { callerPath } from "../config/caller.ts";
import { isWithin } from "../core/decide.ts";
import { RagctlError } from "../core/errors.ts";
import type { Decision, Principal, Resource } from "../core/permission.ts";

/** The real path of what a path names; of what is not there, or is a pattern, that of the deepest folder above it with the rest. */
export function realPlace(path: string): string {
  const absolute = callerPath(path);
  try {
    return realpathSync(absolute);
  } catch {
    const above = dirname(absolute);
    return above === absolute ? absolute : join(realPlace(above), basename(absolute));
  }
}

/** A folder to give to a principal, by its real path. @throws SOURCE_MISSING, USAGE_INVALID for what is no folder */
export function rootFolder(path: string): string {
  const real = realPlace(path);
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new RagctlError("SOURCE_MISSING", `${path} does not exist`, { hint: "make the folder first" });
  if (stats.isDirectory()) return real;
  throw new RagctlError("USAGE_INVALID", `${path} is not a folder`, { hint: "give the folder it is in" });
}

const slashed = (path: string): string => path.split(sep).join("/");

/** A place on disk as decisions know it; `home` is ragctl's own. */
export function folderResource(path: string, home: string): Resource {
  const name = slashed(realPlace(path));
  return {
    kind: "folder",
    name,
    instance: "",
    department: "",
    isHome: isWithin(name, slashed(realPlace(home))),
  };
}

/** The error for a place that may not be ingested, by the path as it was typed: where its links lead is not told. */
export function closedPlace(
  code: "PERMISSION_DENIED" | "SOURCE_OUTSIDE",
  typed: string,
  { rule }: Decision,
  { name }: Principal,
): RagctlError {
  if (rule === "home-closed")
    return new RagctlError(code, `${typed} is in ragctl's own home, which nobody may ingest from`, {
      hint: "keep documents elsewhere",
    });
  return new RagctlError(code, `${name} may not ingest ${typed}: it is in no folder that ${name} was given`, {
    hint: `the owner gives folders: ragctl principals set "${name}" --root FOLDER`,
  });
}
