import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec, Filter, VectorStore } from "../../core/retrieval.ts";
import { conditionExpression, normalise } from "./filter.ts";
import { milvusCollections } from "./milvus-collections.ts";
import { type Connection, connect, type MilvusAddress } from "./milvus-connection.ts";
import { checkSame, type IndexKind } from "./milvus-schema.ts";
import { searchCollection, strong } from "./milvus-search.ts";
import { chunkColumns, type Row, toChunk, toRow } from "./rows.ts";

export interface MilvusOptions extends MilvusAddress {
  /** `flat` is exact and all Lite 2.5 has; `hnsw` for servers. */
  readonly indexKind: IndexKind;
}

/** One write request stays below both; servers take 64 MB. */
const sliceRows = 1_000;
const sliceBytes = 4 * 1024 * 1024;
/** Rows read per page of `list`. */
const pageRows = 1_000;

/** A Milvus by address: connects on first use. */
export default function open(options: MilvusOptions): VectorStore {
  return createStore(options.id, options.indexKind, () => connect(options));
}

/**
 * A store over a connection made on first use; a failed first try is tried again by the next call.
 * `starting.startTimeoutMs`: how long a server that is still starting is waited for, default 30 000.
 */
export function createStore(
  id: string,
  indexKind: IndexKind,
  connecting: () => Promise<Connection>,
  starting: { readonly startTimeoutMs?: number } = {},
): VectorStore {
  let connection: Promise<Connection> | undefined;
  const specs = new Map<string, CollectionSpec>();

  const call: Connection["call"] = async (what, use) => {
    connection ??= connecting();
    const pending = connection;
    const opened = await pending.catch((error: unknown) => {
      if (connection === pending) connection = undefined;
      throw error;
    });
    return opened.call(what, use);
  };

  const held = milvusCollections(id, indexKind, call, starting);

  /** Lite answers a describe of an unknown name with nothing at all, so the list is asked first. */
  const describe = async (name: string, signal?: AbortSignal): Promise<CollectionSpec> => {
    const known = specs.get(name);
    if (known !== undefined) return known;
    if (!(await held.names(signal)).includes(name)) {
      throw new RagctlError("NOT_FOUND", `store "${id}" has no collection "${name}"`, {
        hint: "list them with: ragctl collections",
      });
    }
    const spec = await held.read(name);
    if (spec === undefined)
      throw new RagctlError("STORE_FAILED", `collection "${name}" of store "${id}" was not made by ragctl`, {
        hint: "use another collection name",
      });
    await held.load(spec, signal);
    specs.set(name, spec);
    return spec;
  };

  const count = async (collection: string, expression: string): Promise<number> => {
    const response = await call(`count collection "${collection}"`, (client) =>
      client.query({
        collection_name: collection,
        filter: expression,
        output_fields: ["count(*)"],
        consistency_level: strong,
      }),
    );
    return Number(response.data[0]?.["count(*)"] ?? 0);
  };

  const upsert = async (collection: string, data: readonly Row[]): Promise<void> => {
    const response = await call(`write to collection "${collection}"`, (client) =>
      // The SDK types rows by its own value union; ours are the subset it documents for these columns.
      client.upsert({
        collection_name: collection,
        data: [...data] as Parameters<typeof client.upsert>[0]["data"] & object,
      }),
    );
    if (response.err_index.length > 0) {
      throw new RagctlError(
        "STORE_FAILED",
        `store "${id}" refused ${response.err_index.length} of ${data.length} chunks`,
      );
    }
  };

  return {
    id,
    async version() {
      const response = await call("tell its version", (client) => client.getVersion());
      return response.version === undefined || response.version === ""
        ? "Milvus (reports no version)"
        : `Milvus ${response.version}`;
    },
    async collections() {
      const found = await Promise.all((await held.names()).map(held.read));
      return found.filter((spec) => spec !== undefined);
    },
    async ensure(spec, signal) {
      if (!/^[a-z][a-z0-9_]{0,62}$/.test(spec.name)) {
        throw new RagctlError("USAGE_INVALID", `"${spec.name}" cannot name a collection`, {
          hint: "use a-z, 0-9 and _, starting with a letter, at most 63",
        });
      }
      specs.delete(spec.name);
      if (!(await held.names(signal)).includes(spec.name)) await held.create(spec);
      checkSame(id, await describe(spec.name, signal), spec);
    },
    async drop(collection) {
      specs.delete(collection);
      if (!(await held.names()).includes(collection)) return;
      await call(`drop collection "${collection}"`, (client) =>
        client.dropCollection({ collection_name: collection }),
      );
    },
    async write(collection, chunks) {
      const spec = await describe(collection);
      let slice: Row[] = [];
      let bytes = 0;
      // Two rows of one id in one request are both kept by some servers: the last one wins here.
      for (const embedded of new Map(chunks.map((each) => [each.chunk.id, each])).values()) {
        if (embedded.embedding.dense.length !== spec.dimensions) {
          throw new RagctlError(
            "FINGERPRINT_MISMATCH",
            `collection "${collection}" holds ${spec.dimensions} dimensions, not ${embedded.embedding.dense.length}`,
            {
              hint: "ingest into a new collection: ragctl ingest --collection NEWNAME …",
            },
          );
        }
        const { row, sizeBytes } = toRow(embedded, spec.lexical);
        if (slice.length > 0 && (slice.length >= sliceRows || bytes + sizeBytes > sliceBytes)) {
          await upsert(collection, slice);
          slice = [];
          bytes = 0;
        }
        slice.push(row);
        bytes += sizeBytes;
      }
      if (slice.length > 0) await upsert(collection, slice);
    },
    async delete(collection, filter) {
      const condition = normalise(filter);
      if (condition.kind === "everything") {
        throw new RagctlError(
          "USAGE_INVALID",
          `refused to delete every chunk of collection "${collection}" by a filter`,
          {
            hint: "drop the collection instead",
          },
        );
      }
      if (condition.kind === "nothing") return;
      await describe(collection);
      const expression = conditionExpression(condition);
      await call(`delete from collection "${collection}"`, (client) =>
        client.delete({ collection_name: collection, filter: expression, consistency_level: "Strong" }),
      );
    },
    async search(collection, query, signal) {
      signal.throwIfAborted();
      const spec = await describe(collection, signal);
      return searchCollection(
        { id, call, indexKind, isEmpty: async () => (await count(collection, "")) === 0 },
        spec,
        query,
        signal,
      );
    },
    async count(collection, filter) {
      const condition = normalise(filter);
      await describe(collection);
      return condition.kind === "nothing" ? 0 : count(collection, conditionExpression(condition));
    },
    async *list(collection, filter: Filter) {
      const condition = normalise(filter);
      await describe(collection);
      if (condition.kind === "nothing") return;
      const expression = conditionExpression(condition);
      const ids = await call(`list collection "${collection}"`, (client) =>
        client.query({
          collection_name: collection,
          filter: expression === "" ? 'id != ""' : expression,
          output_fields: ["id"],
          consistency_level: strong,
        }),
      );
      // Pages by id, not by offset or cursor: exact on every server whatever order it returns rows in.
      for (let start = 0; start < ids.data.length; start += pageRows) {
        const page = ids.data.slice(start, start + pageRows).map((row) => JSON.stringify(String(row["id"])));
        const response = await call(`read collection "${collection}"`, (client) =>
          client.query({
            collection_name: collection,
            filter: `id in [${page.join(",")}]`,
            output_fields: [...chunkColumns],
            consistency_level: strong,
          }),
        );
        for (const row of response.data) yield toChunk(row);
      }
    },
    async [Symbol.asyncDispose]() {
      const opened = await connection?.catch(() => undefined);
      connection = undefined;
      await opened?.[Symbol.asyncDispose]();
    },
  };
}
