import { setTimeout as sleep } from "node:timers/promises";
import type { CreateIndexSimpleReq } from "@zilliz/milvus2-sdk-node";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec } from "../../core/retrieval.ts";
import type { Connection } from "./milvus-connection.ts";
import { creation, type IndexKind, indexes, specOf } from "./milvus-schema.ts";

/**
 * How a store makes and finds its collections; a collection is loaded only when every index it needs is on
 * it.
 */
export interface MilvusCollections {
  /** Waits, within bounds, while the server is still starting. @throws STORE_UNAVAILABLE */
  names(signal?: AbortSignal): Promise<readonly string[]>;
  /** What ragctl wrote about a collection; undefined for one of another program. */
  read(name: string): Promise<CollectionSpec | undefined>;
  /**
   * Makes a collection with its indexes, or nothing at all. @throws STORE_FAILED, also for a server that is
   * too old, before anything is made
   */
  create(spec: CollectionSpec): Promise<void>;
  /**
   * Puts on the indexes that whoever made the collection did not come to, then loads it. @throws
   * STORE_FAILED, and nothing is loaded
   */
  load(spec: CollectionSpec, signal?: AbortSignal): Promise<void>;
}

/** How long a server that is still starting is waited for, ms. Milvus 2.3.5 takes 14 s to start. */
const startingMs = 30_000;

/**
 * Milvus versions that first have what a collection needs: BM25 functions, or two vector columns of which one
 * is sparse. Source: release notes.
 */
const neededVersion = { bm25: [2, 5], sparse: [2, 4] } as const;

/** The collections of one server. `startTimeoutMs`: how long to wait while it is starting. */
export function milvusCollections(
  id: string,
  indexKind: IndexKind,
  call: Connection["call"],
  { startTimeoutMs = startingMs }: { readonly startTimeoutMs?: number } = {},
): MilvusCollections {
  const names = async (signal?: AbortSignal): Promise<readonly string[]> => {
    const response = await untilStarted(
      id,
      startTimeoutMs,
      () => call("list its collections", (client) => client.showCollections()),
      signal,
    );
    return response.data.map((each) => each.name);
  };

  const index = async (name: string, request: CreateIndexSimpleReq): Promise<void> => {
    await call(`index collection "${name}"`, (client) => client.createIndex(request));
  };

  const missingIndexes = async (spec: CollectionSpec): Promise<readonly CreateIndexSimpleReq[]> => {
    const response = await call(`describe the indexes of collection "${spec.name}"`, (client) =>
      client.describeIndex({ collection_name: spec.name }),
    ).catch((error: unknown) => {
      if (saysNoIndex(error)) return { index_descriptions: [] };
      throw error;
    });
    const there = new Set(response.index_descriptions.map((each) => each.field_name));
    return indexes(spec, indexKind).filter((each) => !there.has(each.field_name));
  };

  const checkVersion = async ({ lexical }: CollectionSpec): Promise<void> => {
    const { version = "" } = await call("tell its version", (client) => client.getVersion());
    const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
    // Lite 2.5 reports none; it has what is needed.
    if (major === undefined || minor === undefined) return;
    const [needed, neededMinor] = neededVersion[lexical];
    if (Number(major) > needed || (Number(major) === needed && Number(minor) >= neededMinor)) return;
    throw new RagctlError(
      "STORE_FAILED",
      `store "${id}" is Milvus ${version}; ${lexical} search needs ${needed}.${neededMinor} or newer`,
      {
        hint: "update the server, or empty its address in the settings to use the local Milvus Lite",
      },
    );
  };

  return {
    names,
    async read(name) {
      const response = await call(`describe collection "${name}"`, (client) =>
        client.describeCollection({ collection_name: name }),
      );
      return specOf(name, response);
    },
    async create(spec) {
      await checkVersion(spec);
      try {
        await call(`create collection "${spec.name}"`, (client) => client.createCollection(creation(spec)));
      } catch (error) {
        // Another process may have created it in between: then it is there and is checked like any other.
        if ((await names()).includes(spec.name)) return;
        throw error;
      }
      try {
        for (const request of indexes(spec, indexKind)) await index(spec.name, request);
      } catch (error) {
        // Without its indexes it must not stay: loading it can end the server. What fails here is left for
        // `load` to refuse.
        await call(`drop collection "${spec.name}"`, (client) =>
          client.dropCollection({ collection_name: spec.name }),
        ).catch(() => undefined);
        throw error;
      }
    },
    async load(spec, signal) {
      for (const request of await missingIndexes(spec)) {
        await index(spec.name, request).catch((cause: unknown) => {
          const reason = cause instanceof Error ? cause.message : String(cause);
          throw new RagctlError(
            "STORE_FAILED",
            `collection "${spec.name}" lacks the index of ${request.field_name}: ${reason}`,
            {
              hint: "it was left half made and holds nothing that can be searched: drop it on the server, then ingest again",
              cause,
            },
          );
        });
      }
      await loaded(spec.name, call, signal);
    },
  };
}

/** The SDK's own waiting load sleeps 400 ms even when the collection is in memory already. */
async function loaded(name: string, call: Connection["call"], signal?: AbortSignal): Promise<void> {
  const what = `load collection "${name}"`;
  await untilInitialised(() => call(what, (client) => client.loadCollectionAsync({ collection_name: name })));
  for (;;) {
    const { progress } = await call(what, (client) => client.getLoadingProgress({ collection_name: name }));
    if (Number(progress) >= 100) return;
    await sleep(25, undefined, signal === undefined ? {} : { signal });
  }
}

/**
 * Several first loads at once can meet a Milvus Lite 2.5 that listens but has not set up its memory maps yet:
 * that passes.
 */
async function untilInitialised<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= 40 || !(error instanceof Error) || !error.message.includes("has not been init"))
        throw error;
      await sleep(50);
    }
  }
}

/**
 * A server listens before its coordinators are ready: until then it answers nothing, which the SDK trips
 * over, or says that it is not ready.
 */
async function untilStarted<T>(
  id: string,
  timeoutMs: number,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, 2_000)) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (cause) {
      if (!saysStarting(cause)) throw cause;
      if (performance.now() + pauseMs > deadline) {
        const waited = (timeoutMs / 1000).toFixed(0);
        throw new RagctlError(
          "STORE_UNAVAILABLE",
          `store "${id}" is still starting: it listens, but did not answer within ${waited} s`,
          {
            hint: "run the command again when the server says that it is healthy",
            cause,
          },
        );
      }
    }
    await sleep(pauseMs, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw signal?.reason ?? error;
    });
  }
}

function saysStarting(error: unknown): boolean {
  if (!(error instanceof RagctlError) || error.code !== "STORE_FAILED") return false;
  return (
    error.cause instanceof TypeError ||
    /\b(?:not ready|not healthy|is starting|initializing|NotReadyServe)\b/i.test(error.message)
  );
}

/**
 * IndexNotFound of Milvus (pkg/merr): standalone 2.3.5 and milvus-lite 3.2.2 answer so for a collection
 * without any index, Lite 2.5 with an empty list.
 */
const indexNotFound = "Milvus code 700";

function saysNoIndex(error: unknown): boolean {
  return (
    error instanceof RagctlError && error.cause instanceof Error && error.cause.message === indexNotFound
  );
}
