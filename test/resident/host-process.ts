import { matchAllFilter } from "../../src/core/retrieval.ts";
import open from "../../src/drivers/stores/milvus.ts";
import { acquireHost } from "../../src/resident/client.ts";
import { chunkOf, embedded } from "../contracts/store.ts";

/**
 * One command of many: leases the host, writes its own chunk, prints what it saw as JSON. Arguments: options
 * as JSON, its number.
 */
const options = JSON.parse(process.argv[2] ?? "{}");
const number = Number(process.argv[3]);
const run = {
  id: "r",
  principal: "owner",
  signal: new AbortController().signal,
  log: { event() {}, warn() {} },
};
await using lease = await acquireHost(options, run);
await using store = open({ id: "private", uri: lease.uris.private ?? "", indexKind: "flat" });
await store.ensure({ name: "main", dimensions: 8, lexical: "bm25", fingerprint: "f" });
await store.write("main", [embedded(chunkOf(number))]);
const seen = await store.count("main", matchAllFilter);
process.stdout.write(`${JSON.stringify({ pid: lease.pid, seen })}\n`);
