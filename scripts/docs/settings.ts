import { environmentNames } from "../../src/config/environment.ts";
import { settingTable } from "../../src/config/settings.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** Every setting with its default, meaning, bounds and variables, as a table. */
export function settingsText(): string {
  const rows = [...settingTable.values()].map(({ key, fallback, meaning, range, untrusted }) => {
    const shown = key === "home" ? "platform's data folder" : fallback === "" ? "empty" : `\`${fallback}\``;
    const names = environmentNames(key).map((name) => `\`${name}\``);
    const mark = untrusted === "any" ? "" : untrusted === undefined ? " †" : " ‡";
    return `| \`${key}\`${mark} | ${shown} | ${cell(meaning)} | ${cell(range)} | ${names.join(", ")} |`;
  });
  return ["| key | default | meaning | must be | variables |", "|---|---|---|---|---|", ...rows].join("\n");
}
