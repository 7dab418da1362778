import type { WriteTimes } from "../../core/retrieval.ts";
import type { Connection } from "./milvus-connection.ts";

/**
 * A timestamp of Milvus is milliseconds since 1970 by the server's clock, then this many bits that count within
 * one (pkg/util/tsoutil).
 */
const countingBits = 18n;

/** ConsistencyLevel "session" of the protocol: the request's own guarantee timestamp holds. */
const byGuarantee = 1;

/** When a write took effect, ms, rounded up; undefined where the server does not say. */
export function writeTimeOf(timestamp: string | undefined): number | undefined {
  const time = /^\d+$/.test(timestamp ?? "") ? BigInt(timestamp ?? "") >> countingBits : 0n;
  return time === 0n ? undefined : Number(time) + 1;
}

/**
 * Waits until the server searches what was last written to a collection, by whichever process; false where
 * nobody noted a time. A strong read would wait for everything that may have been written until now, which takes
 * a server the interval at which it marks time (200 ms) whether anything was or not.
 */
export async function reachWrites(
  { call, writes }: { readonly call: Connection["call"]; readonly writes?: WriteTimes | undefined },
  collection: string,
): Promise<boolean> {
  const time = writes?.of(collection);
  if (time === undefined) return false;
  return call(`search collection "${collection}"`, (client) => {
    // The SDK hands on members that its type lacks. Its search does not, so that it has to be asked first.
    const request = {
      collection_name: collection,
      filter: 'id == ""',
      output_fields: ["id"],
      consistency_level: byGuarantee,
      guarantee_timestamp: String(BigInt(time) << countingBits),
    };
    return client.query(request);
  }).then(
    () => true,
    // Another server at the same address may not have come to that time: a strong read says what is wrong.
    () => false,
  );
}
