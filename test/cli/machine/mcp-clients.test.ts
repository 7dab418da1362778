import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { assertFits, binary, openHome, record, skipChain } from "../support.ts";

describe("ragctl mcp install", { skip: skipChain }, () => {
  it("writes principal, home and rights into the entry, and uninstall takes it out again", async () => {
    await using home = await openHome("", []);
    await home.json(["principals", "add", "ada"]);
    const file = join(home.base, ".cursor", "mcp.json");
    await mkdir(join(home.base, ".cursor"));
    const run = (...words: readonly string[]) =>
      spawnSync(process.execPath, [binary, "mcp", ...words], {
        cwd: home.base,
        env: { PATH: process.env["PATH"], HOME: home.base, NO_COLOR: "1" },
        encoding: "utf8",
      });
    const ours = ["--home", home.path, "--as", "ada"];
    const shown = run("install", "cursor", "--print", ...ours);
    assert.equal(shown.status, 0, shown.stderr);
    const args = [binary, "mcp", "--as", "ada", "--home", home.path];
    const entry = { mcpServers: { ragctl: { command: process.execPath, args } } };
    assert.deepEqual(JSON.parse(shown.stdout), entry);
    const installed = run("install", "cursor", "--allow-write", ...ours);
    assert.match(installed.stdout, /^Cursor: added ragctl in .*\n\+ \{\n/);
    const written = JSON.parse(await readFile(file, "utf8"));
    assert.deepEqual(written.mcpServers.ragctl.args, [...args, "--allow-write"]);
    const removed = record(JSON.parse(run("uninstall", "cursor", "--json").stdout));
    assertFits("mcp", removed);
    assert.deepEqual(
      [removed["done"], removed["entry"], removed["backup"]],
      ["removed", null, `${file}.bak`],
    );
    const stranger = run("install", "cursor", "--home", home.path, "--as", "nobody");
    assert.deepEqual([stranger.status, stranger.stdout], [3, ""]);
    assert.match(stranger.stderr, /error NOT_FOUND: there is no principal "nobody"/);
    assert.equal(run("install", "notepad").status, 3);
  });
});
