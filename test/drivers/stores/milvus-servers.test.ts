import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { seeded } from "../../../scripts/bench/support.ts";
import { type MilvusServer, startMilvus } from "../../../scripts/servers/milvus.ts";
import { matchAllFilter, type WriteTimes } from "../../../src/core/retrieval.ts";
import openStore, { createStore, type StoreOptions } from "../../../src/drivers/stores/milvus.ts";
import { type Connection, connect } from "../../../src/drivers/stores/milvus-connection.ts";
import { chunkOf, collect, dimensions, embedded, storeContract, vectorOf } from "../../contracts/store.ts";
import { milvusFixture, servers, skipMilvus } from "../../helpers/milvus-servers.ts";

const { signal } = new AbortController();
/** ConsistencyLevel of the protocol. */
const [strong, session] = [0, 1];

/** Times of writes as the registry keeps them for all processes. */
function sharedTimes(): { readonly times: Map<string, number>; readonly writes: WriteTimes } {
  const times = new Map<string, number>();
  return {
    times,
    writes: {
      of: async (name) => times.get(name),
      note: async (name, ms) => {
        times.set(name, ms);
      },
    },
  };
}

/** A connection that notes the consistency level of each search and query of rows, in their order. */
function noting({ call, ...rest }: Connection, levels: unknown[]): Connection {
  return {
    ...rest,
    call: (what, use) =>
      call(what, (client) =>
        use(
          new Proxy(client, {
            get(target, name) {
              const member: unknown = Reflect.get(target, name);
              if (typeof member !== "function") return member;
              return (request: unknown, ...more: unknown[]) => {
                if (name === "search" || name === "query") levels.push(Object(request)["consistency_level"]);
                return member.call(target, request, ...more);
              };
            },
          }),
        ),
      ),
  };
}

for (const kind of ["standalone", "lite"] as const) {
  describe(`a real ${kind} Milvus`, { skip: skipMilvus(kind) }, () => {
    const fixture = milvusFixture(kind);
    let server: MilvusServer | undefined;
    before(async () => {
      server = await startMilvus(servers, kind, fixture.data);
    });
    after(async () => {
      await server?.stop();
      await fixture.dispose();
    });
    const lexicalIndex = async () => (await fixture.lexicalIndexes()).of("server");
    const open = (options: StoreOptions = {}) =>
      openStore({ id: "server", uri: server?.uri ?? "", lexicalIndex, ...options });

    it("is waited for while it starts", async () => {
      await using store = open({ startTimeoutMs: 120_000 });
      assert.deepEqual(await store.collections(), []);
      await server?.healthy;
    });

    for (const lexical of ["bm25", "sparse"] as const) {
      const searchedBy = kind === "standalone" ? "bm25" : lexical;
      storeContract(`${kind} Milvus with ${lexical}`, lexical, open, false, searchedBy);
    }

    it("is searched for what another process wrote last, and need not be asked for what comes after it", {
      skip: kind === "lite" ? "it does not say when it wrote" : false,
    }, async () => {
      const { times, writes } = sharedTimes();
      const spec = { name: "fresh", dimensions, lexical: "bm25", fingerprint: "f" } as const;
      await using writer = open({ writes });
      await using reader = open({ writes });
      await writer.ensure(spec);
      for (let at = 0; at < 10; at++) {
        await writer.write(spec.name, [embedded(chunkOf(at))]);
        const query = { dense: vectorOf(at), limit: 1, filter: matchAllFilter };
        const { dense } = await reader.search(spec.name, query, signal);
        assert.equal(dense[0]?.chunk.id, `v1-${at}`);
      }
      // By the clock of the server, which is this machine's.
      const written = times.get(spec.name) ?? 0;
      assert.ok(written > Date.now() - 60_000 && written <= Date.now() + 1000, `${written}`);
      await writer.delete(spec.name, { field: "id", in: ["v1-9"] });
      const query = { dense: vectorOf(9), limit: 20, filter: matchAllFilter };
      const { dense } = await reader.search(spec.name, query, signal);
      assert.equal(dense.length, 9);
    });

    it("is read strongly only where no write is known, or a time that the server does not come to", {
      skip: kind === "lite" ? "it does not say when it wrote" : false,
    }, async () => {
      const { times, writes } = sharedTimes();
      const spec = { name: "levels", dimensions, lexical: "bm25", fingerprint: "f" } as const;
      const levels: unknown[] = [];
      const connecting = async () => noting(await connect({ id: "server", uri: server?.uri ?? "" }), levels);
      await using store = createStore("server", connecting, { lexicalIndex, writes });
      await store.ensure(spec);
      await store.write(spec.name, [embedded(chunkOf(0))]);
      const query = { dense: vectorOf(0), text: "text", limit: 1, filter: matchAllFilter };
      const levelsOf = async (): Promise<ReadonlySet<unknown>> => {
        levels.length = 0;
        assert.equal((await store.search(spec.name, query, signal)).dense.length, 1);
        assert.equal((await collect(store.list(spec.name, matchAllFilter))).length, 1);
        return new Set(levels);
      };
      assert.deepEqual(await levelsOf(), new Set([session]));
      times.set(spec.name, Date.now() + 3_600_000);
      assert.deepEqual(await levelsOf(), new Set([session, strong]));
      times.clear();
      assert.deepEqual(await levelsOf(), new Set([strong]));
    });

    it("finds the nearest of many rows right after they were written", async () => {
      const spec = { name: "many", dimensions: 64, lexical: "bm25", fingerprint: "f" } as const;
      const random = seeded(7);
      const vector = () => Float32Array.from({ length: spec.dimensions }, () => random() - 0.5);
      const vectors = Array.from({ length: 10_000 }, vector);
      await using store = open(sharedTimes());
      await store.ensure(spec);
      const chunks = vectors.map((dense, at) => ({ chunk: chunkOf(at), embedding: { dense } }));
      for (let at = 0; at < chunks.length; at += 1000)
        await store.write(spec.name, chunks.slice(at, at + 1000));
      let found = 0;
      for (let asked = 0; asked < 20; asked++) {
        const dense = vector();
        const scores = vectors.map((each) =>
          each.reduce((sum, value, at) => sum + value * (dense[at] ?? 0), 0),
        );
        const tenth = scores.toSorted((one, two) => two - one)[9] ?? 0;
        const result = await store.search(spec.name, { dense, limit: 200, filter: matchAllFilter }, signal);
        found += result.dense.slice(0, 10).filter(({ score }) => score >= tenth - 1e-5).length;
      }
      assert.ok(found >= 198, `${found} of 200`);
    });

    it("has the index, the metric and the partitions that are asked for, and finds by each", async () => {
      const chosen: readonly StoreOptions[] = [
        { indexKind: "flat", metric: "COSINE" },
        { indexKind: "ivf_flat", metric: "IP", nprobe: 128 },
        { indexKind: "hnsw", metric: "COSINE", consistency: "bounded" },
        ...(kind === "lite" ? [{ partitionBy: "department" } as const] : []),
      ];
      for (const [at, options] of chosen.entries()) {
        const spec = { name: `index_${at}`, dimensions, lexical: "bm25", fingerprint: "f" } as const;
        await using store = open(options);
        await store.ensure(spec);
        const chunks = Array.from({ length: 200 }, (_, i) => chunkOf(i, { department: `d${i % 3}` }));
        await store.write(
          spec.name,
          chunks.map((chunk) => embedded(chunk)),
        );
        // Another process, whose settings differ: it goes by what the collection has.
        await using other = open({ indexKind: "flat" });
        const filter = { field: "department", in: ["d1"] } as const;
        const { dense } = await other.search(spec.name, { dense: vectorOf(7), limit: 3, filter }, signal);
        assert.deepEqual([dense[0]?.chunk.id, dense[0]?.score.toFixed(4)], ["v1-7", "1.0000"], `${at}`);
        assert.ok(dense.every(({ chunk }) => chunk.department === "d1"));
      }
    });

    it("is not asked for partitions in which it would not find again what is upserted", {
      skip: kind === "lite" ? "it finds it" : false,
    }, async () => {
      await using store = open({ partitionBy: "department" });
      await assert.rejects(
        store.ensure({ name: "partitions", dimensions, lexical: "bm25", fingerprint: "f" }),
        /does not support partitions by department/,
      );
      assert.ok(!(await store.collections()).some(({ name }) => name === "partitions"));
    });

    it("gives back vectors and weights as they were written, so that a collection can be copied", async () => {
      for (const lexical of ["bm25", "sparse"] as const) {
        const spec = { name: `copy_${lexical}`, dimensions, lexical, fingerprint: "f" };
        await using store = open();
        await store.ensure(spec);
        const written = [0, 1, 2].map((at) => embedded(chunkOf(at)));
        await store.write(spec.name, written);
        const ids = await store.ids(spec.name);
        assert.deepEqual([...ids].sort(), ["v1-0", "v1-1", "v1-2"]);
        const rows = (await store.rows(spec.name, ids)).toSorted((a, b) => a.chunk.ordinal - b.chunk.ordinal);
        const keepsWeights = lexical === "sparse" && kind === "lite";
        assert.deepEqual(
          rows,
          written.map(({ chunk, embedding: { dense, sparse } }) => ({
            chunk,
            embedding: keepsWeights ? { dense, sparse } : { dense },
          })),
        );
      }
    });

    it("is searched by words that were lost, that another machine wrote, and not by those of chunks that are gone", {
      skip: kind === "lite" ? "it has words of its own" : false,
    }, async () => {
      const spec = { name: "steps", dimensions, lexical: "bm25", fingerprint: "f" } as const;
      const words = await lexicalIndex();
      const found = async (text: string) => {
        await using store = open();
        const query = { text, limit: 5, filter: matchAllFilter };
        return (await store.search(spec.name, query, signal)).lexical.map(({ chunk }) => chunk.id);
      };
      {
        await using store = open();
        await store.ensure(spec);
        await store.write(
          spec.name,
          ["alpha", "bravo"].map((text, at) => embedded(chunkOf(at, { text }))),
        );
      }
      words.drop(spec.name);
      assert.deepEqual(await found("bravo"), ["v1-1"]);
      const indexes = await fixture.lexicalIndexes();
      {
        await using elsewhere = open({ lexicalIndex: async () => indexes.of("another machine") });
        await elsewhere.write(spec.name, [embedded(chunkOf(2, { text: "charlie" }))]);
      }
      assert.deepEqual(await found("charlie"), ["v1-2"]);
      {
        await using elsewhere = open({ lexicalIndex: async () => indexes.of("another machine") });
        await elsewhere.delete(spec.name, { field: "id", in: ["v1-1", "v1-2"] });
      }
      assert.deepEqual([await found("bravo"), await found("alpha")], [[], ["v1-0"]]);
      assert.deepEqual(words.ids(spec), ["v1-0"]);
      await using store = open();
      assert.equal((await collect(store.list(spec.name, matchAllFilter))).length, 1);
    });
  });
}
