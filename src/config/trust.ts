import { RagctlError } from "../core/errors.ts";
import { isModelPath, type Setting, settingTable } from "./settings.ts";

/**
 * Whether an untrusted project file may give `value` to a setting; `without` is the value that applies
 * without the file.
 */
function mayGive(setting: Setting, value: unknown, without: unknown): boolean {
  const order = (each: unknown): number =>
    setting.choices === undefined ? Number(each) : setting.choices.indexOf(String(each));
  switch (setting.untrusted) {
    case "any":
      return true;
    case "id":
      return typeof value === "string" && !isModelPath(value);
    case "lower":
      return order(value) <= order(without);
    case "higher":
      return order(value) >= order(without);
    default:
      return false;
  }
}

/**
 * The keys to which only a trusted file may give these values. Invalid values are left for the check of
 * values to name.
 */
export function untrustedKeys(
  values: ReadonlyMap<string, unknown>,
  without: (key: string) => unknown,
): readonly string[] {
  return [...values].flatMap(([key, value]) => {
    const setting = settingTable.get(key);
    if (setting === undefined || (setting.untrusted !== undefined && !setting.check(value))) return [];
    return mayGive(setting, value, without(key)) ? [] : [key];
  });
}

/**
 * Refuses what an untrusted project file may not set: every setting declares it (`untrusted`), and one that
 * does not is refused. Invalid values are left for the check of values to name.
 * @throws CONFIG_UNTRUSTED naming every such key
 */
export function checkTrust(
  values: ReadonlyMap<string, unknown>,
  path: string,
  without: (key: string) => unknown,
): void {
  const refused = untrustedKeys(values, without).map((key) => {
    const setting = settingTable.get(key);
    const isLimited = setting?.untrusted === "lower" || setting?.untrusted === "higher";
    return isLimited ? `${key} (allowed: ${stricter(setting, without(key))})` : key;
  });
  if (refused.length === 0) return;
  throw new RagctlError(
    "CONFIG_UNTRUSTED",
    `${path} sets ${refused.join(", ")}, which requires trust in the project file`,
    {
      hint: "read the file; if you agree with it, run the command again with --trust",
    },
  );
}

function stricter({ choices, untrusted }: Setting, without: unknown): string {
  if (choices !== undefined) return choices.slice(0, choices.indexOf(String(without)) + 1).join(" or ");
  return `${String(without)} or ${untrusted === "lower" ? "less" : "more"}`;
}
