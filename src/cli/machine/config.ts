import type { Command } from "commander";
import { z } from "../../core/schema.ts";
import { text, toggle } from "../../operations/fields.ts";
import { field, type InputOf } from "../../operations/operation.ts";
import { settingShape, settingsShape } from "../../shapes/machine.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { table } from "../shell/output.ts";
import type { Session } from "../shell/session.ts";

/** `ragctl config …`: every setting, its value and where that came from; and those of the home changed. */
export function registerConfig(program: Command): void {
  const config = declare(program, "config");
  defineCommand(config.command("show"), listing, show);
  const key = field("<key>", z.string(), "key from `ragctl config show --effective`");
  defineCommand(
    config.command("set"),
    {
      summary: "set a value in the home's settings.yaml; comments and other settings are kept",
      input: { key, value: field("<value>", z.string(), "new value") },
      examples: ["ragctl config set retrieve.topK 8"],
    },
    (session, { key, value }) => change(session, key, value),
  );
  defineCommand(
    config.command("unset"),
    {
      summary: "remove a setting from the home's settings.yaml, restoring its default",
      input: { key },
      examples: ["ragctl config unset retrieve.topK"],
    },
    (session, { key }) => change(session, key, undefined),
  );
}

const listing = {
  summary: "list settings that differ from the defaults; secrets are masked",
  input: {
    key: text("[key]", "show only this setting or group of settings, even at default values"),
    effective: toggle("--effective", "list all settings and the source of each value"),
  },
  examples: [
    "ragctl config show --effective",
    "ragctl config show answer.threshold",
    "ragctl config show retrieve",
  ],
};

async function show(session: Session, { key, effective }: InputOf<typeof listing.input>): Promise<void> {
  await session.ownerOnly("read the settings");
  const { describeSettings, settingValue } = await loadConfig();
  const all = describeSettings(session.loaded);
  const rows = all.filter((row) =>
    key === undefined
      ? effective || !["built-in", "defaults file"].includes(row.origin)
      : row.key === key || row.key.startsWith(`${key}.`),
  );
  // Fails as it does where an unknown setting is set.
  if (key !== undefined && rows.length === 0) settingValue(key, "");
  const shown = rows.map((row) => [row.key, String(row.value), row.unit, row.origin]);
  for (const { message, surprising } of session.loaded.notices) if (!surprising) session.output.note(message);
  session.output.result({
    text:
      rows.length === 0
        ? "all settings have their defaults; --effective lists them"
        : table(["setting", "value", "unit", "from"], shown),
    data: settingsShape({ projectFile: session.loaded.projectFile ?? null, settings: rows }),
    lines: rows,
  });
}

// Loaded lazily: a command's help must not load what only the command needs.
const loadConfig = () => import("../../config/load.ts");

/** Writes or removes one setting, after all settings were checked as they then are together. */
async function change(session: Session, key: string, text: string | undefined): Promise<void> {
  await session.ownerOnly("change the settings");
  const [{ describeSettings, loadSettings, settingValue }, { editSettings }, { homePaths }] =
    await Promise.all([loadConfig(), import("../../config/edit.ts"), import("../../config/home.ts")]);
  const { home } = session.settings;
  const [file, fallback] = [homePaths(home).settings, session.loaded.origins.get(key)];
  const value = text === undefined ? undefined : settingValue(key, text);
  // The project file was accepted when this command began.
  const trust = session.loaded.projectFile !== undefined;
  if (value !== undefined) loadSettings({ flags: { home, [key]: value }, trust });
  else if (fallback === undefined) settingValue(key, "");
  const changed = editSettings(file, new Map([[key, value]])).length > 0;
  const row = describeSettings(loadSettings({ flags: { home }, trust })).find((each) => each.key === key);
  if (row === undefined) throw new TypeError(`${key} was checked above and is a setting`);
  const shown = `${key} is ${row.value === "" ? "empty" : row.value} (${row.origin})`;
  if (value !== undefined && row.origin !== "home file")
    session.output.note(`the value from ${row.origin} overrides the home file`);
  session.output.result({
    text: changed ? `${shown}; wrote ${file}` : `${shown}; ${file} is unchanged`,
    data: settingShape({ file, changed, setting: row }),
  });
}
