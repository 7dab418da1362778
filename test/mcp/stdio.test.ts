import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveClient } from "../../src/mcp/stdio.ts";
import { root, start } from "../cli/support.ts";
import { openServed, versions } from "./served.ts";

const main = join(root, "src/main.ts");

async function emptyHome(t: TestContext): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "ragctl-mcp-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  return home;
}

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
};
const line = (message: object): string => `${JSON.stringify(message)}\n`;

describe("ragctl mcp", () => {
  for (const [version, options] of Object.entries(versions)) {
    it(`serves a client of ${version} over its own stdin and stdout`, async (t) => {
      const home = await emptyHome(t);
      const client = new Client({ name: "test", version: "1.0.0" }, options);
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [main, "mcp", "--home", home],
        stderr: "ignore",
      });
      await client.connect(transport);
      t.after(() => client.close());
      assert.equal((await client.listTools()).tools.length, 5);
      const listed = await client.callTool({ name: "list_documents", arguments: {} });
      assert.match(JSON.stringify(listed), /0 documents/);
      const absent = await client.callTool({ name: "read_document", arguments: { document: "x.md" } });
      assert.match(JSON.stringify(absent), /error NOT_FOUND: there is no document/);
    });
  }

  it("answers what is no JSON-RPC with an error, goes on, and ends with its stdin", async (t) => {
    const home = await emptyHome(t);
    const { child, ended } = start(home, home, [process.execPath, main, "mcp"], null);
    const { promise, resolve } = Promise.withResolvers<void>();
    let stdout = "";
    child.stdout?.on("data", (text: string) => {
      stdout += text;
      if (stdout.split("\n").length === 5) resolve();
    });
    child.stdin?.write(`{"jsonrpc": "2.0", "id\n[1, 2]\n{"id": 7}\n\n${line(initialize)}`);
    await promise;
    const answers = stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as Record<string, unknown>);
    assert.deepEqual(
      answers.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code]),
      [
        [null, -32700],
        [null, -32600],
        [null, -32600],
        [0, undefined],
      ],
    );
    child.stdin?.end();
    const { status, stderr } = await ended;
    assert.equal(status, 0, stderr);
    assert.match(stderr, /Parse error/);
  });

  it("serves nobody as a principal that is not there", async (t) => {
    const home = await emptyHome(t);
    const { status, stdout, stderr } = await start(home, home, [process.execPath, main, "mcp", "--as", "eve"])
      .ended;
    assert.deepEqual([status, stdout], [3, ""]);
    assert.match(stderr, /NOT_FOUND: there is no principal "eve"/);
  });

  it("aborts and waits for what is being worked on when its client closes stdin", async (t) => {
    const started = Promise.withResolvers<void>();
    let unwound = false;
    const { world } = await openServed(t);
    const { app } = world.core;
    const [input, output] = [new PassThrough(), new PassThrough()];
    const parts = {
      app: {
        ...app,
        registry: { collections: { list: async () => [] } },
        async search(_: unknown, { signal }: { readonly signal: AbortSignal }) {
          started.resolve();
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          await new Promise(setImmediate);
          unwound = true;
          throw signal.reason;
        },
      },
      programVersion: "0.0.0",
      topK: 5,
      allowWrite: false,
      log: { event: () => undefined, warn: () => undefined },
    };
    const served = serveClient(
      parts,
      "owner",
      { input, output, note: () => undefined },
      new AbortController().signal,
    );
    const request = { method: "tools/call", params: { name: "search", arguments: { query: "lamp" } } };
    input.write(`${line(initialize)}${line({ jsonrpc: "2.0", id: 1, ...request })}`);
    await started.promise;
    input.end();
    await served;
    assert.equal(unwound, true);
  });

  it("cancels one call of a client and answers the next", async (t) => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const { world } = await openServed(t);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const parts = {
      app: {
        ...world.core.app,
        registry: { collections: { list: async () => [] } },
        async search(_: unknown, { signal }: { readonly signal: AbortSignal }) {
          started.resolve();
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          aborted.resolve();
          throw signal.reason;
        },
      },
      programVersion: "0.0.0",
      topK: 5,
      allowWrite: false,
      log: { event: () => undefined, warn: () => undefined },
    };
    const stop = new AbortController();
    const served = serveClient(parts, "owner", { input, output, note: () => undefined }, stop.signal);
    const request = { method: "tools/call", params: { name: "search", arguments: { query: "lamp" } } };
    input.write(`${line(initialize)}${line({ jsonrpc: "2.0", id: 1, ...request })}`);
    await started.promise;
    input.write(line({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }));
    await aborted.promise;
    input.write(line({ jsonrpc: "2.0", id: 2, method: "tools/list" }));
    const answers: string[] = [];
    for await (const text of output) {
      answers.push(String(text));
      if (answers.join("").includes('"id":2')) break;
    }
    assert.ok(!answers.join("").includes('"id":1,'));
    stop.abort();
    await served;
  });
});
