import type { Setting } from "./settings.ts";

/**
 * Text of a flag or variable as the setting's own type; text of another form is left for the check to refuse.
 */
export function parseSettingText(setting: Setting, value: unknown): unknown {
  const number = setting.kind === "whole" || setting.kind === "number";
  return number && typeof value === "string" && /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)
    ? Number(value)
    : value;
}
