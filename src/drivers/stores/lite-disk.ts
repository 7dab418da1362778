import { statfs } from "node:fs/promises";
import { RagctlError } from "../../core/errors.ts";
import type { Connection } from "./milvus-connection.ts";
import { countRows, idIn } from "./milvus-read.ts";

/*
 * A Milvus Lite 2.5 also confirms an upsert that SQLite could not put into its file: it finds the rows until
 * it ends, and then they are gone. What it could not delete it calls an "internal error".
 */

/** Bytes free on the disk of a folder; undefined where unknown. */
export type FreeBytes = (folder: string) => Promise<number | undefined>;

/** A Milvus Lite of ours, and the folder its database is in. */
interface LocalLite {
  readonly id: string;
  readonly call: Connection["call"];
  readonly folder: string;
  readonly freeBytes?: FreeBytes | undefined;
}

/**
 * What a request may take while it is written: its rows, at most 4 MiB, their terms, as much again where
 * every word is another, and the journal of the pages that change. An error with less than that free is one
 * of a full disk.
 */
const requestBytes = 16 * 1024 * 1024;
/**
 * With this much free after a write nothing can have been refused for lack of space, so nothing is counted.
 */
const ampleBytes = 16 * requestBytes;

/**
 * Times that the counts are compared, and the pause between, ms: others may write to the collection
 * meanwhile.
 */
const comparisons = 8;
const pauseMs = 25;

const freeOn: FreeBytes = (folder) =>
  statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  );

async function isFull({ folder, freeBytes = freeOn }: LocalLite): Promise<boolean> {
  return ((await freeBytes(folder)) ?? Number.POSITIVE_INFINITY) < requestBytes;
}

/** The calls of a Milvus Lite, whose failures say where the disk is full. */
export function withDiskErrors(lite: LocalLite): Connection["call"] {
  return async (what, use) => {
    try {
      return await lite.call(what, use);
    } catch (error) {
      const isFailure = error instanceof RagctlError && error.code === "STORE_FAILED";
      throw isFailure && (await isFull(lite)) ? diskFull(lite, what, error) : error;
    }
  };
}

/**
 * Checks that the file has the rows with these ids, which the server has confirmed: it compares the counts in
 * memory and in the file. Lost rows are removed from memory too. Both counts read what an upsert reads
 * anyway, and are done only where space is scarce.
 * @throws DISK_FULL; STORE_FAILED where there is space again
 */
export async function verifyPersisted(
  lite: LocalLite,
  collection: string,
  ids: readonly string[],
): Promise<void> {
  const { id, call, folder, freeBytes = freeOn } = lite;
  if (((await freeBytes(folder)) ?? 0) >= ampleBytes) return;
  const lost = await countLost(lite, collection);
  if (lost === 0) return;
  await call(`take back what collection "${collection}" could not keep`, (client) =>
    client.delete({
      collection_name: collection,
      filter: idIn(ids),
    }),
  ).catch(() => undefined);
  if (await isFull(lite)) throw diskFull(lite, `write to collection "${collection}"`);
  throw new RagctlError(
    "STORE_FAILED",
    `the file of store "${id}" is missing ${lost} chunks of "${collection}"`,
    { hint: "run `ragctl stop`, which discards data missing from the file, then run the command again" },
  );
}

/** Rows that the server finds and its file does not have; 0 where either count is unknown. */
async function countLost(lite: LocalLite, collection: string): Promise<number> {
  let lost = 0;
  for (let turn = 0; turn < comparisons; turn++) {
    if (turn > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    lost = (await countRows(lite, collection, "")) - (await countStored(lite, collection));
    if (lost === 0 || !Number.isFinite(lost)) return 0;
  }
  return Math.max(lost, 0);
}

/** Rows of a collection in the file: a Lite counts its statistics there. */
async function countStored({ call }: LocalLite, collection: string): Promise<number> {
  const { data } = await call(`count collection "${collection}"`, (client) =>
    client.getCollectionStatistics({ collection_name: collection }),
  );
  return Number(data["row_count"]);
}

function diskFull({ id, folder }: LocalLite, what: string, cause?: unknown): RagctlError {
  return new RagctlError("DISK_FULL", `the disk of ${folder} is full: store "${id}" could not ${what}`, {
    hint: "free some space and run the command again; it continues where it stopped",
    cause,
  });
}
