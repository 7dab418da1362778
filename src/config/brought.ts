import { withoutCredentials } from "../core/address.ts";
import { readSettingsFile } from "./files.ts";
import { settingTable } from "./settings.ts";
import { untrustedKeys } from "./trust.ts";

/**
 * What a settings file that comes from elsewhere says: `key: value` of each setting, secrets covered, and the keys that
 * reach beyond what a file that nobody trusts may do, as servers, paths and programs. @throws CONFIG_INVALID
 */
export function settingsBrought(path: string): {
  readonly lines: readonly string[];
  readonly reaching: readonly string[];
} {
  const values = readSettingsFile(path);
  const shown = (key: string, value: unknown): string =>
    settingTable.get(key)?.secret === true ? "***" : withoutCredentials(String(value));
  return {
    lines: Array.from(values, ([key, value]) => `${key}: ${shown(key, value)}`),
    reaching: untrustedKeys(values, (key) => settingTable.get(key)?.fallback),
  };
}
