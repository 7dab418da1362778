import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocket } from "ws";
import type { Chat } from "../../src/app/ask/chat.ts";
import { until } from "../cli/support.ts";
import { jsonBody, openSocketSite, servedApp } from "./support.ts";

test("a stop lets an answer in a room end before its socket, takes nothing new there, and closes idle ones at once", async (context) => {
  const begun = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const site: Awaited<ReturnType<typeof openSocketSite>> = await openSocketSite(context, {
    // A room whose answer waits until it is told to go on.
    async chat(): Promise<Chat> {
      const chat = await servedApp(site.world.core).chat();
      return {
        ...chat,
        async *say(request, run) {
          for await (const event of chat.say(request, run)) {
            yield event;
            begun.resolve();
            await going.promise;
          }
        },
      };
    },
  });
  const { send, running, url, authorization } = site;
  await send("/v1/chats", jsonBody({ name: "gate" }));
  const open = async () => {
    const types: string[] = [];
    const address = `${url.replace("http", "ws")}/v1/chats/gate/socket`;
    const socket = new WebSocket(address, { headers: { authorization } });
    socket.on("message", (data) => types.push((JSON.parse(data.toString()) as { type: string }).type));
    const closed = new Promise<number>((resolve) => socket.once("close", resolve));
    await new Promise((resolve) => socket.once("open", resolve));
    return { socket, types, closed };
  };
  const [busy, idle] = [await open(), await open()];
  const say = () => busy.socket.send(JSON.stringify({ type: "say", text: "What does the policy say?" }));
  say();
  await begun.promise;
  const stopped = running.stop();
  assert.equal(await idle.closed, 1001);
  assert.equal(busy.socket.readyState, WebSocket.OPEN);
  say();
  assert.ok(await until(() => busy.types.includes("error")), "nothing new is taken");
  going.resolve();
  assert.equal(await busy.closed, 1001);
  assert.ok(busy.types.includes("answer-end"));
  await stopped;
  const chat = await servedApp(site.world.core).chat();
  const said = (await chat.history("gate", 9, site.world.run("owner"))).map(({ type }) => type);
  assert.deepEqual(said, ["user", "assistant"]);
});
