import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { type Client, clients } from "../../../src/app/assistants/clients.ts";
import { entryText, findClient, updateClientConfig } from "../../../src/app/assistants/configure.ts";

const start = { command: "/opt/node", args: ["/opt/ragctl.js", "mcp", "--as", "ada"] };
const entry = { command: start.command, args: start.args };

/** A client whose configuration is a file of its own, with a text or without. */
async function clientWith(t: TestContext, name: string, text?: string) {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-clients-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "configuration");
  if (text !== undefined) await writeFile(file, text, { mode: 0o640 });
  const client: Client = { ...findClient(name), path: () => file };
  return { client, file, folder, read: () => readFile(file, "utf8") };
}

const json = `// Mine.
{
\t"mcpServers": {
\t\t// keep
\t\t"other": { "command": "x" }, // trailing
\t\t/* last */ "third": {"command":"z"}
\t},
\t"theme" : 'x'
}
`.replace("'x'", '"x"');
const toml = `model = "x"

[mcp_servers.other]
command = "y"

# About profiles.
[profiles.a]
lines = """
[mcp_servers.ragctl]
"""
`;

describe("the configuration of a client", () => {
  it("is where its vendor says, on each platform", () => {
    const environment = {};
    const paths = (name: NodeJS.Platform, userHome: string) =>
      clients.map((client) => client.path({ name, userHome, environment }));
    assert.deepEqual(paths("linux", "/home/ada"), [
      "/home/ada/.config/Claude/claude_desktop_config.json",
      "/home/ada/.claude.json",
      "/home/ada/.cursor/mcp.json",
      "/home/ada/.config/Code/User/mcp.json",
      "/home/ada/.codex/config.toml",
      "/home/ada/.gemini/settings.json",
      "/home/ada/.config/zed/settings.json",
      "/home/ada/.codeium/windsurf/mcp_config.json",
    ]);
    const [mac, windows] = [paths("darwin", "/Users/ada"), paths("win32", "C:\\Users\\ada")];
    assert.equal(mac[0], "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json");
    assert.deepEqual(
      [mac[3], mac[6]],
      ["/Users/ada/Library/Application Support/Code/User/mcp.json", "/Users/ada/.config/zed/settings.json"],
    );
    assert.equal(windows[0], "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json");
    assert.equal(windows[2], "C:\\Users\\ada\\.cursor\\mcp.json");
  });

  it("gets one entry, and not a character of the rest changes, also when it is taken out again", async (t) => {
    for (const eol of ["\n", "\r\n"])
      for (const [name, text, mark] of [
        ["cursor", json, ""],
        ["gemini", json, "\uFEFF"],
        ["codex", toml, ""],
      ] as const) {
        const given = mark + text.replaceAll("\n", eol);
        const { client, file, read } = await clientWith(t, name, given);
        const report = await updateClientConfig(client, start);
        assert.deepEqual([report.done, report.backup, report.removedLines], ["added", `${file}.bak`, []]);
        assert.equal(await readFile(`${file}.bak`, "utf8"), given);
        const added = await read();
        const value = (name === "codex" ? parseToml : parseJson)(added.slice(mark.length));
        const { other, ragctl } = value[client.servers] as Record<string, unknown>;
        assert.deepEqual(JSON.parse(JSON.stringify(ragctl)), entry);
        assert.ok(other);
        assert.equal((await updateClientConfig(client, start)).done, "unchanged");
        const changed = await updateClientConfig(client, { ...start, args: ["mcp"] });
        assert.deepEqual([changed.done, changed.backup], ["changed", `${file}.bak2`]);
        assert.equal((await updateClientConfig(client, undefined)).done, "removed");
        assert.equal(await read(), given, name);
        assert.equal((await updateClientConfig(client, undefined)).done, "unchanged");
      }
  });

  it("may be missing, empty, or have no servers yet", async (t) => {
    for (const { name, format, servers } of clients)
      for (const text of [undefined, "", format === "json" ? "{}" : "# nothing\n"]) {
        const { client, read } = await clientWith(t, name, text);
        assert.equal((await updateClientConfig(client, start)).done, "added");
        const value = (format === "toml" ? parseToml : JSON.parse)(await read());
        const { [servers]: list } = value as Record<string, Record<string, object>>;
        assert.deepEqual({ type: "stdio", ...list?.["ragctl"] }, { type: "stdio", ...entry }, name);
        const shown = (format === "toml" ? parseToml : JSON.parse)(entryText(client, start));
        assert.deepEqual(JSON.parse(JSON.stringify(shown)), JSON.parse(JSON.stringify(value)));
        await updateClientConfig(client, undefined);
        assert.doesNotMatch(await read(), /ragctl/);
      }
  });

  it("is left as it is where it is broken, or says something else in that place", async (t) => {
    const broken: readonly (readonly [string, string, RegExp])[] = [
      ["cursor", '{\n  "mcpServers": {\n', /configuration was not changed: it is not valid JSON: line 3, /],
      ["zed", "[]", /it is not an object/],
      ["vscode", '{"servers": []}', /"servers" is not an object/],
      ["codex", "model = \n", /was not changed: Invalid TOML/],
      ["codex", 'mcp_servers = { other = { command = "x" } }\n', /was not changed/],
      ["codex", "[mcp_servers]\nragctl = { command = 'x' }\n", /was not changed/],
    ];
    for (const [name, text, message] of broken) {
      const { client, folder, read } = await clientWith(t, name, text);
      await assert.rejects(updateClientConfig(client, start), {
        code: "CONFIG_INVALID",
        message,
        hint: /--print/,
      });
      assert.equal(await read(), text);
      assert.deepEqual(await readdir(folder), ["configuration"]);
    }
  });

  it("keeps its mode, and stays a link where it is one", async (t) => {
    const { client, file, folder } = await clientWith(t, "cursor", "{}");
    const link = join(folder, "link");
    await symlink(file, link);
    const report = await updateClientConfig({ ...client, path: () => link }, start);
    assert.equal(report.file, file);
    assert.match(await readFile(link, "utf8"), /ragctl/);
  });

  it("is named where it cannot be written, or where the client has no folder", async (t) => {
    const { client, file, folder } = await clientWith(t, "cursor", "{}");
    await chmod(file, 0o400);
    if (process.getuid?.() !== 0)
      await assert.rejects(updateClientConfig(client, start), {
        code: "CONFIG_INVALID",
        message: /cannot be changed/,
      });
    const elsewhere = join(folder, "none", "configuration");
    await assert.rejects(updateClientConfig({ ...client, path: () => elsewhere }, start), {
      code: "NOT_FOUND",
      message: new RegExp(`^Cursor has no configuration folder ${dirname(elsewhere)}`),
    });
    await mkdir(elsewhere, { recursive: true });
    await assert.rejects(updateClientConfig({ ...client, path: () => elsewhere }, start), {
      code: "CONFIG_INVALID",
    });
  });
});
