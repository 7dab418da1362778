import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openHome, records, root, start } from "../support.ts";

const skip = existsSync("/usr/bin/script") ? false : "no `script`, which lends a terminal";

test("a collection is removed at a terminal only after a yes, and in a script as it is said", {
  skip,
}, async () => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  const program = `${process.execPath} ${join(root, "src/main.ts")}`;
  const ragctl = (...words: readonly string[]) =>
    start(home.path, home.base, [process.execPath, join(root, "src/main.ts"), ...words]).ended;
  const atTerminal = (command: string, typed: string) =>
    start(home.path, home.base, ["/usr/bin/script", "-qec", `${program} ${command}`, "/dev/null"], typed)
      .ended;
  const names = async () => {
    const { stdout } = await ragctl("collections", "--json");
    return records(JSON.parse(stdout)["planned"]).map(({ name }) => name);
  };
  for (const name of ["one", "two", "three"])
    assert.equal((await ragctl("collections", "describe", name, "--description", "x")).status, 0);
  const refused = await atTerminal("collections remove one", "n\n");
  assert.deepEqual(
    [refused.status, /0 documents\?[\s\S]*nothing was changed/.test(refused.stdout)],
    [2, true],
  );
  assert.deepEqual(await names(), ["one", "three", "two"]);
  assert.equal((await atTerminal("collections remove one", "y\n")).status, 0);
  assert.equal((await atTerminal("collections remove two --yes", "")).status, 0);
  assert.equal((await ragctl("collections", "remove", "three")).status, 0);
  assert.deepEqual(await names(), []);
});
