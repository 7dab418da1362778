import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import type { AnswerEvent } from "../../src/core/answers/answer.ts";
import type { Run } from "../../src/core/run.ts";
import { until } from "../cli/support.ts";
import { bodyOf, jsonBody, openSocketSite } from "./support.ts";

type Site = Awaited<ReturnType<typeof openSocketSite>>;

/** A connection, and what came over it. */
function dial(url: string, text: string, { endsToo = false, from = "127.0.0.1" } = {}) {
  const { hostname, port } = new URL(url);
  const received = { text: "", closed: false };
  const socket = connect(
    { port: Number(port), host: hostname, localAddress: from, allowHalfOpen: true },
    () => (endsToo ? socket.end(text) : socket.write(text)),
  );
  socket.on("data", (data) => {
    received.text += data.toString("latin1");
  });
  socket.on("error", () => undefined);
  socket.on("end", () => socket.end());
  socket.on("close", () => {
    received.closed = true;
  });
  return { socket, received };
}

const eventually = async (condition: () => boolean | Promise<boolean>): Promise<void> =>
  assert.ok(await until(condition), "it did not come to be in time");

const posted = ({ url, authorization }: Site, path: string, headers: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: ${authorization}\r\nConnection: close\r\n${headers}\r\n\r\n`;

/** A tab in a room: what it received, by type. */
async function openTab(
  context: Pick<TestContext, "after">,
  { url, authorization }: Site,
  options: object = {},
) {
  const received: { readonly type: string; readonly data: Record<string, unknown> }[] = [];
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/chats/gate/socket`, {
    headers: { authorization },
    ...options,
  });
  context.after(() => socket.terminate());
  socket.on("message", (data) => received.push(JSON.parse(data.toString())));
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return { socket, received, closed };
}

const openRoom = async (site: Site): Promise<void> => {
  assert.equal((await site.send("/v1/chats", jsonBody({ name: "gate" }))).status, 201);
};

test("a client that does not read its stream is not waited for: its work ends, and little is held", async (context) => {
  const produced = { bytes: 0 };
  const ended = Promise.withResolvers<void>();
  async function* ask(_: unknown, { signal }: Pick<Run, "signal">): AsyncGenerator<AnswerEvent> {
    try {
      for (const text = "x".repeat(64_000); !signal.aborted; produced.bytes += text.length)
        yield { type: "text-delta", text };
    } finally {
      ended.resolve();
    }
  }
  const site = await openSocketSite(context, { ask });
  const body = JSON.stringify({ query: "What?" });
  const headers = `Content-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: ${body.length}`;
  const { socket } = dial(site.url, `${posted(site, "/v1/ask", headers)}${body}`);
  socket.pause();
  await ended.promise;
  assert.ok(produced.bytes > 0 && produced.bytes < 32e6, `${produced.bytes} bytes were made`);
  assert.equal((await site.send("/health")).status, 200);
  socket.destroy();
});

test("a request is answered although its sender has closed its own side", async (context) => {
  const site = await openSocketSite(context);
  const body = JSON.stringify({ query: "policy" });
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
  const { received } = dial(site.url, `${posted(site, "/v1/search", headers)}${body}`, { endsToo: true });
  await eventually(() => received.closed);
  assert.match(received.text, /^HTTP\/1\.1 200[\s\S]*"hits":/);
});

test("a body in chunks is counted as it comes, and broken chunks are refused", async (context) => {
  const site = await openSocketSite(context);
  const headers = "Content-Type: application/json\r\nTransfer-Encoding: chunked";
  const start = posted(site, "/v1/search", headers);
  const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
  const large = dial(site.url, start + chunk.repeat(20));
  await eventually(() => large.received.text.includes("\r\n\r\n"));
  assert.match(large.received.text, /^HTTP\/1\.1 413/);
  const broken = dial(site.url, `${start}nonsense\r\n`);
  await eventually(() => broken.received.closed);
  assert.doesNotMatch(broken.received.text, /^HTTP\/1\.1 200/);
  assert.equal((await site.send("/health")).status, 200);
});

test("of an upload whose sender disappears nothing stays, and a name with a path stays in its folder", async (context) => {
  const site = await openSocketSite(context);
  const uploads = join(site.world.core.settings.home, "uploads");
  const path = "/v1/documents?collection=hr_private_docs&name=";
  const { socket } = dial(
    site.url,
    `${posted(site, `${path}half.md`, "Content-Type: text/markdown\r\nContent-Length: 1000")}# Half`,
  );
  const incoming = join(uploads, "incoming");
  await eventually(async () => (await readdir(incoming).catch(() => [])).length === 1);
  socket.destroy();
  await eventually(async () => (await readdir(incoming)).length === 0);
  const hostile = encodeURIComponent("../../../../escaped.md");
  const response = await site.send(`${path}${hostile}`, { method: "POST", body: "# Escaped" });
  assert.deepEqual([response.status, (await bodyOf(response))["name"]], [202, "escaped.md"]);
  const form = new FormData();
  form.append("file", new Blob(["# Form"]), "..\\..\\form.md");
  assert.equal(
    (await site.send("/v1/documents?collection=hr_private_docs", { method: "POST", body: form })).status,
    202,
  );
  const kept = (await readdir(uploads, { recursive: true })).filter((name) => name.endsWith(".md"));
  assert.deepEqual(kept.map((name) => name.split("/").at(-1)).sort(), ["escaped.md", "form.md"]);
});

test("two tabs of one person in a room each see everything once, in one order", async (context) => {
  const site = await openSocketSite(context);
  await openRoom(site);
  const tabs = [await openTab(context, site), await openTab(context, site)];
  for (const [index, { socket }] of tabs.entries())
    socket.send(JSON.stringify({ type: "say", text: `What does policy ${index} say?` }));
  const stored = ({ received }: (typeof tabs)[number]) =>
    received
      .filter(({ type, data }) => /^message/.test(type) && data["message_type"] === "user")
      .map(({ data }) => String(data["content"]));
  const replies = ({ received }: (typeof tabs)[number]) =>
    received.filter(({ type, data }) => type === "message" && data["message_type"] === "assistant");
  await eventually(() => tabs.every((tab) => stored(tab).length >= 2 && replies(tab).length >= 2));
  for (const tab of tabs) {
    assert.deepEqual(stored(tab).sort(), ["What does policy 0 say?", "What does policy 1 say?"]);
    assert.equal(new Set(replies(tab).map(({ data }) => data["id"])).size, 2);
    assert.equal(replies(tab).length, 2);
    assert.equal(tab.received.filter(({ type }) => type === "answer-end").length, 1);
  }
});

test("sockets beyond those that one person may have open are closed with the reason, and others go on", async (context) => {
  const site = await openSocketSite(context);
  await openRoom(site);
  const tabs = [];
  for (let count = 0; count < 16; count++) tabs.push(await openTab(context, site));
  const late = await openTab(context, site);
  assert.equal(await late.closed, 1013);
  assert.match(JSON.stringify(late.received), /RATE_LIMITED/);
  const [first] = tabs;
  first?.socket.send(JSON.stringify({ type: "say", text: "What does the policy say?" }));
  await eventually(() => first?.received.some(({ type }) => type === "answer-end") === true);
  first?.socket.close();
  await first?.closed;
  const next = await openTab(context, site);
  next.socket.send(JSON.stringify({ type: "say", text: "And now?" }));
  await eventually(() => next.received.some(({ type }) => type === "message-stored"));
});

test("a socket is closed that floods with pings or fragments", async (context) => {
  const site = await openSocketSite(context);
  await openRoom(site);
  const pinging = await openTab(context, site);
  for (let count = 0; count < 1000; count++) pinging.socket.ping();
  assert.equal(await pinging.closed, 1008);
  const splitting = await openTab(context, site);
  for (let count = 0; count < 70; count++) splitting.socket.send("x".repeat(1000), { fin: false });
  assert.equal(await splitting.closed, 1009);
  assert.equal((await site.send("/health")).status, 200);
});

test("a socket whose other end answers no ping any more is ended", async (context) => {
  const site = await openSocketSite(context);
  await openRoom(site);
  context.mock.timers.enable({ apis: ["setInterval"] });
  const [dead, alive] = [await openTab(context, site, { autoPong: false }), await openTab(context, site)];
  context.mock.timers.tick(30_000);
  await new Promise((resolve) => alive.socket.once("ping", resolve));
  // An answer to this comes after the server has read the pong that was sent before it.
  alive.socket.ping();
  await new Promise((resolve) => alive.socket.once("pong", resolve));
  context.mock.timers.tick(30_000);
  assert.equal(await dead.closed, 1006);
  assert.equal(alive.socket.readyState, alive.socket.OPEN);
});

test("connections that ask nothing make way for those that ask, of their own address first", async (context) => {
  const limits = { mostConnections: 6, mostOfOneAddress: 4 };
  const site = await openSocketSite(context, {}, {}, limits);
  await openRoom(site);
  const tab = await openTab(context, site, { localAddress: "127.0.0.2" });
  const idle = (from: string) => dial(site.url, "", { from });
  const greedy = Array.from({ length: 12 }, () => idle("127.0.0.3"));
  await eventually(() => greedy.filter(({ received }) => received.closed).length === 8);
  // The newest of those that ask nothing stay; a request of the same address takes the place of one of them.
  const request = `GET /health HTTP/1.1\r\nHost: ${new URL(site.url).host}\r\nConnection: close\r\n\r\n`;
  for (const from of ["127.0.0.3", "127.0.0.2", "127.0.0.4", "127.0.0.5", "127.0.0.6"]) {
    const { received } = dial(site.url, request, { from });
    await eventually(() => received.closed);
    assert.match(received.text, /^HTTP\/1\.1 200/, from);
  }
  for (const last of [7, 8, 9, 10, 11, 12]) idle(`127.0.0.${last}`);
  tab.socket.ping();
  await new Promise((resolve) => tab.socket.once("pong", resolve));
  for (const { socket } of greedy) socket.destroy();
});

/** Sends a piece of a body every 10 ms, `most` times at most, until the connection is closed or the test ends. */
function drip(
  context: Pick<TestContext, "after">,
  { socket, received }: ReturnType<typeof dial>,
  piece: string,
  most = Number.POSITIVE_INFINITY,
) {
  let sent = 0;
  const timer = setInterval(() => {
    if (socket.connecting || received.closed || sent === most) return;
    sent += 1;
    socket.write(piece);
  }, 10);
  context.after(() => {
    clearInterval(timer);
    socket.destroy();
  });
}

test("a body that comes drop by drop is ended once its address has no other connection left", async (context) => {
  const site = await openSocketSite(context, {}, {}, { mostOfOneAddress: 4, bodyGraceMs: 100 });
  const head = posted(
    site,
    "/v1/documents?collection=hr_private_docs&name=a.md",
    "Content-Type: text/markdown\r\nContent-Length: 90000\r\nExpect: 100-continue",
  );
  const greedy = Array.from({ length: 4 }, () => dial(site.url, head));
  await eventually(() => greedy.every(({ received }) => received.text.includes("100 Continue")));
  for (const each of greedy) drip(context, each, "a");
  const request = `GET /health HTTP/1.1\r\nHost: ${new URL(site.url).host}\r\nConnection: close\r\n\r\n`;
  await eventually(async () => {
    const { received } = dial(site.url, request);
    await eventually(() => received.closed);
    return received.text.startsWith("HTTP/1.1 200");
  });
  assert.equal(greedy.filter(({ received }) => received.closed).length, 1);
});

test("a body that comes too slowly to end is given up, a quick one is not", async (context) => {
  const site = await openSocketSite(context, {}, {}, { slowBodyMs: 300 });
  const head = (bytes: number) =>
    posted(
      site,
      "/v1/documents?collection=hr_private_docs&name=slow.md",
      `Content-Type: text/markdown\r\nContent-Length: ${bytes}`,
    );
  const [slow, quick] = [dial(site.url, head(90_000)), dial(site.url, head(99_000))];
  drip(context, slow, "a");
  // What follows a whole body would be read as a second request, and a bad one.
  drip(context, quick, "a".repeat(1000), 99);
  await eventually(() => slow.received.closed);
  assert.match(slow.received.text, /^HTTP\/1\.1 408/);
  await eventually(() => quick.received.closed);
  assert.match(quick.received.text, /^HTTP\/1\.1 202/);
});
