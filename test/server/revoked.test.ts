import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import type { ServedApp } from "../../src/app/serving.ts";
import { openRoomSocket } from "../../src/server/rooms/socket.ts";
import { jsonBody, openSite, origin } from "./support.ts";

test("messages that wait for their turn in a room are not said once their key is revoked", async (context) => {
  const { app, server, world, keyOf } = await openSite(context);
  const owner = world.run("owner");
  const chat = await app.chat();
  await chat.open("gate", "private", owner);
  const key = await keyOf("ada");
  const rule = { subjectKind: "principal", subject: "ada", effect: "allow", resourceKind: "room" } as const;
  await world.core.permissions.put({ ...rule, resource: "gate", level: "write" });
  const headers = { authorization: `Bearer ${key}` };
  const visitor =
    (await server.auth.visitor(new Request(origin, { headers }), "127.0.0.1")) ?? assert.fail("no visitor");
  const { promise: revoked, resolve: revoke } = Promise.withResolvers<void>();
  /** The first answer takes until the key is revoked. */
  const slow: ServedApp = {
    ...app,
    chat: async () => ({
      ...chat,
      async *say(...said) {
        yield* chat.say(...said);
        await revoked;
      },
    }),
  };
  const room = await openRoomSocket("gate", {
    request: new Request(origin),
    visitor,
    run: world.run("ada"),
    server: { ...server, app: slow },
    leave: () => undefined,
  });
  const nothing = () => undefined;
  const socket = {
    readyState: 1,
    OPEN: 1,
    bufferedAmount: 0,
    on: nothing,
    send: nothing,
    terminate: nothing,
  };
  // The socket uses no more of it.
  room.opened({ ...socket, close: () => room.closed() } as unknown as WebSocket);
  for (let at = 0; at < 5; at++) room.received(JSON.stringify({ type: "say", text: `Message ${at}` }));
  const said = async () =>
    (await chat.history("gate", 50, owner)).filter(({ type }) => type === "user").length;
  while ((await said()) === 0) await sleep(5);
  for (const { id } of await app.keys.list("ada", owner)) await app.keys.revoke(id, owner);
  revoke();
  await sleep(300);
  assert.equal(await said(), 1);
});

test("questions beyond those that one person may have under way are refused before they begin", async (context) => {
  const { app } = await openSite(context);
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
  let begun = 0;
  const site = await openSite(context, {
    app: {
      ...app,
      // biome-ignore lint/correctness/useYield: it fails before it has an event.
      async *ask() {
        begun += 1;
        await failed;
        throw new Error("the model failed");
      },
    },
  });
  const sent = Array.from({ length: 24 }, () => site.send("/v1/ask", jsonBody({ query: "What?" })));
  await sleep(200);
  assert.equal(begun, 16);
  fail();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 429).length, 8);
});
