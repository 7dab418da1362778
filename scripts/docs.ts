// Writes the table of settings in docs/reference/configuration.md from the settings themselves: node scripts/docs.ts
import { readFileSync, writeFileSync } from "node:fs";
import { environmentNames } from "../src/config/environment.ts";
import { settingTable } from "../src/config/settings.ts";

const page = new URL("../docs/reference/configuration.md", import.meta.url);
const head = "| key | default | meaning | must be | variables |\n|---|---|---|---|---|\n";
const cell = (text: string): string => text.replaceAll("|", "\\|");
const rows = [...settingTable.values()].map(({ key, fallback, meaning, range, untrusted }) => {
  const shown = key === "home" ? "platform's data folder" : fallback === "" ? "empty" : `\`${fallback}\``;
  const names = environmentNames(key).map((name) => `\`${name}\``);
  return `| \`${key}\`${untrusted === "any" ? "" : untrusted === undefined ? " †" : " ‡"} | ${shown} | ${cell(meaning)} | ${cell(range)} | ${names.join(", ")} |\n`;
});
const text = readFileSync(page, "utf8");
const start = text.indexOf(head);
const end = /\n(?!\|)/.exec(text.slice(start + head.length))?.index ?? 0;
writeFileSync(
  page,
  text.slice(0, start) + head + rows.join("").trimEnd() + text.slice(start + head.length + end),
);
