import type { MigrateEvent, MigrateRequest } from "../../core/documents/migrate.ts";
import { RagctlError } from "../../core/errors.ts";
import type { EmbeddedRows, Instance, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { compareCopies, migrate } from "../../pipeline/migrate.ts";
import { withoutVectors } from "../engines/collection-store.ts";
import type { Home } from "../home.ts";

/** A store whose collections can be copied. */
type CopiedStore = VectorStore & EmbeddedRows;

/**
 * Opens the store of an instance, as the settings say or at another address; `local` is the one of the home.
 */
export type OpenCopied = (instance: Instance, from?: string) => Promise<CopiedStore>;

/**
 * Copies a collection with its vectors to where its instance is now, or to the other instance, and compares.
 * Only then does it belong to that instance. The copy it came from stays: both addresses may lead to one
 * server.
 */
export async function* migrateCollection(
  { collection, from, instance }: MigrateRequest,
  home: Pick<Home, "access" | "collections">,
  open: OpenCopied,
  run: Run,
): AsyncGenerator<MigrateEvent> {
  home.access.owner(run, "migrate collections");
  const startedMs = performance.now();
  const record = home.collections.get(collection);
  const to = instance ?? record.instance;
  if (from === undefined && to === record.instance) {
    throw new RagctlError("USAGE_INVALID", `collection ${collection} is in the ${to} instance already`, {
      hint: "name where its vectors are with --from, or the other instance with --instance",
    });
  }
  const name = record.storeName ?? record.name;
  const source = await open(record.instance, from);
  const spec = (await source.collections()).find((each) => each.name === name);
  if (spec === undefined) {
    const missing = new RagctlError("NOT_FOUND", `${from ?? record.instance} has no collection "${name}"`);
    throw from === undefined ? withoutVectors(missing, collection, record.instance) : missing;
  }
  const target = await open(to);
  await target.ensure(spec, run.signal);
  const drivers = { source, target, name };
  let last = { chunks: 0, total: 0, copied: 0 };
  for await (const progress of migrate(drivers, run)) {
    last = progress;
    yield { type: "migrate-progress", collection, progress };
  }
  const compared = await compareCopies(drivers);
  if (to !== record.instance) home.collections.move(collection, to);
  const durationMs = performance.now() - startedMs;
  const { chunks, copied } = last;
  const place = { from: from ?? record.instance, to };
  yield { type: "migrate-end", report: { collection, ...place, chunks, copied, compared, durationMs } };
}
