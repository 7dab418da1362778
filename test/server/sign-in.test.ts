import assert from "node:assert/strict";
import { randomBytes, scryptSync } from "node:crypto";
import { test } from "node:test";
import { createKeyRepository } from "../../src/registry/company/keys.ts";
import { createHandler } from "../../src/server/handler.ts";
import { createAllowedHosts } from "../../src/server/hosts.ts";
import { createAuthenticator } from "../../src/server/sign-in/authenticator.ts";
import { bodyOf, jsonBody, linkKey, openSite, origin, refusal } from "./support.ts";

const cookieOf = (response: Response): string => response.headers.get("set-cookie")?.split(";")[0] ?? "";

test("nothing but health and the page is answered without a key", async (context) => {
  const { send } = await openSite(context);
  assert.equal((await send("/health", { key: "" })).status, 200);
  assert.equal((await send("/ready", { key: "" })).status, 200);
  for (const path of ["/v1/session", "/v1/documents", "/v1/jobs", "/metrics", "/v1/documents/x/original"])
    assert.deepEqual(await refusal(await send(path, { key: "" })), [401, "SIGN_IN_REQUIRED"], path);
  assert.deepEqual(await refusal(await send("/v1/search", { key: "", ...jsonBody({ query: "x" }) })), [
    401,
    "SIGN_IN_REQUIRED",
  ]);
});

test("a key lets its principal in until it is revoked, and only its hash is kept", async (context) => {
  const { keyOf, send, app, world } = await openSite(context);
  const key = await keyOf("ada");
  const session = await bodyOf(await send("/v1/session", { key }));
  assert.equal(session["principal"], "ada");
  assert.equal(session["signed_in_by"], "key");
  const [record] = await app.keys.list("ada", world.run("owner"));
  assert.ok(record?.lastUsedAt);
  const kept = JSON.stringify(await world.registry.statement("SELECT * FROM api_keys").all());
  assert.ok(!kept.includes(key.slice(-20)));
  await app.keys.revoke(record.id, world.run("owner"));
  assert.deepEqual(await refusal(await send("/v1/session", { key })), [401, "SIGN_IN_REQUIRED"]);
});

test("a key of a disabled or removed principal lets nobody in", async (context) => {
  const { keyOf, send, app, world } = await openSite(context);
  const [ada, bob] = [await keyOf("ada"), await keyOf("bob")];
  await app.permissions.setPrincipal("ada", { enabled: false }, world.run("owner"));
  await app.permissions.removePrincipal("bob", world.run("owner"));
  for (const key of [ada, bob]) assert.equal((await send("/v1/documents", { key })).status, 401);
});

test("the printed link becomes a cookie that scripts cannot read, and changes need its token", async (context) => {
  const { handler } = await openSite(context);
  const opened = await handler.request(`${origin}/?key=${linkKey}`);
  assert.deepEqual([opened.status, opened.headers.get("location")], [303, "/"]);
  const header = opened.headers.get("set-cookie") ?? "";
  assert.match(header, /; HttpOnly/);
  assert.match(header, /; SameSite=Strict/);
  const cookie = cookieOf(opened);
  const session = await bodyOf(await handler.request(`${origin}/v1/session`, { headers: { cookie } }));
  assert.equal(session["principal"], "owner");
  const ask = jsonBody({ query: "policy" });
  const without = await handler.request(`${origin}/v1/search`, {
    ...ask,
    headers: { "content-type": "application/json", cookie },
  });
  assert.deepEqual(await refusal(without), [403, "REQUEST_REFUSED"]);
  const token = String(session["csrf_token"]);
  const changing = { "content-type": "application/json", cookie, "x-csrf-token": token };
  assert.equal((await handler.request(`${origin}/v1/search`, { ...ask, headers: changing })).status, 200);
  const out = await handler.request(`${origin}/v1/session`, { method: "DELETE", headers: changing });
  assert.equal(out.status, 204);
  assert.equal((await handler.request(`${origin}/v1/session`, { headers: { cookie } })).status, 401);
});

test("two servers of a machine keep their sessions apart in one browser", async (context) => {
  const site = await openSite(context);
  const hosts = createAllowedHosts({ host: "127.0.0.1", port: 7071, tls: false }, []);
  const auth = createAuthenticator({
    keys: site.app.keys,
    hosts,
    secure: false,
    link: { key: linkKey, principal: "owner", isOwner: true },
    checkPrincipal: async (name) => name,
  });
  const other = createHandler({ ...site.server, hosts, auth }, { behindProxy: false, tls: false });
  const at = "http://127.0.0.1:7071";
  const mine = cookieOf(await site.handler.request(`${origin}/?key=${linkKey}`));
  const theirs = cookieOf(await other.request(`${at}/?key=${linkKey}`));
  const names = [mine, theirs].map((cookie) => cookie.split("=")[0]);
  assert.deepEqual(names, ["ragctl_session_7070", "ragctl_session_7071"]);
  // A browser sends the cookies of both ports to each.
  const headers = { cookie: `${mine}; ${theirs}` };
  assert.equal((await site.handler.request(`${origin}/v1/session`, { headers })).status, 200);
  assert.equal((await other.request(`${at}/v1/session`, { headers })).status, 200);
  const description = await bodyOf(await other.request(`${at}/openapi.json`, { headers }));
  const { securitySchemes } = description["components"] as {
    readonly securitySchemes: { readonly session: { readonly name: string } };
  };
  assert.equal(securitySchemes.session.name, "ragctl_session_7071");
});

test("a page of another site opens the printed link, but signs nobody in by a key of its own choice", async (context) => {
  const { handler, keyOf } = await openSite(context);
  const follow = (key: string, site: string): Response | Promise<Response> =>
    handler.request(`${origin}/?key=${key}`, {
      headers: { "sec-fetch-site": site, "sec-fetch-mode": "navigate" },
    });
  const key = await keyOf("ada");
  for (const site of ["cross-site", "same-site"]) {
    const response = await follow(key, site);
    assert.deepEqual([response.status, response.headers.get("set-cookie")], [403, null], site);
  }
  // Nor does it lock the address out.
  for (let i = 0; i < 12; i++) assert.equal((await follow(`wrong${i}`, "cross-site")).status, 403);
  assert.equal((await follow(key, "none")).status, 303);
  assert.equal((await follow(linkKey, "cross-site")).status, 303);
});

test("a session ends with the key that opened it", async (context) => {
  const { handler, keyOf, app, world } = await openSite(context);
  const opened = await handler.request(`${origin}/v1/session`, jsonBody({ key: await keyOf("ada") }));
  const cookie = cookieOf(opened);
  assert.equal((await handler.request(`${origin}/v1/documents`, { headers: { cookie } })).status, 200);
  const [record] = await app.keys.list("ada", world.run("owner"));
  await app.keys.revoke(record?.id ?? "", world.run("owner"));
  assert.equal((await handler.request(`${origin}/v1/documents`, { headers: { cookie } })).status, 401);
});

/** A key of that id with another secret. */
const wrong = (id: string, at = 0): string => `ragctl_${id}_${String(at).padStart(43, "x")}`;

test("an address that guesses is locked out, while valid keys come in, used before or not", async (context) => {
  const { keyOf, send, app, world } = await openSite(context);
  const [used, fresh] = [await keyOf("ada"), await keyOf("bob")];
  await send("/v1/documents", { key: used });
  const guess = () => send("/v1/documents", { key: wrong("0".repeat(12)) });
  const statuses = [];
  for (let i = 0; i < 11; i++) statuses.push((await guess()).status);
  assert.deepEqual(statuses, [...new Array(10).fill(401), 429]);
  assert.ok(Number((await guess()).headers.get("retry-after")) > 0);
  for (const key of [used, fresh]) assert.equal((await send("/v1/documents", { key })).status, 200);
  const outcomes = (await app.keys.signIns(20, world.run("owner"))).map(({ outcome }) => outcome);
  assert.deepEqual([outcomes[0], outcomes.filter((each) => each === "refused").length], ["locked-out", 9]);
});

test("who guesses a key that is there is locked out, also all at once, and never the key", async (context) => {
  const { keyOf, send } = await openSite(context);
  const key = await keyOf("ada");
  const [, id = ""] = key.split("_");
  const guess = (at: number) => send("/v1/documents", { key: wrong(id, at) });
  const both = await Promise.all(
    Array.from({ length: 100 }, (_, at) => Promise.all([guess(at), send("/v1/documents", { key })])),
  );
  assert.equal(both.filter(([guessed]) => guessed.status === 401).length, 10);
  assert.deepEqual(new Set(both.map(([, valid]) => valid.status)), new Set([200]));
  assert.equal((await guess(100)).status, 429);
});

test("a key of an earlier release is checked slowly until it is used, few at once", async (context) => {
  const { keyOf, app, world } = await openSite(context);
  const key = await keyOf("ada");
  const [, id = ""] = key.split("_");
  const salt = randomBytes(16);
  const keys = createKeyRepository(world.registry);
  await keys.rehash(id, { salt, hash: scryptSync(key.slice(-43), salt, 32) });
  const ended = await Promise.allSettled(
    Array.from({ length: 60 }, (_, at) => app.keys.identify(wrong(id, at))),
  );
  const busy = ended.filter((each) => each.status === "rejected");
  assert.deepEqual(
    busy.map(({ reason }) => reason.code),
    new Array(8).fill("SERVER_BUSY"),
  );
  assert.equal((await app.keys.identify(key))?.principal, "ada");
  assert.equal((await keys.find(id))?.salt.length, 0);
  assert.equal((await app.keys.identify(key))?.principal, "ada");
});

test("only a key that may do so acts as somebody else, and that is written down", async (context) => {
  const { keyOf, send, app, world } = await openSite(context);
  const [plain, proxy] = [await keyOf("ada"), await keyOf("gate", { mayImpersonate: true })];
  const as = { headers: { "x-ragctl-as": "ada" } };
  assert.equal((await bodyOf(await send("/v1/session", { key: proxy, ...as })))["principal"], "ada");
  const [event] = await app.keys.signIns(1, world.run("owner"));
  assert.deepEqual([event?.outcome, event?.principal, event?.actingAs], ["acting-as", "gate", "ada"]);
  const other = await send("/v1/session", { key: plain, headers: { "x-ragctl-as": "owner" } });
  assert.deepEqual(await refusal(other), [403, "REQUEST_REFUSED"]);
});

test("a request under a foreign name or from a foreign page is refused before anything else", async (context) => {
  const { handler } = await openSite(context);
  const authorization = `Bearer ${linkKey}`;
  const statusOf = async (headers: Record<string, string>, base = origin): Promise<number> =>
    (await handler.request(`${base}/v1/documents`, { headers: { authorization, ...headers } })).status;
  assert.equal(await statusOf({}), 200);
  assert.equal(await statusOf({ host: "localhost:7070" }), 200);
  assert.equal(await statusOf({ host: "evil.example:7070" }), 403);
  assert.equal(await statusOf({ host: "127.0.0.1:7071" }), 403);
  assert.equal(await statusOf({}, "http://evil.example:7070"), 403);
  assert.equal(await statusOf({ origin: "http://evil.example" }), 403);
  assert.equal(await statusOf({ origin: "null" }), 403);
  assert.equal(await statusOf({ origin }), 200);
  assert.equal(await statusOf({ "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await statusOf({ "sec-fetch-site": "same-origin" }), 200);
});

test("every answer carries the headers that keep a page to itself", async (context) => {
  const { send } = await openSite(context);
  for (const path of ["/health", "/v1/documents", "/nowhere"]) {
    const { headers } = await send(path);
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe-inline/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("x-frame-options"), "DENY");
  }
});
