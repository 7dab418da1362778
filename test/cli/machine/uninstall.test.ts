import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { errorOf, openHome, records } from "../support.ts";

/** Gives the test a user folder with Cursor in it; the configurations of the real user stay as they are. */
async function useOwnCursor(base: string, t: TestContext): Promise<void> {
  const { HOME } = process.env;
  t.after(() => {
    process.env["HOME"] = HOME;
  });
  process.env["HOME"] = base;
  await mkdir(join(base, ".cursor"));
}

test("uninstall names what a home holds, with sizes, and removes that and nothing else, once it is confirmed", async (t) => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  await useOwnCursor(home.base, t);
  await home.json(["principals", "list"]);
  await home.json(["mcp", "install", "cursor"]);
  await mkdir(join(home.path, "stores"));
  await writeFile(join(home.path, "stores", "public.db"), "x".repeat(5000));
  await writeFile(join(home.path, "mine.txt"), "not of ragctl");
  const refused = errorOf(await home.run(["uninstall", "--format", "json"]));
  assert.match(String(refused["message"]), /requires --yes/);
  assert.ok(existsSync(join(home.path, "registry.sqlite")));

  const report = await home.json(["uninstall", "--yes"]);
  const sizes = new Map(records(report["parts"]).map(({ name, size_bytes: size }) => [name, Number(size)]));
  assert.ok((sizes.get("documents, runs and permissions") ?? 0) > 5000);
  assert.ok(sizes.has("settings") && !sizes.has("uploads"));
  assert.deepEqual([report["removed"], report["others"]], [true, true]);
  assert.deepEqual(
    ["mine.txt", "registry.sqlite", "stores", "settings.yaml"].filter((name) =>
      existsSync(join(home.path, name)),
    ),
    ["mine.txt"],
  );
  assert.deepEqual(report["assistants"], ["Cursor"]);
  assert.doesNotMatch(await readFile(join(home.base, ".cursor/mcp.json"), "utf8"), /ragctl/);
  const again = await home.json(["uninstall"]);
  assert.deepEqual([again["removed"], again["parts"]], [false, []]);
});

test("uninstall touches nothing of a folder that is no home, whatever its files are called", async () => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  const folder = join(home.base, "project");
  await mkdir(join(folder, "models"), { recursive: true });
  await writeFile(join(folder, ".env"), "KEY=value\n");
  const report = await home.json(["uninstall", "--yes", "--home", folder]);
  assert.deepEqual([report["removed"], report["parts"]], [false, []]);
  assert.ok(existsSync(join(folder, "models")) && existsSync(join(folder, ".env")));
});

test("uninstall leaves the entry of another home in an assistant's configuration", async (t) => {
  await using home = await openHome("resident:\n  mode: off\n", []);
  await useOwnCursor(home.base, t);
  await home.json(["principals", "list"]);
  await home.json(["mcp", "install", "cursor", "--home", join(home.base, "other")]);
  const report = await home.json(["uninstall", "--yes"]);
  assert.deepEqual(report["assistants"], []);
  assert.match(await readFile(join(home.base, ".cursor/mcp.json"), "utf8"), /ragctl/);
});
