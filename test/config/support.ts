import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { loadSettings, type SettingsRequest } from "../../src/config/load.ts";

/** A folder with these files, gone after the test. */
export function folderWith(context: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ragctl-config-")));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Settings with nothing of this machine in them. */
export function load(request: SettingsRequest) {
  return loadSettings({
    env: {},
    defaultsFile: null,
    projectFile: null,
    cwd: "/nowhere",
    userHome: "/home/u",
    platform: "linux",
    ...request,
  });
}
