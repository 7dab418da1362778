import type { Command } from "commander";
import { settingShape, settingsShape } from "../../shapes/machine.ts";
import { declared } from "../commands.ts";
import { table } from "../shell/output.ts";
import { action, type Session } from "../shell/session.ts";

/** `ragctl config …`: every setting, its value and where that came from; and those of the home changed. */
export function registerConfig(program: Command): void {
  const config = declared(program, "config");
  config
    .command("show")
    .description("list settings that differ from the defaults; secrets are masked")
    .argument("[key]", "show only this setting or group of settings, even at default values")
    .option("--effective", "list all settings and the source of each value")
    .addHelpText(
      "after",
      "\nExamples:\n  ragctl config show --effective\n  ragctl config show answer.threshold\n  ragctl config show retrieve",
    )
    .action(
      action(async (session, key: string | undefined, flags: { readonly effective?: boolean }) => {
        await session.ownerOnly("read the settings");
        const { describeSettings, settingValue } = await loadConfig();
        const all = describeSettings(session.loaded);
        const rows = all.filter((row) =>
          key === undefined
            ? flags.effective === true || !["built-in", "defaults file"].includes(row.origin)
            : row.key === key || row.key.startsWith(`${key}.`),
        );
        // Fails as it does where an unknown setting is set.
        if (key !== undefined && rows.length === 0) settingValue(key, "");
        const shown = rows.map((row) => [row.key, String(row.value), row.unit, row.origin]);
        for (const { message, surprising } of session.loaded.notices)
          if (!surprising) session.output.note(message);
        session.output.result({
          text:
            rows.length === 0
              ? "all settings have their defaults; --effective lists them"
              : table(["setting", "value", "unit", "from"], shown),
          data: settingsShape({ projectFile: session.loaded.projectFile ?? null, settings: rows }),
          lines: rows,
        });
      }),
    );

  config
    .command("set")
    .description("set a value in the home's settings.yaml; comments and other settings are kept")
    .argument("<key>", "key from `ragctl config show --effective`")
    .argument("<value>", "new value")
    .addHelpText("after", "\nExample:\n  ragctl config set retrieve.topK 8")
    .action(action((session, key: string, value: string) => change(session, key, value)));

  config
    .command("unset")
    .description("remove a setting from the home's settings.yaml, restoring its default")
    .argument("<key>", "key from `ragctl config show --effective`")
    .addHelpText("after", "\nExample:\n  ragctl config unset retrieve.topK")
    .action(action((session, key: string) => change(session, key, undefined)));
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
