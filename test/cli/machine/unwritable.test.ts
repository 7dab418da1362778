import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { builtCommand, errorOf, openHome, start } from "../support.ts";

test("a place that cannot be written is named before anything is copied there", async () => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  const ragctl = (...words: readonly string[]) =>
    start(home.path, home.base, [...builtCommand, ...words, "--json"]).ended;
  assert.equal((await ragctl("list")).status, 0);
  const file = join(home.base, "file");
  await writeFile(file, "");
  for (const command of [
    ["backup", "create"],
    ["bundle", "create", "--output"],
    ["bundle", "install", home.base, "--to"],
  ]) {
    const path = join(file, "x");
    const ended = await ragctl(...command, path);
    assert.equal(ended.status, 2, ended.stderr);
    const { code, message, hint } = errorOf(ended);
    assert.equal(code, "USAGE_INVALID");
    assert.equal(message, `cannot create ${path}: ${file} is not a folder`);
    assert.match(String(hint), /you can write to/);
  }
});
