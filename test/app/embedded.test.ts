import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { type Home, openHome, root, skipChain, start } from "../cli/support.ts";

/** What only servers need: packages, and files of ours. */
const ofServers =
  /\/node_modules\/(?:pg(?:-[a-z-]+)?|ioredis|@ioredis\/[^/]+|@platformatic\/[^/]+)\/|\/src\/(?:registry\/database\/postgres|cache\/redis|cache\/lexical-index|drivers\/queues\/)/;

describe("a home without servers", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
    await home.folder("notes", { "pump.md": "# Pump\n\nThe pump P-101 runs at 125 bar.\n" });
  });
  after(() => home[Symbol.asyncDispose]());

  /** Files of the modules that a command loads in its own process. */
  async function modulesOf(words: readonly string[]): Promise<readonly string[]> {
    const listPath = join(home.base, "modules.txt");
    const hook = join(home.base, "hook.mjs");
    writeFileSync(listPath, "");
    writeFileSync(
      hook,
      `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    appendFileSync(${JSON.stringify(listPath)}, url + "\\n");
    return next(url, context);
  },
});`,
    );
    const program = ["--import", pathToFileURL(hook).href, join(root, "src/main.ts")];
    const { status, stderr } = await start(home.path, home.base, [process.execPath, ...program, ...words])
      .ended;
    assert.equal(status, 0, `${words.join(" ")}: ${stderr}`);
    return readFileSync(listPath, "utf8").split("\n");
  }

  it("loads nothing that only servers need", async () => {
    const notes = join(home.base, "notes");
    const commands = [
      ["--help"],
      ["doctor"],
      ["ingest", notes, "--background"],
      ["worker", "--once"],
      ["sync", notes],
      ["search", "pressure of the pump"],
      ["ask", "At which pressure does the pump P-101 run?"],
      ["queue", "status"],
    ];
    for (const words of commands) {
      const modules = await modulesOf(words);
      assert.ok(
        modules.some((url) => url.endsWith("/src/main.ts")),
        "modules are seen",
      );
      assert.deepEqual(
        modules.filter((url) => ofServers.test(url)),
        [],
        words.join(" "),
      );
    }
  });

  it("would be seen to load them, were they configured", async () => {
    const { promise, resolve } = Promise.withResolvers<readonly string[]>();
    resolve(modulesOf(["list", "--set", "registry.url=postgresql://nobody@127.0.0.1:1/none"]));
    await assert.rejects(promise, /REGISTRY_UNAVAILABLE|does not answer|cannot be reached/);
    assert.match(readFileSync(join(home.base, "modules.txt"), "utf8"), ofServers);
  });
});
