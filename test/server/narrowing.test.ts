import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocket } from "ws";
import type { Filter } from "../../src/core/retrieval.ts";
import type { World } from "../app/world.ts";
import { until } from "../cli/support.ts";
import { call, openServed } from "../mcp/served.ts";
import { jsonBody, openSite, openSocketSite, refusal } from "./support.ts";

const filters = {
  formats: ["text"],
  content_types: ["paragraph"],
  pages: "2-3",
  since: "2020-01-01",
  section: "safety RULES",
  meta: ["title=leave"],
};

/** What each filter must become where the store searches. */
const conditions: readonly string[] = [
  '{"field":"format","in":["text"]}',
  '{"kinds":["paragraph"]}',
  '{"pages":{"from":2,"to":3}}',
  '{"text":"headings","contains":["safety RULES","safety rules","Safety rules","Safety Rules","SAFETY RULES"]}',
  '{"text":"title","contains":["leave","Leave","LEAVE"]}',
];

/** Takes down the filters that the stores of a world search by. */
async function watchFilters({ parts }: World): Promise<() => readonly string[]> {
  const seen: Filter[] = [];
  for (const instance of ["public", "private"] as const) {
    const store = await parts.store(instance);
    const { search } = store;
    Object.assign(store, {
      search: async (...[name, query, signal]: Parameters<typeof search>) => {
        seen.push(query.filter);
        return search(name, query, signal);
      },
    });
  }
  return () =>
    seen
      .splice(0)
      // What was said in the room is looked for by its own ids: filters narrow documents.
      .filter((filter) => !("field" in filter && filter.field === "documentId"))
      .map((filter) => JSON.stringify(filter));
}

function assertNarrowed(seen: readonly string[], what: string): void {
  assert.ok(seen.length > 0, `${what}: nothing was searched`);
  for (const filter of seen)
    for (const condition of conditions) assert.ok(filter.includes(condition), `${what}: ${filter}`);
}

const question = "What does the secret policy say?";

test("every route that searches takes the same filters, and the store searches by them", async (context) => {
  const { send, world } = await openSite(context);
  const seen = await watchFilters(world);
  const address = new URLSearchParams([
    ...Object.entries(filters).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    ),
  ]);
  await send("/v1/chats", jsonBody({ name: "gate" }));
  const requests: readonly (readonly [string, RequestInit])[] = [
    ["/v1/search", jsonBody({ query: question, ...filters })],
    ["/v1/ask", jsonBody({ query: question, ...filters })],
    ["/query", jsonBody({ query: question, ...filters })],
    [`/api/documents/search?query=policy&${address}`, {}],
    [`/api/chat/stream?question=${encodeURIComponent(question)}&${address}`, {}],
    ["/v1/chats/gate/messages", jsonBody({ text: question, ...filters })],
  ];
  for (const [path, init] of requests) {
    const response = await send(path, init);
    assert.equal(response.status, 200, `${path} ${await response.clone().text()}`);
    await response.text();
    assertNarrowed(seen(), path);
  }
  const byAddress = (query: string) => send(`/api/documents/search?query=policy&${query}`);
  assert.equal((await byAddress("versions=all&top_k=3")).status, 200);
  assert.match(await (await byAddress("versions=")).text(), /versions: must be at least 1/);
});

test("a filter that is wrong is refused in the same words by every route", async (context) => {
  const { send } = await openSite(context);
  const wrong: Readonly<Record<string, unknown>> = {
    pages: "5-3",
    since: "yesterday",
    formats: ["papyrus"],
    content_types: ["song"],
    section: "\u0007",
    meta: ["author"],
  };
  for (const [name, value] of Object.entries(wrong)) {
    const address = new URLSearchParams([value].flat().map((each): [string, string] => [name, String(each)]));
    for (const [path, init] of [
      ["/v1/search", jsonBody({ query: question, [name]: value })],
      ["/v1/ask", jsonBody({ query: question, [name]: value })],
      ["/query", jsonBody({ query: question, [name]: value })],
      [`/api/documents/search?query=policy&${address}`, {}],
    ] as const) {
      const response = await send(path, init);
      const { error } = (await response.clone().json()) as { error: { message: string } };
      assert.deepEqual(await refusal(response), [400, "REQUEST_INVALID"], path);
      assert.ok(error.message.includes(name), `${path}: ${error.message}`);
    }
  }
});

test("a version number without the documents it is of is refused, not ignored", async (context) => {
  const { send } = await openSite(context);
  for (const [path, init] of [
    ["/v1/search", jsonBody({ query: question, versions: 7 })],
    ["/v1/ask", jsonBody({ query: question, versions: 7 })],
    ["/query", jsonBody({ query: question, versions: 7 })],
    ["/api/documents/search?query=policy&versions=7", {}],
  ] as const)
    assert.deepEqual(await refusal(await send(path, init)), [400, "USAGE_INVALID"], path);
});

test("what is said over the socket of a room can be narrowed too", async (context) => {
  const { send, url, authorization, world } = await openSocketSite(context);
  const seen = await watchFilters(world);
  await send("/v1/rooms", jsonBody({ name: "gate" }));
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/rooms/gate/socket`, {
    headers: { authorization },
  });
  const types: string[] = [];
  socket.on("message", (data) => types.push((JSON.parse(data.toString()) as { type: string }).type));
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ type: "say", text: question, ...filters }));
  assert.ok(await until(() => types.includes("answer-end")));
  assertNarrowed(seen(), "socket");
  socket.send(JSON.stringify({ type: "say", text: question, pages: "x" }));
  assert.ok(await until(() => types.includes("error")));
  socket.terminate();
});

test("the tools of an assistant take the same filters, and name a wrong one", async (context) => {
  const served = await openServed(context);
  const seen = await watchFilters(served.world);
  const client = await served.connect("owner");
  for (const tool of ["search", "ask"]) {
    const { failed, text } = await call(client, tool, { query: question, ...filters });
    assert.equal(failed, false, text);
    assertNarrowed(seen(), tool);
    const wrong = await call(client, tool, { query: question, pages: "0" });
    assert.ok(wrong.failed && /"pages" must be a page or a page range/.test(wrong.text), wrong.text);
    const version = await call(client, tool, { query: question, versions: 7 });
    assert.match(version.text, /^error USAGE_INVALID: version 7 requires documents/);
  }
});
