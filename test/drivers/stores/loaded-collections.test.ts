import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { matchAllFilter } from "../../../src/core/retrieval.ts";
import { startLiteServer } from "../../../src/drivers/stores/lite-server.ts";
import { limitLoaded } from "../../../src/drivers/stores/loaded-collections.ts";
import { createStore } from "../../../src/drivers/stores/milvus.ts";
import { type Connection, connect } from "../../../src/drivers/stores/milvus-connection.ts";
import { chunkOf, embedded, liteRuntime, skipLite, vectorOf, withFolder } from "../../contracts/store.ts";

/**
 * Runs `use` with a store over a Milvus Lite of its own, with a count of the collections that it has loaded, and
 * with a connection like that of another process.
 */
async function withLite(
  use: (
    store: ReturnType<typeof createStore>,
    loaded: () => Promise<number>,
    connection: Connection,
  ) => Promise<void>,
  idleMs?: number,
): Promise<void> {
  await withFolder(async (home) => {
    const names = { id: "x", name: "x", runtime: liteRuntime, dataFolder: home, socketFolder: home };
    const server = await startLiteServer({ ...names, logPath: join(home, "x.log") });
    try {
      await using connection = await connect({ id: "x", uri: server.uri });
      const release = (name: string) =>
        connection.call("release", (client) => client.releaseCollection({ collection_name: name }));
      await using store = createStore("x", async () => {
        const own = await connect({ id: "x", uri: server.uri, isLite: true });
        return idleMs === undefined ? own : { ...own, use: limitLoaded(release, idleMs) };
      });
      const loaded = async () => {
        const found = (await store.collections()).map(({ name }) => name);
        const states = await Promise.all(
          found.map((name) =>
            connection.call("tell", (client) => client.getLoadState({ collection_name: name })),
          ),
        );
        return states.filter(({ state }) => state === "LoadStateLoaded").length;
      };
      await use(store, loaded, connection);
    } finally {
      await server.stop();
    }
  });
}

const names = Array.from({ length: 10 }, (_, index) => `c${index}`);

const query = (index: number) => ({ dense: vectorOf(index), limit: 3, filter: matchAllFilter });

it("holds six collections, more while they are searched at once, and six again afterwards", {
  skip: skipLite,
}, async () => {
  await withLite(async (store, loaded) => {
    for (const [index, name] of names.entries()) {
      await store.ensure({ name, dimensions: 8, lexical: "bm25", fingerprint: "f" });
      await store.write(name, [embedded(chunkOf(index))]);
    }
    assert.equal(await loaded(), 6);
    for (const name of names) {
      assert.equal(await store.count(name, matchAllFilter), 1);
      assert.equal((await Array.fromAsync(store.list(name, matchAllFilter))).length, 1);
    }
    assert.equal(await loaded(), 6);
    const search = async (name: string, index: number) =>
      (await store.search(name, query(index), AbortSignal.timeout(60_000))).dense.map(
        ({ chunk }) => chunk.id,
      );
    const asked = await Promise.all(
      Array.from({ length: 20 }).flatMap(() => names.map((name, index) => search(name, index))),
    );
    const expected = Array.from({ length: 20 }).flatMap(() => names.map((_, index) => [`v1-${index}`]));
    assert.deepEqual(asked, expected);
    for (let tries = 0; (await loaded()) > 6 && tries < 200; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(await loaded(), 6);
  }, 300);
});

it("holds others once loaded ones were dropped, by it or by another process", {
  skip: skipLite,
}, async () => {
  await withLite(async (store, loaded, connection) => {
    const make = async (name: string) => {
      await store.ensure({ name, dimensions: 8, lexical: "bm25", fingerprint: "f" });
      await store.write(name, [embedded(chunkOf(0))]);
    };
    for (const name of names.slice(0, 6)) await make(name);
    for (const name of names.slice(0, 2)) await store.drop(name);
    for (const name of names.slice(2, 4))
      await connection.call("drop", (client) => client.dropCollection({ collection_name: name }));
    assert.equal(await loaded(), 2);
    for (const name of names) {
      await make(name);
      assert.equal(await store.count(name, matchAllFilter), 1);
    }
    assert.equal(await loaded(), 6);
  });
});
