import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { environmentNames } from "../../src/config/environment.ts";
import { settingTable } from "../../src/config/settings.ts";

test("the documentation lists every setting with its default, range and variables, and none that does not exist", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => /^\| `[a-z]+(\.[A-Za-z]+)?`( [†‡])? \|.*RAGCTL_/.test(line));
  const listed = rows.map((row) => /`([^`]+)`/.exec(row)?.[1] ?? "");
  assert.deepEqual(listed, [...settingTable.keys()]);
  for (const [index, setting] of [...settingTable.values()].entries()) {
    const row = rows[index] ?? "";
    for (const name of environmentNames(setting.key))
      assert.ok(row.includes(`\`${name}\``), `${setting.key}: ${name}`);
    assert.ok(row.includes(setting.range), `${setting.key}: must be ${setting.range}`);
    assert.equal(row.includes("†"), setting.untrusted === undefined, `${setting.key}: †`);
    assert.equal(
      row.includes("‡"),
      setting.untrusted !== undefined && setting.untrusted !== "any",
      `${setting.key}: ‡`,
    );
    if (setting.fallback !== "")
      assert.ok(row.includes(`\`${setting.fallback}\``), `${setting.key}: default ${setting.fallback}`);
  }
});
