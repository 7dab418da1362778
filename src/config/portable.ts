import { redactCredentials } from "../core/address.ts";
import { readSettingsFile, settingsText } from "./files.ts";
import { isPathSetting, settingTable } from "./settings.ts";
import { untrustedKeys } from "./trust.ts";

/** Names programs of this machine, perhaps with a password among their arguments. */
const ofThisMachine: ReadonlySet<string> = new Set(["parse.loaders"]);

/**
 * A settings file as another machine may have it: without comments, secrets, addresses that hold one, and
 * paths and programs of this machine. `text` is "" where nothing stays; `leftOut` names the keys that do not.
 * @throws CONFIG_INVALID for a file that cannot be read
 */
export function portableSettings(path: string): {
  readonly text: string;
  readonly leftOut: readonly string[];
} {
  const given = [...readSettingsFile(path)];
  const kept = given.filter(([key, value]) => !staysHere(key, value));
  return {
    text: kept.length === 0 ? "" : settingsText(new Map(kept)),
    leftOut: given.flatMap(([key, value]) => (staysHere(key, value) ? [key] : [])),
  };
}

function staysHere(key: string, value: unknown): boolean {
  const setting = settingTable.get(key);
  if (setting === undefined || setting.secret === true || ofThisMachine.has(key)) return true;
  if (typeof value !== "string" || value === "") return false;
  if (isPathSetting(setting, value)) return true;
  return redactCredentials(value) !== value;
}

/**
 * The contents of a settings file from elsewhere: `key: value` of each setting, secrets covered, and the keys
 * that an untrusted file may not set, such as servers, paths and programs. @throws CONFIG_INVALID
 */
export function incomingSettings(path: string): {
  readonly lines: readonly string[];
  readonly reaching: readonly string[];
} {
  const values = readSettingsFile(path);
  const shown = (key: string, value: unknown): string =>
    settingTable.get(key)?.secret === true ? "***" : redactCredentials(String(value));
  return {
    lines: Array.from(values, ([key, value]) => `${key}: ${shown(key, value)}`),
    reaching: untrustedKeys(values, (key) => settingTable.get(key)?.fallback),
  };
}
