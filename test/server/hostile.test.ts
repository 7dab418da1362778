import assert from "node:assert/strict";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import { test } from "node:test";
import { WebSocket } from "ws";
import type { AnswerEvent } from "../../src/core/answers/answer.ts";
import { asRagctlError, RagctlError } from "../../src/core/errors.ts";
import { boundaryOf, multipartParts } from "../../src/server/files/multipart.ts";
import { createUploadFolder, safeName } from "../../src/server/files/uploads.ts";
import { startServer } from "../../src/server/serve.ts";
import { eventResponse, type ServerEvent } from "../../src/server/stream/events.ts";
import { openWorld } from "../app/world.ts";
import { until } from "../cli/support.ts";
import { jsonBody, linkKey, openSite, openSocketSite, origin, refusal, servedApp } from "./support.ts";

/** Sends bytes as they are and returns what comes back until the connection ends. */
function raw(url: string, parts: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname);
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.on("close", () => resolve(text));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve(text) : reject(error),
    );
    for (const part of parts) socket.write(part);
  });
}

/** A body of unknown length. */
const chunked = (size: number): ReadableStream<Uint8Array> => {
  let left = size;
  return new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(new Uint8Array(Math.min(left, 65_536)).fill(97));
      left -= 65_536;
    },
  });
};

test("a body that is wrong is refused with a status that says how", async (context) => {
  const { send } = await openSite(context);
  const post = (body: NonNullable<RequestInit["body"]>, type = "application/json", more: object = {}) =>
    send("/v1/search", { method: "POST", body, headers: { "content-type": type, ...more } });
  const coded = (coding: string) => post('{"query":"a"}', undefined, { "content-encoding": coding });
  const cases: readonly (readonly [string, Response, number, string])[] = [
    ["no JSON", await post("{"), 400, "REQUEST_INVALID"],
    ["another member", await post('{"query":"a","colour":1}'), 400, "REQUEST_INVALID"],
    ["no question", await post('{"query":"  "}'), 400, "REQUEST_INVALID"],
    ["a question nobody can see", await post('{"query":"\u200b\u2060\u00ad"}'), 400, "REQUEST_INVALID"],
    ["NUL", await post(JSON.stringify({ query: "a\0b" })), 400, "REQUEST_INVALID"],
    ["invalid UTF-8", await post(new Uint8Array([0x7b, 0xff, 0x7d])), 400, "REQUEST_INVALID"],
    [
      "deep JSON",
      await post(`{"query":"a","x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
      400,
      "REQUEST_INVALID",
    ],
    ["another type", await post('{"query":"a"}', "text/plain"), 415, "REQUEST_UNSUPPORTED"],
    ["gzip", await coded("gzip"), 415, "REQUEST_UNSUPPORTED"],
    ["two codings", await coded("identity, br"), 415, "REQUEST_UNSUPPORTED"],
    ["no coding", await coded("identity"), 200, ""],
    ["Latin-1", await post('{"query":"a"}', "application/json; charset=latin1"), 415, "REQUEST_UNSUPPORTED"],
    ["UTF-8", await post('{"query":"a"}', 'application/json; charset="UTF-8"'), 200, ""],
    ["too much", await post(`{"query":"${"a".repeat(2 ** 20)}"}`), 413, "REQUEST_TOO_LARGE"],
    ["a long question", await post(JSON.stringify({ query: "a".repeat(8001) })), 400, "REQUEST_INVALID"],
    ["another method", await send("/v1/search", { method: "PUT" }), 405, "METHOD_UNSUPPORTED"],
    ["another query", await send("/v1/documents?colour=red"), 400, "REQUEST_INVALID"],
    ["no number", await send("/v1/documents?limit=many"), 400, "REQUEST_INVALID"],
    ["no route", await send("/v1/nothing"), 404, "NOT_FOUND"],
    ["a literal that only looks like a NUL", await post('{"query":"what is \\\\u0000 ?"}'), 200, ""],
  ];
  for (const [what, response, status, code] of cases) {
    assert.equal(response.status, status, what);
    if (code !== "") assert.equal((await refusal(response))[1], code, what);
  }
});

test("a method that a route does not take is answered with those that it takes", async (context) => {
  const { send } = await openSite(context);
  const allowed = async (path: string, method: string): Promise<readonly [number, string | null]> => {
    const { status, headers } = await send(path, { method });
    return [status, headers.get("allow")];
  };
  assert.deepEqual(await allowed("/v1/search", "GET"), [405, "POST"]);
  assert.deepEqual(await allowed("/v1/search", "OPTIONS"), [405, "POST"]);
  assert.deepEqual(await allowed("/v1/documents", "PUT"), [405, "GET, HEAD, POST"]);
  assert.deepEqual(await allowed("/v1/documents/an-id", "POST"), [405, "DELETE, GET, HEAD"]);
  assert.deepEqual(await allowed("/v1/documents/", "GET"), [404, null]);
});

test("a name of an upload leads nowhere and says nothing to a file system", () => {
  const names = {
    "../../etc/passwd": "passwd",
    "..\\..\\windows\\system.ini": "system.ini",
    "/srv/plan.pdf": "plan.pdf",
    "...": "upload",
    "": "upload",
    ".bashrc": "bashrc",
    "plan*?[a].pdf": "plan__a_.pdf".replace("__a_", "___a_"),
    "a\u0000b\u202e.pdf": "a_b_.pdf",
    "Übersicht (neu).docx": "Übersicht (neu).docx",
    "báo cáo.txt": "báo cáo.txt",
  };
  for (const [given, kept] of Object.entries(names)) assert.equal(safeName(given), kept, given);
  const long = safeName(`${"ü".repeat(500)}.pdf`);
  assert.ok(Buffer.byteLength(long) < 200 && long.endsWith(".pdf"));
});

test("of an upload that is too large, cut off or has no room nothing stays", async (context) => {
  const full = (): Writable =>
    new Writable({
      write: (_, __, done) => done(Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" })),
    });
  const site = await openSite(context);
  const { home } = site.world.core.settings;
  const kept = async (): Promise<string[]> =>
    (await readdir(join(home, "uploads"), { recursive: true }).catch(() => [])).filter((name) =>
      /\.(?:part|pdf)$/.test(name),
    );
  const path = "/v1/documents?name=big.pdf&collection=hr_private_docs";
  const options = { method: "POST", duplex: "half" } as const;
  assert.deepEqual(await refusal(await site.send(path, { ...options, body: chunked(200_000) })), [
    413,
    "REQUEST_TOO_LARGE",
  ]);
  const declared = { method: "POST", body: "a", headers: { "content-length": "200000001" } };
  assert.deepEqual(await refusal(await site.send(path, declared)), [413, "REQUEST_TOO_LARGE"]);
  assert.deepEqual(await refusal(await site.send(path, { method: "POST" })), [400, "REQUEST_INVALID"]);
  const nameless = await site.send("/v1/documents", { method: "POST", body: "a" });
  assert.deepEqual(await refusal(nameless), [400, "REQUEST_INVALID"]);
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(10));
      controller.error(new Error("the connection is gone"));
    },
  });
  assert.equal((await site.send(path, { ...options, body: broken })).status, 500);
  assert.deepEqual(await kept(), []);
  const noRoom = await openSite(context, {
    uploads: createUploadFolder({ home, maxBytes: 1e6, open: full }),
  });
  assert.deepEqual(await refusal(await noRoom.send(path, { method: "POST", body: "some bytes" })), [
    507,
    "DISK_FULL",
  ]);
  assert.deepEqual(await kept(), []);
});

test("what a killed server had begun to receive goes with the next upload, and what comes now stays", async (context) => {
  const { send, world } = await openSite(context);
  const incoming = join(world.core.settings.home, "uploads", "incoming");
  await mkdir(incoming, { recursive: true });
  const [old, fresh] = [join(incoming, "old.part"), join(incoming, "fresh.part")];
  for (const path of [old, fresh]) await writeFile(path, "half a file");
  const before = Date.now() / 1000 - 3600;
  await utimes(old, before, before);
  const path = "/v1/documents?name=a.md&collection=hr_private_docs";
  assert.equal((await send(path, { method: "POST", body: "# A" })).status, 202);
  assert.deepEqual(await readdir(incoming), ["fresh.part"]);
});

test("forms are read part by part, and broken ones are refused", async () => {
  const read = async (text: string, size: number, boundary = "x"): Promise<string[]> => {
    const bytes = Buffer.from(text);
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const parts = [];
    for await (const part of multipartParts(pieces(), boundary))
      parts.push(
        `${part.name}/${part.fileName ?? ""}=${Buffer.concat(await Array.fromAsync(part.body)).toString()}`,
      );
    return parts;
  };
  const form =
    'preamble\r\n--x\r\nContent-Disposition: form-data; name="a"\r\n\r\none\r\n--\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="b%22\\"c.pdf"\r\nContent-Type: application/pdf\r\n\r\n%PDF\r\n-x\r\n--x--\r\n';
  for (const size of [1, 2, 3, 7, 1000])
    assert.deepEqual(await read(form, size), ["a/=one\r\n--", 'file/b""c.pdf=%PDF\r\n-x']);
  assert.equal(boundaryOf('multipart/form-data; boundary="a b"'), "a b");
  const names = {
    "filename*=UTF-8''Pr%C3%BCfplan%207.md": "Prüfplan 7.md",
    "filename*=iso-8859-1'de'Pr%FCfplan.md": "Prüfplan.md",
    "filename=plain.md": "plain.md",
    "filename=\"short.md\"; filename*=utf-8''long%20one.md": "long one.md",
    'filename="C:\\docs\\new.md"': "C:\\docs\\new.md",
    'filename="Prüfplan; a=b.md"': "Prüfplan; a=b.md",
    "FILENAME = odd.md ": "odd.md",
    'filename=""': "",
  };
  for (const [typed, name] of Object.entries(names))
    for (const field of ['name="file"', "name=file"]) {
      const text = `--x\r\nContent-Disposition: form-data; ${field}; ${typed}\r\n\r\na\r\n--x--`;
      assert.deepEqual(await read(text, 64), [`file/${name}=a`], typed);
    }
  for (const wrong of [
    "",
    "--x",
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nno end',
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\ndata\r\n--xyz\r\n--x--',
    "--x\r\nContent-Type: text/plain\r\n\r\nno name\r\n--x--",
    `--x\r\nContent-Disposition: form-data; name="a"\r\nX: ${"y".repeat(20_000)}\r\n\r\n\r\n--x--`,
    `${'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(1001)}--x--`,
  ])
    await assert.rejects(read(wrong, 64), { code: "REQUEST_INVALID" });
});

test("a client that goes away ends the work it asked for", async (context) => {
  const asked = Promise.withResolvers<AbortSignal>();
  async function* ask(_: unknown, run: { readonly signal: AbortSignal }): AsyncGenerator<AnswerEvent> {
    asked.resolve(run.signal);
    yield { type: "text-delta", text: "The first words." };
    await new Promise((_resolve, reject) =>
      run.signal.addEventListener("abort", () => reject(run.signal.reason)),
    );
  }
  const { send } = await openSocketSite(context, { ask });
  const client = new AbortController();
  const { body } = await send("/v1/ask", {
    ...jsonBody({ query: "What is said?" }, { accept: "text/event-stream" }),
    signal: client.signal,
  });
  const reader = body?.getReader();
  assert.match(new TextDecoder().decode((await reader?.read())?.value), /The first words/);
  const signal = await asked.promise;
  assert.equal(signal.aborted, false);
  const since = performance.now();
  client.abort();
  await new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve()),
  );
  context.diagnostic?.(`cancelled after ${Math.round(performance.now() - since)} ms`);
});

test("a stop lets streams end, takes nothing new and leaves no connection", async (context) => {
  const going = Promise.withResolvers<void>();
  async function* ask(): AsyncGenerator<AnswerEvent> {
    yield { type: "text-delta", text: "begun" };
    await going.promise;
    yield { type: "text-delta", text: "ended" };
  }
  const { send, running, url } = await openSocketSite(context, { ask });
  const response = await send("/v1/ask", jsonBody({ query: "What?" }, { accept: "text/event-stream" }));
  const half = connect(Number(new URL(url).port), "127.0.0.1");
  await new Promise((resolve) => half.once("connect", resolve));
  half.on("error", () => undefined).write("GET /v1/documents HTTP/1.1\r\nHost: x");
  const cut = new Promise((resolve) => half.once("close", resolve));
  const stopped = running.stop();
  await assert.rejects(fetch(`${url}/health`, { headers: { connection: "close" } }));
  going.resolve();
  const text = await response.text();
  assert.match(text, /begun[\s\S]*ended/);
  await stopped;
  await cut;
});

test("a stream that does not end is told so when the server stops", async (context) => {
  const stopping = new AbortController();
  const asked = Promise.withResolvers<void>();
  async function* ask(): AsyncGenerator<AnswerEvent> {
    yield { type: "text-delta", text: "begun" };
    asked.resolve();
    await new Promise(() => undefined);
  }
  const world = await openWorld(context);
  const site = await openSite(context, { app: { ...servedApp(world.core), ask }, stopped: stopping.signal });
  const init = jsonBody({ query: "What?" }, { accept: "text/event-stream" });
  const { body } = await site.handler.request(`${origin}/v1/ask`, {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${linkKey}` },
  });
  await asked.promise;
  stopping.abort(new RagctlError("SERVER_BUSY", "the server is stopping"));
  const text = await new Response(body).text();
  assert.match(text, /event: error\ndata: .*SERVER_BUSY/);
});

test("a stream that was told of the stop, or whose client left before it, is written to no more", async (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const hanging: AsyncIterable<ServerEvent> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
  };
  const stopped = new AbortController();
  const options = {
    leave: () => undefined,
    onEnd: () => undefined,
    publicError: (thrown: unknown) => asRagctlError(thrown),
    stopped: stopped.signal,
  };
  const [left, told] = [eventResponse(hanging, options), eventResponse(hanging, options)];
  await left.body?.cancel();
  stopped.abort(new RagctlError("SERVER_BUSY", "the server is stopping"));
  // A write to a stream that is closed would end the process.
  context.mock.timers.tick(60_000);
  assert.match(await told.text(), /event: error\ndata: .*SERVER_BUSY.*\n\n$/);
});

test("headers without end, too many of them and half-open connections do not stop others", async (context) => {
  const { send, url } = await openSocketSite(context);
  const start = `GET /health HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`;
  const { port, hostname } = new URL(url);
  const halves = Array.from({ length: 50 }, () => connect(Number(port), hostname));
  context.after(() => {
    for (const socket of halves) socket.destroy();
  });
  for (const socket of halves) socket.on("error", () => undefined).write(start);
  assert.match(await raw(url, [`${start}X-Long: ${"a".repeat(20_000)}\r\n\r\n`]), /^HTTP\/1\.1 431/);
  const many = Array.from({ length: 10_000 }, (_, index) => `H${index}: 1\r\n`).join("");
  assert.match(await raw(url, [`${start}${many}\r\n`]), /^HTTP\/1\.1 431/);
  assert.match(await raw(url, ["\u0000\u0001\u0002 nothing\r\n\r\n"]), /^HTTP\/1\.1 400/);
  const smuggled = `POST /v1/search HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
  assert.match(await raw(url, [smuggled]), /^HTTP\/1\.1 400/);
  const absolute = `GET http://evil.example/health HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`;
  assert.match(await raw(url, [absolute]), /^HTTP\/1\.1 403/);
  assert.equal((await send("/health")).status, 200);
});

test("a room is a conversation over a socket, which others of the room follow", async (context) => {
  const { send, url, authorization } = await openSocketSite(context);
  await send("/v1/chats", jsonBody({ name: "gate" }));
  const open = async (headers: Record<string, string> = { authorization }) => {
    const received: { readonly type: string; readonly data: Record<string, unknown> }[] = [];
    const socket = new WebSocket(`${url.replace("http", "ws")}/v1/chats/gate/socket`, { headers });
    socket.on("message", (data) => received.push(JSON.parse(data.toString())));
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    return { socket, received };
  };
  await assert.rejects(open({}), /401/);
  await assert.rejects(open({ authorization, origin: "http://evil.example" }), /403/);
  const [one, two] = [await open(), await open()];
  one.socket.send(JSON.stringify({ type: "say", text: "What does the policy say?" }));
  await until(() => one.received.some(({ type }) => type === "answer-end"));
  await until(() => two.received.filter(({ type }) => type === "message").length >= 2);
  assert.equal(one.received[0]?.type, "message-stored");
  assert.deepEqual(
    two.received.map(({ type, data }) => [type, data["message_type"]]),
    [
      ["message", "user"],
      ["message", "assistant"],
    ],
  );
  const refusals = () =>
    one.received
      .filter(({ type }) => type === "error")
      .map(({ data }) => (data["error"] as { message: string }).message);
  for (const wrong of ["{", Buffer.from("{}"), "[".repeat(33) + "]".repeat(33), '{"text":"a\\u0000"}'])
    one.socket.send(wrong);
  await until(() => refusals().length === 4);
  assert.deepEqual(
    refusals(),
    ["is not JSON", "is binary", "is nested more than 32 levels deep", "contains a NUL character"].map(
      (reason) => `cannot read the message: it ${reason}`,
    ),
  );
  one.socket.send('{"type":"message"}');
  await until(() => refusals().length === 5);
  for (const { data } of one.received.filter(({ type }) => type === "error"))
    assert.match(String((data["error"] as { hint: string }).hint), /^send \{"type":"say","text":/);
  const closed = new Promise<number>((resolve) => two.socket.once("close", resolve));
  for (let i = 0; i < 30; i++) two.socket.send(JSON.stringify({ type: "say", text: "…" }));
  assert.equal(await closed, 1008);
  const tooLong = new Promise<number>((resolve) => one.socket.once("close", resolve));
  one.socket.send("x".repeat(70_000));
  assert.equal(await tooLong, 1009);
  assert.equal((await send("/health")).status, 200);
});

test("a server beyond this machine needs keys and TLS or a proxy", async (context) => {
  const world = await openWorld(context);
  const parts = {
    app: servedApp(world.core),
    settings: world.core.settings,
    programVersion: "0.0.0",
    run: world.run("owner"),
  };
  const plain = { host: "127.0.0.1", port: 0, auth: true, behindProxy: false, origins: [] };
  const refused = [
    { ...plain, host: "0.0.0.0" },
    { ...plain, host: "0.0.0.0", auth: false },
    { ...plain, tlsCert: "/nowhere/cert.pem" },
    { ...plain, behindProxy: true },
    { ...plain, behindProxy: true, origins: ["https://rag.example.org"] },
    { ...plain, behindProxy: true, auth: false, origins: ["https://rag.example.org"] },
    { ...plain, origins: ["https://rag.example.org/path"] },
  ];
  for (const request of refused)
    await assert.rejects(startServer(request, parts), { code: "USAGE_INVALID" }, JSON.stringify(request));
});

test("without sign-in everybody on this machine acts as the principal of the command, pages of others do not", async (context) => {
  const { running } = await openSocketSite(context, {}, { auth: false, principal: "ada" });
  assert.equal(running.link, running.url);
  const session = await (await fetch(`${running.url}/v1/session`)).json();
  const { principal, may_impersonate } = session as { principal: string; may_impersonate: boolean };
  assert.deepEqual([principal, may_impersonate], ["ada", false]);
  const from = (headers: Record<string, string>) =>
    fetch(`${running.url}/v1/search`, jsonBody({ query: "policy" }, headers));
  assert.equal((await from({})).status, 200);
  assert.equal((await from({ origin: "http://evil.example" })).status, 403);
  assert.equal((await from({ "x-ragctl-as": "owner" })).status, 403);
  const image = await fetch(`${running.url}/api/chat/stream?question=x`, {
    headers: { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
  });
  assert.equal(image.status, 403);
});

test("what never becomes a request, and a refused socket, is answered with an error document and closed", async (context) => {
  const { url, authorization } = await openSocketSite(context);
  const host = `Host: ${new URL(url).host}`;
  const upgrade = (path: string, ...headers: readonly string[]): string =>
    [
      `GET ${path} HTTP/1.1`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ...headers,
      "\r\n",
    ].join("\r\n");
  const room = "/v1/chats/nowhere/socket";
  const signedIn = `Authorization: ${authorization}`;
  for (const [request, status, code] of [
    [upgrade(room, host), 401, "SIGN_IN_REQUIRED"],
    [upgrade(room, host, signedIn), 404, "NOT_FOUND"],
    [upgrade(room, "Host: a b", signedIn), 400, "REQUEST_INVALID"],
    ["GET /health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", 400, "REQUEST_INVALID"],
    [`GET /health HTTP/1.1\r\n${host}\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "REQUEST_INVALID"],
    ["GARBAGE\r\n\r\n", 400, "REQUEST_INVALID"],
  ] as const) {
    const [head = "", body = ""] = (await raw(url, [request])).split("\r\n\r\n");
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), request.slice(0, 60));
    const { error } = JSON.parse(body);
    assert.equal(error.code, code);
    assert.notEqual(error.hint, undefined);
    assert.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]), Buffer.byteLength(body));
  }
  // Elsewhere a wish for a WebSocket changes nothing.
  const plain = await raw(url, [
    upgrade("/v1/chats", host, signedIn, "X: 1").replace("Connection: Upgrade", "Connection: Upgrade, close"),
  ]);
  assert.match(plain, /^HTTP\/1\.1 200[\s\S]*"rooms":\[\]/);
});
