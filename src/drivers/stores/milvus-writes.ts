import type { WriteTimes } from "../../core/retrieval.ts";
import type { Connection } from "./milvus-connection.ts";
import { consistencyLevels } from "./milvus-read.ts";

/**
 * A timestamp of Milvus is milliseconds since 1970 by the server's clock, then this many bits that count
 * within one (pkg/util/tsoutil).
 */
const countingBits = 18n;

/** When a write took effect, ms, rounded up; undefined where the server does not say. */
export function writeTimeOf(timestamp: string | undefined): number | undefined {
  const time = /^\d+$/.test(timestamp ?? "") ? BigInt(timestamp ?? "") >> countingBits : 0n;
  return time === 0n ? undefined : Number(time) + 1;
}

/**
 * How long a server may take to come to a write that it has confirmed, ms; then a strong read asks it
 * instead.
 */
const reachMs = 5_000;

/**
 * The consistency by which a read sees every write to a collection that ragctl made, by whichever process:
 * that of a session once the server has come to the last of them, else strong. A strong read waits for all
 * that may have been written until now, which takes a server up to twice the interval at which it marks time
 * (200 ms), whether anything was or not.
 */
export async function awaitWrites(
  { call, writes }: { readonly call: Connection["call"]; readonly writes?: WriteTimes | undefined },
  collection: string,
): Promise<number> {
  const { session, strong } = consistencyLevels;
  const time = await writes?.of(collection);
  if (time === undefined) return strong;
  return call(`search collection "${collection}"`, (client) => {
    // The SDK hands on members that its type lacks. Its search does not, so that it has to be asked first.
    const request = {
      collection_name: collection,
      filter: 'id == ""',
      output_fields: ["id"],
      consistency_level: session,
      guarantee_timestamp: String(BigInt(time) << countingBits),
      timeout: reachMs,
    };
    return client.query(request);
  }).then(
    () => session,
    // Another server at the same address may not have come to that time.
    () => strong,
  );
}

/**
 * Rows that one process writes before it asks a server to seal them. Milvus compares a growing segment row by
 * row until it has 39 for each of 128 clusters, 4992; then it searches 16 of the clusters, whatever index and
 * consistency were requested: of 10 000 generated vectors it found 0.69 of the nearest ten. Sealed segments
 * are searched by their own index. Source: `interimIndex` of milvus.yaml, and measured on 2.3.5.
 */
const unsealedRows = 2_000;

/**
 * Asks a server to seal the rows written to a collection, once there are enough; `unsealed` counts those of
 * each. Where the server refuses, for its rate or the rights of the user, the next write asks again.
 */
export async function flushWrites(
  { call, unsealed }: { readonly call: Connection["call"]; readonly unsealed: Map<string, number> },
  collection: string,
  rows: number,
): Promise<void> {
  const sum = (unsealed.get(collection) ?? 0) + rows;
  unsealed.set(collection, sum);
  if (sum < unsealedRows) return;
  await call(`seal what was written to collection "${collection}"`, (client) =>
    client.flush({ collection_names: [collection] }),
  ).then(
    () => unsealed.delete(collection),
    () => undefined,
  );
}
