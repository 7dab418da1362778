import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createCompanyApi } from "../../src/app/company.ts";
import { RagctlError } from "../../src/core/errors.ts";
import { linesOf } from "../../src/core/text.ts";
import type { McpParts } from "../../src/mcp/server.ts";
import { serveClient } from "../../src/mcp/stdio.ts";
import { builtCommand, start } from "../cli/support.ts";
import { openServed, versions } from "./served.ts";

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

/** A client that says lines and reads what is answered, one line after the other. */
async function openTalk(t: TestContext, search?: McpParts["app"]["search"]) {
  const { world } = await openServed(t);
  const app = createCompanyApi(world.core, world.core.app);
  const [input, output] = [new PassThrough(), new PassThrough()];
  const parts: McpParts = {
    app: {
      ...app,
      ...(search === undefined ? {} : { search }),
    },
    programVersion: "0.0.0",
    topK: 5,
    allowWrite: false,
    log: { event: () => undefined, warn: () => undefined },
  };
  const stop = new AbortController();
  const served = serveClient(parts, "owner", { input, output, note: () => undefined }, stop.signal);
  t.after(async () => {
    stop.abort();
    await served;
  });
  const lines = linesOf(output);
  return {
    say: (message: object): void => void input.write(line(message)),
    async next<Message>(): Promise<Message> {
      return JSON.parse(String((await lines.next()).value));
    },
  };
}

describe("ragctl mcp", () => {
  for (const [version, options] of Object.entries(versions)) {
    it(`serves a client of ${version} over its own stdin and stdout`, async (t) => {
      const home = await emptyHome(t);
      const client = new Client({ name: "test", version: "1.0.0" }, options);
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [...builtCommand.slice(1), "mcp", "--home", home],
        stderr: "ignore",
      });
      await client.connect(transport);
      t.after(() => client.close());
      assert.equal((await client.listTools()).tools.length, 13);
      const listed = await client.callTool({ name: "list_documents", arguments: {} });
      assert.match(JSON.stringify(listed), /0 documents/);
      const absent = await client.callTool({ name: "read_document", arguments: { document: "x.md" } });
      assert.match(JSON.stringify(absent), /error NOT_FOUND: there is no document/);
    });
  }

  it("answers what is no JSON-RPC with an error, goes on, and ends with its stdin", async (t) => {
    const home = await emptyHome(t);
    const { child, ended } = start(home, home, [...builtCommand, "mcp"], null);
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
    const codes = (answers[1] as unknown as readonly { id: null; error: { code: number } }[]).map(
      ({ id, error }) => [id, error.code],
    );
    assert.deepEqual(codes, [
      [null, -32600],
      [null, -32600],
    ]);
    assert.deepEqual(
      answers.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code]),
      [
        [null, -32700],
        [undefined, undefined],
        [7, -32600],
        [0, undefined],
      ],
    );
    child.stdin?.end();
    const { status, stderr } = await ended;
    assert.equal(status, 0, stderr);
    assert.match(stderr, /Parse error/);
  });

  it("says in words what is wrong with the address of a resource", async (t) => {
    const { say, next } = await openTalk(t);
    say(initialize);
    await next();
    for (const [id, params] of [[1, { uri: 5 }] as const, [2, {}] as const]) {
      say({ jsonrpc: "2.0", id, method: "resources/read", params });
      const { error } = await next<{ error: { code: number; message: string } }>();
      assert.equal(error.code, -32_602);
      assert.match(error.message, /^resources\/read needs the URI of a resource as "uri"/);
    }
  });

  it("reads signs inside a message that end a line elsewhere", async (t) => {
    const { say, next } = await openTalk(t);
    say({ ...initialize, id: "\u2028one\u2029" });
    assert.equal((await next<{ id: string }>()).id, "\u2028one\u2029");
  });

  it("answers a batch at once, with an error of its own for each message that is none", async (t) => {
    const talk = await openTalk(t);
    talk.say({ ...initialize, params: { ...initialize.params, protocolVersion: "2025-03-26" } });
    assert.equal((await talk.next<{ id: number }>()).id, 0);
    const ping = { jsonrpc: "2.0", method: "ping" };
    talk.say([
      { ...ping, id: 8 },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "1.0", id: "nine", method: "ping" },
      { jsonrpc: "2.0", id: 10, method: "tools/list" },
    ]);
    const answers = await talk.next<readonly { id: unknown; error?: { code: number } }[]>();
    assert.deepEqual(
      new Map(answers.map(({ id, error }) => [id, error?.code])),
      new Map<unknown, unknown>([
        ["nine", -32600],
        [8, undefined],
        [10, undefined],
      ]),
    );
    talk.say([{ jsonrpc: "2.0", method: "notifications/initialized" }]);
    talk.say([]);
    assert.deepEqual((await talk.next<{ error: { code: number } }>()).error.code, -32600);
    talk.say({ jsonrpc: "1.0", id: 9, method: "ping" });
    const { id, error } = await talk.next<{ id: number; error: { code: number } }>();
    assert.deepEqual([id, error.code], [9, -32600]);
    talk.say({ ...ping, id: 11 });
    assert.equal((await talk.next<{ id: number }>()).id, 11);
  });

  it("answers the rest of a batch of which one request was cancelled", async (t) => {
    const talk = await openTalk(t, async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw signal.reason;
    });
    talk.say(initialize);
    await talk.next();
    const search = { method: "tools/call", params: { name: "search", arguments: { query: "lamp" } } };
    talk.say([
      { jsonrpc: "2.0", id: 1, ...search },
      { jsonrpc: "2.0", id: 2, method: "ping" },
    ]);
    talk.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    assert.deepEqual(
      (await talk.next<readonly { id: number }[]>()).map(({ id }) => id),
      [2],
    );
  });

  it("refuses an id that is still open, and answers every batch and request that is not refused", async (t) => {
    const { promise: lit, resolve: light } = Promise.withResolvers<void>();
    const talk = await openTalk(t, async () => {
      await lit;
      throw new Error("no lamp");
    });
    talk.say(initialize);
    await talk.next();
    const slow = {
      jsonrpc: "2.0",
      method: "tools/call",
      params: { name: "search", arguments: { query: "x" } },
    };
    const ping = { jsonrpc: "2.0", method: "ping" };
    type Answer = { readonly id: unknown; readonly error?: { readonly code: number } };
    const codes = (answers: readonly Answer[]) =>
      answers.map(({ id, error }) => `${id} ${error?.code ?? "ok"}`).toSorted();
    talk.say([
      { ...slow, id: 1 },
      { ...ping, id: 2 },
      { ...ping, id: 2 },
    ]);
    talk.say([
      { ...ping, id: 1 },
      { ...ping, id: 3 },
    ]);
    assert.deepEqual(codes(await talk.next()), ["1 -32600", "3 ok"]);
    talk.say({ ...ping, id: 1 });
    assert.deepEqual(codes([await talk.next<Answer>()]), ["1 -32600"]);
    light();
    assert.deepEqual(codes(await talk.next()), ["1 ok", "2 -32600", "2 ok"]);
    talk.say({ ...ping, id: 1 });
    assert.deepEqual(codes([await talk.next<Answer>()]), ["1 ok"]);
  });

  it("serves nobody as a principal that is not there", async (t) => {
    const home = await emptyHome(t);
    const { status, stdout, stderr } = await start(home, home, [...builtCommand, "mcp", "--as", "eve"]).ended;
    assert.deepEqual([status, stdout], [3, ""]);
    assert.match(stderr, /NOT_FOUND: there is no principal "eve"/);
  });

  it("answers what its client asked before it closed stdin, then ends", async (t) => {
    const { world } = await openServed(t);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const parts = {
      app: {
        ...createCompanyApi(world.core, world.core.app),
        async search(): Promise<never> {
          await new Promise((resolve) => setTimeout(resolve, 200));
          throw new RagctlError("NOT_FOUND", "no lamp");
        },
      },
      programVersion: "0.0.0",
      topK: 5,
      allowWrite: false,
      log: { event: () => undefined, warn: () => undefined },
    };
    const said: string[] = [];
    output.on("data", (text) => said.push(String(text)));
    const client = { input, output, note: () => undefined };
    const served = serveClient(parts, "owner", client, new AbortController().signal);
    const request = { method: "tools/call", params: { name: "search", arguments: { query: "lamp" } } };
    input.end(`${line(initialize)}${line({ jsonrpc: "2.0", id: 1, ...request })}`);
    await served;
    assert.match(said.join(""), /no lamp/);
  });

  it("aborts and waits for what is not done in time after its client closed stdin", async (t) => {
    const started = Promise.withResolvers<void>();
    let unwound = false;
    const { world } = await openServed(t);
    const app = createCompanyApi(world.core, world.core.app);
    const [input, output] = [new PassThrough(), new PassThrough()];
    const parts = {
      app: {
        ...app,
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
      50,
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
        ...createCompanyApi(world.core, world.core.app),
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
