import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parse } from "yaml";
import { RagctlError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";
import { settingTable } from "./settings.ts";

const maxFileBytes = 1_000_000;

/** Name of the file a project's settings are kept in. */
export const projectFileName = "ragctl.yaml";

/**
 * The project file that holds for `cwd`: the one in `cwd`, else the nearest above it within the same git repository.
 * Outside a repository only `cwd` is looked at, so a file planted in a shared parent folder is never found.
 */
export function findProjectFile(cwd: string, userHome: string): string | undefined {
  const here = resolve(cwd);
  const folders = [here];
  for (let folder = here; folder !== userHome && !existsSync(join(folder, ".git")); folder = dirname(folder)) {
    if (dirname(folder) === folder) return existsSync(join(here, projectFileName)) ? join(here, projectFileName) : undefined;
    folders.push(dirname(folder));
  }
  const root = folders.at(-1) ?? here;
  const searched = existsSync(join(root, ".git")) ? folders : [here];
  return searched.map((folder) => join(folder, projectFileName)).find((path) => existsSync(path));
}

function readMapping(path: string): unknown {
  try {
    if (statSync(path).size > maxFileBytes) throw new Error(`it is larger than ${maxFileBytes} bytes`);
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw new RagctlError("CONFIG_INVALID", `the settings file ${path} cannot be read: ${reason}`, {
      hint: "correct the file, or name another with --config",
      cause,
    });
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The error for a key that is no setting, with the nearest that is. */
export function unknownKey(key: string, where: string): RagctlError {
  const near = nearest(key, settingTable.keys());
  return new RagctlError("CONFIG_INVALID", `"${key}" (${where}) is no setting${near === undefined ? "" : `; did you mean "${near}"?`}`, {
    hint: '"ragctl config show" lists every setting',
  });
}

/**
 * Settings of a YAML file as key path → value.
 * @throws CONFIG_INVALID for a file that cannot be read and for a key that is no setting
 */
export function readSettingsFile(path: string): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  const sections = new Set([...settingTable.keys()].filter((key) => key.includes(".")).map((key) => key.slice(0, key.indexOf("."))));
  const visit = (mapping: Readonly<Record<string, unknown>>, prefix: string): void => {
    for (const [name, value] of Object.entries(mapping)) {
      const key = prefix + name;
      if (settingTable.has(key)) values.set(key, value);
      else if (!sections.has(key)) throw unknownKey(key, path);
      else if (isMapping(value)) visit(value, `${key}.`);
      else if (value !== null) {
        throw new RagctlError("CONFIG_INVALID", `"${key}" (${path}) is a section: it must hold settings, not ${JSON.stringify(value)}`);
      }
    }
  };
  const content = readMapping(path);
  if (content !== null && !isMapping(content)) {
    throw new RagctlError(
      "CONFIG_INVALID",
      `the settings file ${path} must be a mapping of sections, such as "chunk:" with "maxTokens: 512" under it`,
    );
  }
  if (content !== null) visit(content, "");
  return values;
}

/** Whether a text names something outside the project: an absolute or home path, an address, or a path that climbs out. */
function leavesProject(value: string, folder: string): boolean {
  if (/^([/\\~]|[a-z][a-z0-9+.-]*:)/i.test(value)) return true;
  return relative(folder, resolve(folder, value)).startsWith("..") || value.split(/[/\\]/).includes("..");
}

/**
 * Refuses what an untrusted project file may not set: where data lives and is sent, and paths or addresses outside the project.
 * @throws CONFIG_UNTRUSTED naming every such key
 */
export function checkTrust(values: ReadonlyMap<string, unknown>, path: string): void {
  const folder = dirname(path);
  const refused = [...values].flatMap(([key, value]) => {
    const setting = settingTable.get(key);
    const outside = setting?.kind === "text" && typeof value === "string" && leavesProject(value, folder);
    return setting?.widening === true || outside ? [key] : [];
  });
  if (refused.length === 0) return;
  throw new RagctlError("CONFIG_UNTRUSTED", `${path} sets ${refused.join(", ")}, which a project file may not do unless it is trusted`, {
    hint: "read the file; if you wrote it or agree with it, run the command again with --trust",
  });
}
