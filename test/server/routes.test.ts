import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { ReembedEvent } from "../../src/app/documents/reembed.ts";
import type { ReembedRequest } from "../../src/core/documents/reembed.ts";
import { RagctlError } from "../../src/core/errors.ts";
import { z } from "../../src/core/schema.ts";
import { openApi } from "../../src/server/openapi.ts";
import { listEndpoints } from "../../src/server/route-list.ts";
import { places, secretOf } from "../app/world.ts";
import { description, routes } from "./description.ts";
import { bodyOf, eventsOf, jsonBody, openSite, refusal } from "./support.ts";

const list = (value: unknown): Record<string, unknown>[] => value as Record<string, unknown>[];
const stream = { accept: "text/event-stream" };

test("the configured folder is ingested where a request names none", async (context) => {
  const { settings } = (await openSite(context)).server;
  const folder = join(settings.home, "..");
  const { send } = await openSite(context, {
    settings: { ...settings, ingest: { ...settings.ingest, folder } },
  });
  const bodies = [{ method: "POST" }, jsonBody({}), { method: "POST", headers: { "content-length": "0" } }];
  for (const body of bodies) {
    const { jobId } = await bodyOf(await send("/api/documents/ingest", body));
    const { document_path, target_collection } = await bodyOf(await send(`/v1/jobs/${String(jobId)}`));
    assert.deepEqual([document_path, target_collection], [folder, "general_knowledge"]);
  }
  const form = { method: "POST", headers: { "content-type": "text/plain" }, body: "x" };
  assert.equal((await send("/api/documents/ingest", form)).status, 415);
});

test("every route answers as /openapi.json describes it", async (context) => {
  const site = await openSite(context);
  const { send, tried, world } = site;
  const { home } = world.core.settings;
  const folder = join(home, "..", `ragctl-server-files-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "note.md"), "# Note\n\nThe gate closes at nine.\n");

  for (const path of ["/health", "/ready", "/metrics", "/v1/session", "/v1/models", "/v1/models/ragctl"])
    await send(path);
  await send("/v1/session", jsonBody({ key: await site.keyOf("ada") }));
  await send("/v1/session", { method: "DELETE" });

  const found = await bodyOf(await send("/v1/search", jsonBody({ query: "policy", top_k: 3 })));
  assert.ok(list(found["hits"]).length > 0);
  const verified = await bodyOf(
    await send("/v1/verify", jsonBody({ text: "The policy covers parental leave." })),
  );
  assert.equal(list(verified["statements"]).length, 1);
  for (const path of [
    "conflicts?collections=hr_private_docs",
    "answers/stale?limit=5",
    "duplicates?threshold=.5",
    "timeline?topic=policy",
  ])
    await send(`/v1/${path}`);
  const chunk = String(list(found["hits"])[0]?.["chunk_id"]);
  await send(`/v1/passages/${chunk}?quote=part`);
  const answer = await bodyOf(await send("/v1/ask", jsonBody({ query: "What does the policy say?" })));
  const events = await eventsOf(
    await send("/v1/ask", jsonBody({ query: "What does the policy say?" }, stream)),
  );
  assert.equal(events.at(-1)?.name, "answer-end");
  assert.deepEqual(
    (events.at(-1)?.data as { readonly response?: string } | undefined)?.response,
    answer["response"],
  );
  assert.deepEqual(
    events.map(({ id }) => Number(id)),
    events.map((_, index) => index + 1),
  );
  const conversation = "0123456789abcdef";
  await send("/v1/ask", jsonBody({ query: "What does the policy say?", conversation }));
  for (const path of ["", `/${conversation}`, `/${conversation}/events`])
    await send(`/v1/conversations${path}`);
  await send(`/v1/conversations/${conversation}/events`, { method: "DELETE" });
  const answered = await bodyOf(
    await send("/query", jsonBody({ query: "What does the policy say? Who wrote it?", top_k: 2 })),
  );
  assert.match(String(answered["sub_queries"]), /^What does the policy say\?,Who wrote it/);
  assert.notEqual(answered["reasoning"], "");
  const short = await eventsOf(await send("/api/chat/stream?question=Which+policy+covers+parental+leave%3F"));
  assert.deepEqual([...new Set(short.map(({ name }) => name))], ["agent", "final"]);
  const agents = list(short.filter(({ name }) => name === "agent").map(({ data }) => data));
  const router = agents.find(({ agent }) => agent === "router");
  assert.deepEqual([router?.["needsRetrieval"], router?.["node"]], [true, "intent"]);
  const steps = agents.find(({ agent }) => agent === "planner")?.["steps"];
  assert.match(JSON.stringify(steps), /^\["route","retrieve: .*"synthesize","judge"\]$/);
  await send("/api/documents/search?query=policy");
  await send("/api/documents/stats");

  const listed = await send("/v1/documents?collection=hr_private_docs&limit=1");
  assert.equal(listed.headers.get("x-total-count"), "1");
  const id = String(list((await bodyOf(listed))["documents"])[0]?.["id"]);
  await send(`/v1/documents/${id}`);
  await send(`/v1/documents/${id}/versions`);
  const like = await bodyOf(await send(`/v1/documents/${id}/similar`));
  assert.ok(list(like["similar"]).every(({ document_id }) => document_id !== id));
  assert.deepEqual(await refusal(await send(`/v1/documents/${id}/diff`)), [404, "NOT_FOUND"]);
  assert.deepEqual(await refusal(await send(`/v1/documents/${id}/restore`, jsonBody({ version: 7 }))), [
    404,
    "NOT_FOUND",
  ]);
  assert.deepEqual(await refusal(await send(`/v1/documents/${id}/original`)), [404, "SOURCE_MISSING"]);
  await send(`/v1/documents/${id}/pages/0`);

  const upload = await bodyOf(
    await send("/v1/documents?name=plan.md&collection=hr_private_docs", { method: "POST", body: "# Plan\n" }),
  );
  const job = String(upload["job_id"]);
  await send("/v1/jobs?state=waiting");
  await send(`/v1/jobs/${job}`);
  // Begins no stream: more of them at once are refused.
  for (let at = 0; at < 20; at++) {
    const head = await send(`/v1/jobs/${job}/events`, { method: "HEAD" });
    assert.deepEqual(
      [head.status, head.headers.get("content-type")],
      [200, "text/event-stream; charset=utf-8"],
    );
  }
  await send(`/v1/jobs/${job}/cancel`, { method: "POST" });
  const progress = await eventsOf(await send(`/v1/jobs/${job}/events`));
  assert.deepEqual(
    progress.map(({ name }) => name),
    ["end"],
  );
  await send(`/api/ingest/progress?jobId=${job}`);
  await send(`/v1/jobs/${job}/retry`, { method: "POST" });
  await send("/v1/jobs", jsonBody({ paths: [join(folder, "note.md")], collection: "general_knowledge" }));
  await send("/ingest", jsonBody({ file_path: join(folder, "note.md") }));
  await send("/api/documents/ingest", jsonBody({ path: folder }));
  assert.deepEqual(await refusal(await send("/api/documents/ingest", { method: "POST" })), [
    400,
    "REQUEST_INVALID",
  ]);
  const form = new FormData();
  form.append("file", new Blob(["# Form\n"]), "form.md");
  assert.equal((await send("/api/ingest/file", { method: "POST", body: form })).status, 202);
  await send("/api/ingest/reembed", jsonBody({ scope: "latest", collection: "nowhere" }));

  const room = await bodyOf(await send("/v1/chats", jsonBody({ name: "gate" })));
  assert.equal(list(room["rooms"])[0]?.["name"], "gate");
  await send("/v1/chats");
  await send("/v1/chats/gate/messages", jsonBody({ text: "What does the policy say?" }));
  const said = await eventsOf(await send("/v1/chats/gate/messages", jsonBody({ text: "…" }, stream)));
  assert.deepEqual(
    said.map(({ name }) => name),
    ["message-stored", "silent"],
  );
  await send("/v1/chats/gate/messages?limit=2");
  assert.deepEqual(await refusal(await send("/v1/chats/gate/socket")), [400, "REQUEST_INVALID"]);
  await send("/v1/chats/gate", { method: "DELETE" });

  await send("/v1/collections");
  await send("/v1/collections/company_policies");
  await send("/v1/agents");
  await send("/v1/agents/nobody");
  await send("/v1/tools");
  await send("/v1/principals");
  await send("/v1/principals", jsonBody({ name: "bob", departments: ["hr"] }));
  await send("/v1/principals/bob");
  await send("/v1/principals/bob", { ...jsonBody({ departments: [] }), method: "PATCH" });
  const rule = {
    effect: "allow",
    level: "read",
    subject_kind: "principal",
    subject: "bob",
    resource: "hr_private_docs",
  };
  const put = await bodyOf(await send("/v1/permissions", jsonBody(rule)));
  await send("/v1/permissions");
  const matrix = await bodyOf(await send("/v1/permissions/matrix?action=read"));
  assert.ok(list(matrix["principals"]).some(({ name }) => name === "bob"));
  await send("/v1/doctor");
  await send("/v1/permissions/explain?principal=bob&action=read&resource=hr_private_docs");
  await send("/v1/permissions/decisions?limit=2");
  await send(`/v1/permissions/${list(put["permissions"])[0]?.["id"]}`, { method: "DELETE" });
  await send("/v1/principals/bob", { method: "DELETE" });
  const runs = await bodyOf(await send("/v1/runs?limit=1"));
  await send(`/v1/runs/${list(runs["runs"])[0]?.["id"]}`);
  const page = await send(`/v1/runs/${answer["run_id"]}/export`);
  assert.match(await page.text(), /^<!doctype html>/);

  await send(
    "/v1/chat/completions",
    jsonBody({ model: "ragctl", messages: [{ role: "user", content: "What does the policy say?" }] }),
  );
  const written = await bodyOf(
    await send("/v1/responses", jsonBody({ model: "ragctl", input: "What does the policy say?" })),
  );
  assert.equal(list(written["output"]).at(-1)?.["type"], "message");
  await send("/v1/embeddings", jsonBody({ model: "fake", input: ["a pump", "a valve"] }));
  await send(`/v1/documents/${id}`, { method: "DELETE" });
  await send("/v1/collections/finance_private_docs", { method: "DELETE" });

  assert.deepEqual(
    routes.filter((route) => !tried.has(route)),
    [],
  );
});

test("the description is one that readers of OpenAPI 3.1 take", async (context) => {
  const { send } = await openSite(context);
  assert.equal(description["openapi"], "3.1.0");
  const served = await bodyOf(await send("/openapi.json", { key: "" }));
  assert.deepEqual(served, description);
  const references = JSON.stringify(served).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
  const { schemas } = (served as { components: { schemas: Record<string, unknown> } }).components;
  for (const [, name = ""] of references) assert.ok(name in schemas, name);
});

test("what may not be seen does not exist, by whichever route it is asked for", async (context) => {
  const { send, keyOf, world } = await openSite(context);
  const key = await keyOf("ada");
  const [hidden] = await world.core.app.documents(["hr_private_docs"], world.run("owner"));
  const { hits } = await world.core.app.search(
    { query: "x", topK: 50, collections: ["hr_private_docs"], mode: "hybrid" },
    world.run("owner"),
  );
  const [name, id, chunk] = [hidden?.name ?? "", hidden?.id ?? "", hits[0]?.chunk.id ?? ""];
  const ways = (document: string, collection: string, passage: string): readonly [string, RequestInit?][] => [
    [`/v1/documents/${document}`],
    [`/v1/documents/${document}`, { method: "DELETE" }],
    [`/v1/documents/${document}/original`],
    [`/v1/documents/${document}/pages/1`],
    [`/v1/documents/${document}/versions`],
    [`/v1/documents/${document}/similar`],
    [`/v1/documents/${document}/diff`],
    [`/v1/documents/${document}/restore`, jsonBody({ version: 1 })],
    [`/v1/documents?collection=${collection}`],
    [`/v1/passages/${passage}`],
    [`/v1/collections/${collection}`],
    [`/v1/collections/${collection}`, { method: "DELETE" }],
    [
      "/v1/search",
      jsonBody({ query: "How many days of leave do employees get?", collections: [collection] }),
    ],
    ["/v1/ask", jsonBody({ query: "How many days of leave do employees get?", collections: [collection] })],
    [
      "/v1/ask",
      jsonBody({ query: "How many days of leave do employees get?", collections: [collection] }, stream),
    ],
    [`/v1/documents?name=a.md&collection=${collection}`, { method: "POST", body: "a" }],
    ["/v1/jobs", jsonBody({ paths: ["/documents/a.md"], collection })],
    ["/api/ingest/reembed", jsonBody({ collection })],
  ];
  const absent = ways("absent.md", "absent_docs", "abcdef-0");
  for (const [index, [path, init]] of [
    ...ways(name, "hr_private_docs", chunk),
    ...ways(id, "hr_private_docs", chunk),
  ].entries()) {
    const [otherPath, otherInit] = absent[index % absent.length] ?? ["/"];
    const [forbidden, missing] = [
      await send(path, { key, ...init }),
      await send(otherPath, { key, ...otherInit }),
    ];
    const typed = (text: string): string =>
      text
        .replaceAll(name, "X")
        .replaceAll(id, "X")
        .replaceAll(chunk, "X")
        .replaceAll("hr_private_docs", "X")
        .replaceAll("absent.md", "X")
        .replaceAll("absent_docs", "X")
        .replaceAll("abcdef-0", "X")
        .replace(/"duration_ms":[\d.e-]+/g, "");
    // A stream has begun when the graph learns of it; its last event says the same.
    const streams = forbidden.headers.get("content-type")?.startsWith("text/event-stream");
    assert.equal(forbidden.status, streams === true ? 200 : 404, `${init?.method ?? "GET"} ${path}`);
    assert.equal(typed(await forbidden.text()), typed(await missing.text()), path);
  }
  for (const path of ["/v1/documents", "/v1/collections", "/v1/runs", "/v1/jobs", "/api/documents/stats"]) {
    const text = await (await send(path, { key })).text();
    for (const [collection, instance] of places)
      if (instance === "private")
        assert.ok(!text.includes(secretOf(collection)) && !text.includes(collection), path);
  }
});

test("only the owner sees the matrix and the checks of the machine", async (context) => {
  const { send, keyOf } = await openSite(context);
  const key = await keyOf("ada");
  for (const path of ["/v1/permissions/matrix", "/v1/doctor"])
    assert.deepEqual(await refusal(await send(path, { key })), [403, "PERMISSION_DENIED"], path);
});

test("an upload lands in its collection's folder and its document gives the same bytes back", async (context) => {
  const { send, world } = await openSite(context);
  const bytes = Buffer.from("# Leave\n\nEmployees get twelve weeks of leave.\n");
  const upload = await bodyOf(
    await send(`/v1/documents?collection=hr_private_docs&name=${encodeURIComponent("../../../leave.md")}`, {
      method: "POST",
      body: bytes,
    }),
  );
  assert.deepEqual([upload["name"], upload["size_bytes"]], ["leave.md", bytes.length]);
  const owner = world.run("owner");
  for await (const event of world.core.app.background.work({ once: true }, owner))
    if (event.type === "job-end") assert.equal(event.job.state, "done", JSON.stringify(event.job.error));
  const original = await send("/v1/documents/leave.md/original");
  assert.equal(original.status, 200);
  assert.equal(original.headers.get("content-type"), "application/octet-stream");
  const got = Buffer.from(await original.arrayBuffer());
  assert.equal(
    createHash("sha256").update(got).digest("hex"),
    createHash("sha256").update(bytes).digest("hex"),
  );
  const part = await send("/v1/documents/leave.md/original", { headers: { range: "bytes=2-6" } });
  assert.deepEqual([part.status, await part.text()], [206, "Leave"]);
  assert.equal(
    (await send("/v1/documents/leave.md/original", { headers: { range: "bytes=900-" } })).status,
    416,
  );
  const etag = original.headers.get("etag") ?? "";
  const asked = (headers: Record<string, string>): Promise<Response> =>
    send("/v1/documents/leave.md/original", { headers });
  const same = await asked({ "if-none-match": `"other", W/${etag}` });
  assert.deepEqual([same.status, await same.text(), same.headers.get("etag")], [304, "", etag]);
  assert.equal((await asked({ "if-none-match": '"other"' })).status, 200);
  // A part of this file does not complete what a client has of another.
  const range = "bytes=2-6";
  assert.equal((await asked({ range, "if-range": '"other"' })).status, 200);
  assert.equal((await asked({ range, "if-range": etag })).status, 206);
  const path = join(world.core.settings.home, "uploads", "private", "hr_private_docs", "leave.md");
  await writeFile(path, "something else");
  assert.deepEqual(await refusal(await send("/v1/documents/leave.md/original")), [409, "SOURCE_CHANGED"]);
});

test("the description has the socket of a room with its messages, and /mcp where it is served", () => {
  const socket = z.object({
    get: z.object({
      "x-messages": z.object({
        sent: z.object({ required: z.array(z.string()) }),
        received: z.record(z.string(), z.unknown()),
      }),
    }),
  });
  const { paths } = z
    .object({
      paths: z.looseObject({
        "/v1/chats/{chat}/socket": socket,
        "/mcp": z.looseObject({ post: z.looseObject({}) }),
      }),
    })
    .parse(openApi(listEndpoints(true), "0.0.0", "ragctl_session_7070"));
  const { sent, received } = paths["/v1/chats/{chat}/socket"].get["x-messages"];
  assert.deepEqual(sent.required, ["type", "text"]);
  for (const type of ["message-stored", "answer-end", "silent", "message", "error"])
    assert.ok(type in received, type);
});

test("a model that no collection can be embedded with is an error, not a list of failures", async (context) => {
  const { app } = await openSite(context);
  async function* reembed({ collection }: ReembedRequest): AsyncGenerator<ReembedEvent> {
    if (collection !== "company_policies") throw new RagctlError("NOT_FOUND", "no model is called nope");
    yield* [];
  }
  const { send } = await openSite(context, { app: { ...app, background: { ...app.background, reembed } } });
  const anew = (body: object) => send("/api/ingest/reembed", jsonBody({ model: "nope", ...body }));
  assert.deepEqual(await refusal(await anew({})), [404, "NOT_FOUND"]);
  assert.deepEqual(await refusal(await anew({ collection: "hr_private_docs" })), [404, "NOT_FOUND"]);
  assert.equal((await anew({ collection: "company_policies" })).status, 200);
});

test("a model that there is not is an error also where there is no collection to embed", async (context) => {
  const { app } = await openSite(context);
  const checkModel = async (id: string) => {
    throw new RagctlError("NOT_FOUND", `there is no model "${id}"`);
  };
  const background = { ...app.background, checkModel };
  const { send } = await openSite(context, { app: { ...app, background, collections: async () => [] } });
  const anew = (body: object) => send("/api/ingest/reembed", jsonBody(body));
  assert.deepEqual(await refusal(await anew({ model: "nope" })), [404, "NOT_FOUND"]);
  assert.equal((await anew({})).status, 200);
});
