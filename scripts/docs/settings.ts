import { environmentNames } from "../../src/config/environment.ts";
import type { SettingFacts } from "../../src/config/setting-kinds.ts";
import { settingTable } from "../../src/config/settings.ts";
import { escaped, item } from "./markdown.ts";

type Setting = SettingFacts & { readonly key: string };

const settings: readonly Setting[] = [...settingTable.values()];

/** The values a setting takes, as messages give them; numbers, texts and models in fewer words. */
function rangeOf({ kind, range, unit, choices = [], path, fallback }: Setting): string {
  if (choices.length > 0) return choices.filter((choice) => choice !== fallback).join(", ");
  if (kind === "whole" || kind === "number") {
    const [least = "", most = ""] = range.match(/-?\d+/g) ?? [];
    return `${least}${least.startsWith("-") ? " to " : "–"}${most} ${unit}`.trimEnd();
  }
  if (path === "model") return range.replace(/^.* URL of /, "an id, or ");
  return range.replace(/^text of .*/, "text").replace(/^empty(?:, or|,| or) /, "");
}

/** The default, where there is one, then the other values; a long range is not repeated in the next row. */
function valuesOf(setting: Setting, index: number): string {
  const before = settings[index - 1];
  const range = rangeOf(setting);
  const isRepeated = range.length > 30 && before !== undefined && rangeOf(before) === range;
  const shown = isRepeated ? "as above" : range;
  return setting.fallback === "" ? shown : `\`${setting.fallback}\`; ${shown}`;
}

/** The default with its unit, and the values of a choice. */
function briefValues({ fallback, unit, choices = [] }: Setting): string {
  const others = choices.length > 0 ? `; ${choices.filter((choice) => choice !== fallback).join(", ")}` : "";
  return fallback === "" ? "" : `\`${fallback}\`${unit === "" ? "" : ` ${unit}`}${others}`;
}

function itemOf({ key, untrusted, meaning }: Setting, values: string): string {
  const mark = untrusted === "any" ? "" : untrusted === undefined ? " †" : " ‡";
  const names = [key, ...environmentNames(key).slice(1)].map((name) => `\`${name}\``);
  const shown = values === "" ? "" : ` (${values})`;
  return item(`${names.join(", ")}${mark}${shown}: ${escaped(meaning)}`);
}

/** Every setting with the variables that set it under another name, its default, the values it takes and its meaning. */
export const settingsText = (): string =>
  settings.map((setting, index) => itemOf(setting, valuesOf(setting, index))).join("\n");

/** Every setting as in the complete text, without ranges: an error prints them. */
export const settingsIndex = (): string =>
  settings.map((setting) => itemOf(setting, briefValues(setting))).join("\n");
