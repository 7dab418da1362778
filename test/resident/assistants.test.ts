import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { hostStatus } from "../../src/resident/client.ts";
import { statusShape } from "../../src/shapes/machine.ts";
import { openSlowServer } from "../cli/slow-server.ts";
import { binary, type Home, openHome, record, records, skipChain, until } from "../cli/support.ts";
import { versions } from "../mcp/served.ts";

/** Far more than anything takes, for a machine that is busy. */
const deadlineMs = 120_000;
const notes = { "crane.md": "# Crane\n\nThe crane of the north hall lifts 40 tonnes.\n" };

const statusOf = async (home: Home) => record(statusShape(await hostStatus(home.path)));
const assistants = async (home: Home) =>
  records((await statusOf(home))["commands"]).filter(({ command }) => command === "mcp").length;

/** An assistant that starts its own server, in an environment as bare as such programs give. */
async function connect(
  context: TestContext,
  home: Home,
  flags: readonly string[] = [],
  options: object = {},
  environment: Readonly<Record<string, string>> = {},
) {
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  const shared = ["PATH", "HOME", "TMPDIR", "NODE_COMPILE_CACHE"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [binary, ...flags, "--home", home.path, "mcp"],
    env: { ...Object.fromEntries(shared), ...environment },
    stderr: "ignore",
  });
  await client.connect(transport);
  context.after(() => client.close());
  return { client, pid: Number(transport.pid) };
}

const search = async (client: Client): Promise<string> =>
  JSON.stringify(await client.callTool({ name: "search", arguments: { query: "crane" } }));
const isFound = (client: Client): Promise<boolean> =>
  search(client).then(
    (text) => text.includes("40 tonnes"),
    () => false,
  );

describe("assistants and the resident process", { skip: skipChain }, () => {
  let home: Home;
  before(async () => {
    home = await openHome();
    await home.json(["ingest", await home.folder("notes", notes)]);
  });
  after(() => home[Symbol.asyncDispose]());

  it("share one copy of the models, whatever their locale, and are listed with their principals", async (t) => {
    await home.json(["principals", "add", "ada"]);
    const first = await connect(t, home, [], {}, { LANG: "de_DE.UTF-8" });
    const second = await connect(t, home, ["--as", "ada"], versions["2026-07-28"]);
    const third = await connect(t, home);
    for (const { client } of [first, second, third]) assert.match(await search(client), /40 tonnes/);
    const status = await statusOf(home);
    const principals = records(status["commands"]).map(({ principal }) => principal);
    assert.deepEqual(principals.toSorted(), ["ada", "owner", "owner"]);
    const held = records(status["models"]).map(({ task, users }) => [task, users]);
    assert.equal(held.length, 1);
    assert.equal(held[0]?.[0], "embed");
    await first.client.close();
    process.kill(second.pid, "SIGKILL");
    assert.ok(await until(async () => (await assistants(home)) === 1, deadlineMs));
    await third.client.close();
    assert.ok(await until(async () => (await assistants(home)) === 0, deadlineMs));
  });

  it("are served on after it was stopped or killed, without opening their talk again", async (t) => {
    for (const options of Object.values(versions)) {
      const { client } = await connect(t, home, [], options);
      assert.match(await search(client), /40 tonnes/);
      await home.json(["stop"]);
      assert.equal((await statusOf(home))["running"], false);
      assert.match(await search(client), /40 tonnes/);
      process.kill(Number((await statusOf(home))["pid"]), "SIGKILL");
      // A call that was sent before its end was noticed is lost with it.
      assert.ok(await until(() => isFound(client), deadlineMs));
      assert.equal(await assistants(home), 1);
      await client.close();
    }
  });

  it("are told which call was lost with it", async (t) => {
    await using server = await openSlowServer();
    const options = ["--option", `base_url=${server.address}`, "--option", "model=m"];
    await home.json(["providers", "add", "llm/openai-compatible", ...options]);
    const { client } = await connect(t, home);
    const query = "How many tonnes does the crane of the north hall lift?";
    const lost = assert.rejects(
      client.callTool({ name: "ask", arguments: { query } }),
      /HOST_UNAVAILABLE: the resident process ended during this request; send it again/,
    );
    assert.ok(await until(() => server.waiting() === 1, deadlineMs));
    await home.json(["stop"]);
    await lost;
    assert.match(await search(client), /40 tonnes/);
  });

  it("are served by processes of their own where they say so", async (t) => {
    const { client } = await connect(t, home, ["--no-resident"]);
    assert.match(await search(client), /40 tonnes/);
    assert.equal(await assistants(home), 0);
    process.kill(Number((await statusOf(home))["pid"]), "SIGKILL");
    assert.match(await search(client), /40 tonnes/);
  });
});
