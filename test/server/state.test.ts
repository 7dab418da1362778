import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, openSite } from "./support.ts";

test("a server says without a key whether it takes work, and for what it waits", async (context) => {
  const { send, server, app } = await openSite(context);
  const ask = async () => {
    const response = await send("/ready", { key: "" });
    return [response.status, await bodyOf(response)] as const;
  };
  assert.deepEqual(await ask(), [200, { status: "ready" }]);
  const waiting = await openSite(context, { app: { ...app, readiness: async () => ["private store"] } });
  const response = await waiting.send("/ready", { key: "" });
  assert.equal(response.status, 503);
  assert.deepEqual(await bodyOf(response), { status: "waiting", waiting_for: ["private store"] });
  assert.equal(server.stopping.aborted, false);
});

test("a server that is stopping is not ready, and lives", async (context) => {
  const { send, stopping } = await openSite(context);
  stopping.abort();
  assert.equal((await send("/ready", { key: "" })).status, 503);
  assert.equal((await send("/health", { key: "" })).status, 200);
});
