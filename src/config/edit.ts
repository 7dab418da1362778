import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isDiskFull, RagctlError } from "../core/errors.ts";
import { parseSettingsDocument } from "./files.ts";
import { createHome } from "./home.ts";

/**
 * Writes settings into a settings file, undefined removing one; everything else in it stays, comments too.
 * The file is replaced in one step and readable by its owner only. The keys whose line changed.
 * @throws CONFIG_INVALID
 */
export function editSettings(
  path: string,
  changes: ReadonlyMap<string, string | number | undefined>,
): readonly string[] {
  const document = parseSettingsDocument(existsSync(path) ? path : undefined);
  const changed: string[] = [];
  for (const [key, value] of changes) {
    const place = key.split(".");
    const before: unknown = document.getIn(place);
    if (before === value) continue;
    changed.push(key);
    if (value !== undefined) document.setIn(place, value);
    else {
      document.deleteIn(place);
      const [section = ""] = place;
      const rest: unknown = document.toJS()?.[section];
      if (
        place.length > 1 &&
        (rest === null || (typeof rest === "object" && Object.keys(rest ?? {}).length === 0))
      )
        document.deleteIn([section]);
    }
  }
  if (changed.length > 0) replaceFile(path, document.toString());
  return changed;
}

function replaceFile(path: string, text: string): void {
  createHome(dirname(path));
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("CONFIG_INVALID", `cannot write ${path}: ${reason}`, {
      hint: "check its owner and mode, and grant yourself write access",
      cause,
    });
  } finally {
    rmSync(draft, { force: true });
  }
}
