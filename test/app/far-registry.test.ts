import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startDelayingProxy } from "../../scripts/servers/delay.ts";
import type { StoreResult, VectorStore } from "../../src/core/retrieval.ts";
import { copyRegistry } from "../../src/registry/exchange/copy.ts";
import { openRegistry } from "../../src/registry/registry.ts";
import { type PostgresServer, postgresMissing, startPostgres } from "../helpers/postgres.ts";
import { openCore, openWorld } from "./world.ts";

const collection = "hr_private_docs";
const question = {
  query: "what is in the documents",
  collections: [collection],
  topK: 5,
  mode: "hybrid",
  versions: "latest",
} as const;

/** A home over a registry on the server, reached through a proxy; ada may read a collection. */
async function farWorld(context: TestContext, server: PostgresServer) {
  const world = await openWorld(context);
  const address = new URL(server.address());
  const proxy = await startDelayingProxy(Number(address.port), 0);
  const other = await openRegistry(address.href);
  await copyRegistry(world.registry, other, "read");
  address.port = String(proxy.port);
  const registry = await openRegistry(`${address.href}&connect_timeout=1`);
  context.after(async () => {
    await registry.close();
    await other.close();
    await proxy.close();
  });
  const hooks = {
    searched: async (): Promise<void> => undefined,
    slow: async (_: string, found: StoreResult): Promise<StoreResult> => found,
  };
  const store: typeof world.parts.store = async (instance) => {
    const inner = await world.parts.store(instance);
    const search: VectorStore["search"] = async (...call) => {
      const found = await hooks.slow(call[0], await inner.search(...call));
      await hooks.searched();
      return found;
    };
    return { ...inner, search };
  };
  const core = openCore({ ...world.parts, registry, store });
  const run = (principal: string): ReturnType<typeof world.run> => {
    const { log, ...its } = world.run(principal);
    // Decisions are written in the background: a server that is down may be told of after the question.
    const warn = (message: string): void =>
      void (message.startsWith("decisions could not be recorded yet: ") || log.warn(message));
    return { ...its, log: { ...log, warn } };
  };
  const elsewhere = openCore({ ...world.parts, registry: other });
  await elsewhere.principals.add({ name: "ada" });
  const rule = {
    subjectKind: "principal",
    subject: "ada",
    effect: "allow",
    resource: collection,
    level: "read",
  } as const;
  await elsewhere.permissions.put(rule);
  const seen = async (query: string = question.query): Promise<readonly string[]> => {
    const { hits } = await core.app.search({ ...question, query }, run("ada"));
    return [...new Set(hits.map(({ chunk }) => chunk.collection))];
  };
  return { ...world, run, core, elsewhere, proxy, rule, hooks, seen };
}

test("a registry in PostgreSQL", { skip: postgresMissing }, async (suite) => {
  const server = await startPostgres(suite);

  await suite.test("is asked a few times for a search", async (context) => {
    const { proxy, seen } = await farWorld(context, server);
    for (let warm = 0; warm < 2; warm++) assert.deepEqual(await seen(), [collection]);
    const before = proxy.sent();
    await seen();
    const messages = proxy.sent() - before;
    assert.ok(messages <= 10, `${messages} messages`);
  });

  await suite.test("shows a right that was revoked elsewhere to the next question", async (context) => {
    const { elsewhere, rule, seen } = await farWorld(context, server);
    assert.deepEqual(await seen(), [collection]);
    const { level: _, ...which } = rule;
    await elsewhere.permissions.remove(which);
    await assert.rejects(seen(), { code: "NOT_FOUND" });
    await elsewhere.permissions.put(rule);
    assert.deepEqual(await seen(), [collection]);
    await elsewhere.principals.set("ada", { enabled: false });
    await assert.rejects(seen(), { code: "PERMISSION_DENIED" });
  });

  await suite.test("makes a room once where two machines enter it at the same time", async (context) => {
    const { core, elsewhere, run } = await farWorld(context, server);
    const chats = await Promise.all([core, elsewhere, core].map(({ app }) => app.chat()));
    for (const as of ["ada", "owner"]) {
      const entered = await Promise.all(chats.map((chat) => chat.enter(undefined, "private", run(as))));
      assert.equal(entered.filter(({ made }) => made).length, 1);
      assert.equal(new Set(entered.map(({ room }) => room.id)).size, 1);
    }
  });

  await suite.test("hides a document that is forgotten while another collection is slow", async (context) => {
    const { core, elsewhere, hooks, run } = await farWorld(context, server);
    const collections = [collection, "finance_private_docs"];
    const seen = async (query: string) =>
      (await core.app.search({ ...question, query, collections }, run("owner"))).hits.map(
        ({ chunk }) => chunk.collection,
      );
    assert.ok((await seen("what is in the documents")).includes(collection));
    hooks.slow = async (name, found) => {
      if (name === collection) return found;
      await sleep(200);
      for (const { id } of await elsewhere.documents.latest([collection]))
        await elsewhere.documents.forget(id);
      return { ...found, dense: [], lexical: [] };
    };
    assert.ok(!(await seen("what is there")).includes(collection));
  });

  await suite.test("is asked again for what the store brought back", async (context) => {
    const { elsewhere, rule, seen, hooks } = await farWorld(context, server);
    assert.deepEqual(await seen(), [collection]);
    const { level: _, ...which } = rule;
    hooks.searched = async () => {
      hooks.searched = async () => undefined;
      await elsewhere.permissions.remove(which);
    };
    assert.deepEqual(await seen("another question"), []);
  });

  await suite.test(
    "that restarts is an error or goes on, and nothing of before is believed",
    async (context) => {
      const { elsewhere, rule, seen, proxy } = await farWorld(context, server);
      assert.deepEqual(await seen(), [collection]);
      await proxy.cut();
      assert.deepEqual(
        await seen(),
        [collection],
        "a connection that was cut between questions is made again",
      );
      await server.stop();
      await assert.rejects(seen(), { code: "REGISTRY_UNAVAILABLE" });
      await server.start();
      assert.deepEqual(await seen(), [collection]);
      await elsewhere.permissions.put({ ...rule, effect: "deny" });
      await assert.rejects(seen(), { code: "NOT_FOUND" });
    },
  );

  await suite.test(
    "that is cut off while the store searches ends the question or goes on",
    async (context) => {
      const { elsewhere, rule, seen, proxy, hooks } = await farWorld(context, server);
      assert.deepEqual(await seen(), [collection]);
      hooks.searched = async () => {
        hooks.searched = async () => undefined;
        await elsewhere.permissions.put({ ...rule, effect: "deny" });
        await proxy.cut();
      };
      assert.deepEqual(await seen("another question"), []);
    },
  );
});
