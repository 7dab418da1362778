import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { builtCommand, openHome, records, start } from "../support.ts";

const skip = existsSync("/usr/bin/script") ? false : "no `script`, which lends a terminal";

test("a collection is removed only after a yes at a terminal, and with --yes elsewhere", {
  skip,
}, async () => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  const program = builtCommand.join(" ");
  const ragctl = (...words: readonly string[]) =>
    start(home.path, home.base, [...builtCommand, ...words]).ended;
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
    [refused.status, /0 documents\?[\s\S]*cancelled; nothing changed/.test(refused.stdout)],
    [2, true],
  );
  assert.deepEqual(await names(), ["one", "three", "two"]);
  assert.equal((await atTerminal("collections remove one", "y\n")).status, 0);
  assert.equal((await atTerminal("collections remove two --yes", "")).status, 0);
  const unasked = await ragctl("collections", "remove", "three");
  assert.deepEqual([unasked.status, /requires --yes[\s\S]*repeat/.test(unasked.stderr)], [2, true]);
  assert.deepEqual(await names(), ["three"]);
  assert.equal((await ragctl("collections", "remove", "three", "--yes")).status, 0);
  assert.deepEqual(await names(), []);
});

test("the question stays on the screen while it waits, and Ctrl-D is a no", { skip }, async () => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  const program = [...builtCommand];
  const described = [...program, "collections", "describe", "one", "--description", "x"];
  assert.equal((await start(home.path, home.base, described).ended).status, 0);
  const removal = `${program.join(" ")} collections remove one`;
  const { child, ended } = start(
    home.path,
    home.base,
    ["/usr/bin/script", "-qec", removal, "/dev/null"],
    null,
  );
  await new Promise<void>((resolve) => {
    let shown = "";
    child.stdout?.on("data", (text: string) => {
      shown += text;
      if (shown.includes("[y/N]")) resolve();
    });
  });
  // Half a second on, a command that shows nothing of its own is named on the same line.
  await pause(1_200);
  child.stdin?.end("\u0004");
  const { status, stdout } = await ended;
  assert.doesNotMatch(stdout.slice(stdout.indexOf("[y/N]")), /remove …/);
  assert.match(stdout, /cancelled; nothing changed/);
  assert.equal(status, 2);
});
