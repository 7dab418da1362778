import { createHash } from "node:crypto";
import type { Redis } from "ioredis";
import { redactCredentials } from "../core/address.ts";
import type { ParsedContent } from "../core/documents/document.ts";
import type { Embedding } from "../core/documents/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import { readUserFile } from "../files.ts";
import { packEmbedding, packJson, unpackEmbedding, unpackJson } from "./bytes.ts";
import type { Cache } from "./cache.ts";

export interface RedisCacheOptions {
  /** `redis://`, `rediss://` or `unix:/path`, with user and password where they are needed. */
  readonly url: string;
  /** PEM file of the authority that signed the server's certificate; "" for the system's. */
  readonly authorityFile: string;
  /** Results are given this long; what else is kept goes when it was not used for this long. Seconds. */
  readonly ttlSeconds: number;
  readonly warn: (message: string) => void;
  /** Default: the system's clock, ms since 1970. */
  readonly now?: () => number;
}

/** Increased with the format of the values, so that entries of an older ragctl are not read. */
const keys = "ragctl:1";

/** How long a Redis that failed is not asked again, ms. */
const restMs = 30_000;

/** Longest wait for a connection, and for an answer, ms. */
const patience = { connectTimeout: 3000, commandTimeout: 5000 };

/** Does `work` with a Redis that answers, or gives `instead`. */
type Attempt = <T>(instead: T, work: (redis: Redis) => Promise<T>) => Promise<T>;

/**
 * A cache that several homes and machines share. One that is down, full or refuses us is warned of once and
 * asked again after half a minute; meanwhile nothing is cached. @throws CONFIG_INVALID for an authority file
 * that cannot be read
 */
export async function openRedisCache(options: RedisCacheOptions): Promise<Cache> {
  const { ttlSeconds } = options;
  const redis = await client(options);
  const attempt = openAttempts(redis, options);
  return {
    embeddings: openEmbeddings(attempt, ttlSeconds),
    documents: {
      get: (sha256, parser) =>
        attempt(undefined, async (server) => {
          const packed = await server.getexBuffer(parsedKey(sha256, parser), "EX", ttlSeconds);
          return parsedContent(await unpacked(packed));
        }),
      async put(sha256, parser, content) {
        const packed = await packJson(content);
        await attempt(undefined, async (server) => {
          await server.set(parsedKey(sha256, parser), packed, "EX", ttlSeconds);
        });
      },
    },
    results: {
      get: (key) =>
        attempt<unknown>(undefined, async (server) => unpacked(await server.getBuffer(resultKey(key)))),
      async put(key, value) {
        const packed = await packJson(value);
        await attempt(undefined, async (server) => {
          await server.set(resultKey(key), packed, "EX", ttlSeconds);
        });
      },
    },
    [Symbol.dispose]: () => redis.disconnect(),
  };
}

async function client({ url, authorityFile }: RedisCacheOptions): Promise<Redis> {
  const { Redis } = await import("ioredis");
  const ca = authorityFile === "" ? undefined : await readAuthority(authorityFile);
  const options = {
    ...patience,
    lazyConnect: true,
    // No hidden retries: `openAttempts` decides when to try again.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: "ragctl",
    ...(ca === undefined ? {} : { tls: { ca } }),
  };
  const redis = url.startsWith("unix:")
    ? new Redis(url.replace(/^unix:(?:\/\/)?/, ""), options)
    : new Redis(url, options);
  return redis;
}

async function readAuthority(path: string): Promise<string> {
  try {
    return (await readUserFile(path)).toString("utf8");
  } catch (cause) {
    throw new RagctlError("CONFIG_INVALID", `cannot read cache.redisAuthorityFile ${path}`, {
      hint: "use a PEM file that this user can read",
      cause,
    });
  }
}

function openAttempts(redis: Redis, { url, warn, now = Date.now }: RedisCacheOptions): Attempt {
  let connecting: Promise<void> | undefined;
  let restsUntil = 0;
  let hasWarned = false;
  // Why a connection ended: the commands that it fails say no more than that it did.
  let fault: Error | undefined;
  redis.on("error", (error: Error) => {
    fault = error;
  });
  const connected = async (): Promise<void> => {
    if (redis.status === "ready") return;
    connecting ??= redis.connect().finally(() => {
      connecting = undefined;
    });
    await connecting;
  };
  return async (instead, work) => {
    if (now() < restsUntil) return instead;
    fault = undefined;
    try {
      await connected();
      return await work(redis);
    } catch (error) {
      restsUntil = now() + restMs;
      if (!hasWarned) warn(warning(url, fault ?? error));
      hasWarned = true;
      return instead;
    }
  };
}

/** The warning for the user; the server's own words contain no password. */
function warning(url: string, error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `not using Redis ${redactCredentials(url)} as a cache for now: ${reason === "" ? "no connection" : reason}`;
}

function openEmbeddings(attempt: Attempt, ttlSeconds: number): Cache["embeddings"] {
  return {
    get: (hashes, fingerprint) =>
      attempt<ReadonlyMap<string, Embedding>>(new Map(), async (redis) => {
        if (hashes.length === 0) return new Map();
        const keyOf = embeddingKeys(fingerprint);
        const values = await Promise.all(
          hashes.map((hash) => redis.getexBuffer(keyOf(hash), "EX", ttlSeconds)),
        );
        return new Map(
          values.flatMap((packed, at) => {
            const hash = hashes[at];
            const embedding = packed === null ? undefined : unpackEmbedding(packed);
            return hash === undefined || embedding === undefined ? [] : [[hash, embedding] as const];
          }),
        );
      }),
    put: (entries, fingerprint) =>
      attempt(undefined, async (redis) => {
        const keyOf = embeddingKeys(fingerprint);
        await Promise.all(
          entries.map(({ hash, embedding }) =>
            redis.set(keyOf(hash), packEmbedding(embedding), "EX", ttlSeconds),
          ),
        );
      }),
  };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const parsedKey = (sha256: string, parser: string): string =>
  `${keys}:parsed:${digest(`${sha256}\0${parser}`)}`;
const resultKey = (key: string): string => `${keys}:result:${digest(key)}`;
const embeddingKeys = (fingerprint: string): ((hash: string) => string) => {
  const prefix = `${keys}:embedding:${digest(fingerprint)}`;
  return (hash) => `${prefix}:${hash}`;
};

/** A value that others could have written; undefined for a foreign one. */
async function unpacked(packed: Buffer | null): Promise<unknown> {
  if (packed === null) return undefined;
  try {
    return await unpackJson(packed);
  } catch {
    return undefined;
  }
}

/** Only `put` writes what has this form. */
function parsedContent(value: unknown): ParsedContent | undefined {
  const isParsed =
    typeof value === "object" && value !== null && "blocks" in value && Array.isArray(value.blocks);
  return isParsed ? (value as ParsedContent) : undefined;
}
