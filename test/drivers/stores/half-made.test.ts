import assert from "node:assert/strict";
import { test } from "node:test";
import type { MilvusClient } from "@zilliz/milvus2-sdk-node";
import { RagctlError } from "../../../src/core/errors.ts";
import { createStore } from "../../../src/drivers/stores/milvus.ts";
import type { Connection } from "../../../src/drivers/stores/milvus-connection.ts";
import { creation } from "../../../src/drivers/stores/milvus-schema.ts";

const spec = { name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" } as const;

/**
 * A server of Milvus's protocol in memory, as far as making and loading collections goes; `did` is what
 * changed it.
 */
function standIn(
  options: { readonly version?: string; readonly refused?: string; readonly startsAfter?: number } = {},
) {
  const collections = new Map<string, { readonly description: string; readonly indexed: Set<string> }>();
  const did: string[] = [];
  let lists = 0;
  const client = {
    getVersion: async () => ({ version: options.version ?? "v2.5.4" }),
    async showCollections() {
      // What the SDK does with the empty body of a server that is not ready.
      if (++lists <= (options.startsAfter ?? 0)) throw new TypeError("Cannot read properties of undefined");
      return { data: [...collections.keys()].map((name) => ({ name })) };
    },
    async createCollection({
      collection_name: name,
      description,
    }: {
      collection_name: string;
      description: string;
    }) {
      did.push(`create ${name}`);
      collections.set(name, { description, indexed: new Set() });
    },
    async createIndex({
      collection_name: name,
      field_name: field,
    }: {
      collection_name: string;
      field_name: string;
    }) {
      if (field === options.refused)
        throw new RagctlError("STORE_FAILED", "create index on 104 field is not supported");
      did.push(`index ${field}`);
      collections.get(name)?.indexed.add(field);
    },
    async describeIndex({ collection_name: name }: { collection_name: string }) {
      const fields = [...(collections.get(name)?.indexed ?? [])];
      // As the connection reports what Milvus 2.3.5 and milvus-lite 3.2.2 answer; their words differ.
      if (fields.length === 0)
        throw new RagctlError("STORE_FAILED", "no index on it", { cause: new Error("Milvus code 700") });
      return { index_descriptions: fields.map((field) => ({ field_name: field, params: [] })) };
    },
    async describeCollection({ collection_name: name }: { collection_name: string }) {
      const fields = ["dense_vector", "sparse_vector"].map((each) => ({ name: each }));
      return { schema: { description: collections.get(name)?.description ?? "", fields }, properties: [] };
    },
    async dropCollection({ collection_name: name }: { collection_name: string }) {
      did.push(`drop ${name}`);
      collections.delete(name);
    },
    async loadCollectionAsync({ collection_name: name }: { collection_name: string }) {
      did.push(`load ${name}`);
    },
    getLoadingProgress: async () => ({ progress: "100" }),
  };
  const connection: Connection = {
    async call(what, use) {
      try {
        // A stand-in has the methods that the store calls here.
        return await use(client as unknown as MilvusClient);
      } catch (cause) {
        if (cause instanceof RagctlError) throw cause;
        throw new RagctlError("STORE_FAILED", `could not ${what}: the server answered without a result`, {
          cause,
        });
      }
    },
    async [Symbol.asyncDispose]() {},
  };
  const half = (indexed: readonly string[] = ["dense_vector"]): void => {
    const { description = "" } = creation(spec, { hasSparse: true, partitionBy: "none" });
    collections.set(spec.name, { description, indexed: new Set(indexed) });
  };
  return {
    did,
    collections,
    half,
    open: (startTimeoutMs = 10_000) => createStore("far", async () => connection, { startTimeoutMs }),
  };
}

const failsWith = (code: string, text: RegExp) => (error: unknown) =>
  error instanceof RagctlError && error.code === code && text.test(`${error.message} ${error.hint}`);

test("a collection whose index fails is dropped again and never loaded", async () => {
  const { did, collections, open } = standIn({ refused: "sparse_vector" });
  await assert.rejects(open().ensure(spec), failsWith("STORE_FAILED", /104 field is not supported/));
  assert.deepEqual([did, collections.size], [["create main", "index dense_vector", "drop main"], 0]);
});

test("a server that is too old, with no index of words beside it, is refused before anything is made", async () => {
  for (const [version, lexical] of [
    ["v2.3.5-lite", "bm25"],
    ["2.4.9", "bm25"],
    ["v2.3.5", "sparse"],
  ] as const) {
    const { did, open } = standIn({ version });
    await assert.rejects(
      open().ensure({ ...spec, lexical }),
      failsWith("STORE_FAILED", /is Milvus v?2\.\d.* needs 2\.[45]/),
    );
    assert.deepEqual(did, []);
  }
  for (const version of ["v2.5.0", "2.6.1-dev", "3.2.2", ""]) await standIn({ version }).open().ensure(spec);
});

test("a collection left half made is given its indexes before it is loaded, by whoever meets it first", async () => {
  for (const meet of ["ensure", "count"] as const) {
    const { did, half, open } = standIn();
    half();
    if (meet === "ensure") await open().ensure(spec);
    else await open().count(spec.name, { any: [] });
    assert.deepEqual(did, ["index sparse_vector", "load main"]);
  }
});

test("a collection that was left without any index is given both", async () => {
  const { did, half, open } = standIn();
  half([]);
  await open().ensure(spec);
  assert.deepEqual(did, ["index dense_vector", "index sparse_vector", "load main"]);
});

test("a half-made collection whose indexes cannot be made is refused and neither loaded nor dropped", async () => {
  const { did, half, open } = standIn({ refused: "sparse_vector" });
  half();
  await assert.rejects(
    open().ensure(spec),
    failsWith("STORE_FAILED", /lacks the index of sparse_vector.*creation was interrupted/),
  );
  assert.deepEqual(did, []);
});

test("a server that is still starting is waited for", async () => {
  const { did, open } = standIn({ startsAfter: 2 });
  await open().ensure(spec);
  assert.deepEqual(did.at(-1), "load main");
});

test("a server that does not get ready is given up with a clear error, and at once when the run is stopped", async () => {
  const { open } = standIn({ startsAfter: Number.POSITIVE_INFINITY });
  await assert.rejects(open(250).collections(), failsWith("STORE_UNAVAILABLE", /still starting.*healthy/));
  const stopped = new Error("stopped");
  const abort = new AbortController();
  const waiting = open(600_000).ensure(spec, abort.signal);
  abort.abort(stopped);
  await assert.rejects(waiting, (error) => error === stopped);
});
