import type { MigrateEvent, MigrateRequest } from "../../core/documents/migrate.ts";
import { RagctlError } from "../../core/errors.ts";
import type { EmbeddedRows, Instance, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { compareCopies, migrate, removeExcess } from "../../pipeline/migrate.ts";
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
 * server. What others ingest meanwhile is copied too; an ingest that still writes to the old instance when
 * the collection moves is refused by the registry.
 */
export async function* migrateCollection(
  request: MigrateRequest,
  home: Pick<Home, "access" | "collections" | "documents">,
  open: OpenCopied,
  run: Run,
): AsyncGenerator<MigrateEvent> {
  home.access.owner(run, "migrate collections");
  const startedMs = performance.now();
  const { collection } = request;
  const { from, to, moves, ...drivers } = await openCopies(request, home, open, run);
  let [copied, removed] = [0, 0];
  for (;;) {
    const contents = home.collections.wholeContents(collection);
    let last = { chunks: 0, total: 0, copied: 0 };
    for await (const progress of migrate(drivers, run)) {
      last = progress;
      yield { type: "migrate-progress", collection, progress };
    }
    copied += last.copied;
    removed += await removeExcess(drivers, home.documents.knownVersions);
    const compared = await compareCopies(drivers);
    const copy = { name: collection, storeName: drivers.name, contents };
    if (moves && !home.collections.move(copy, to)) continue;
    const durationMs = performance.now() - startedMs;
    const { chunks } = last;
    const report = { collection, from, to, chunks, copied, removed, compared, durationMs };
    yield { type: "migrate-end", report };
    return;
  }
}

/** The stores a collection is copied from and to. @throws USAGE_INVALID, NOT_FOUND, STORE_UNAVAILABLE */
async function openCopies(
  { collection, from, instance }: MigrateRequest,
  { collections }: Pick<Home, "collections">,
  open: OpenCopied,
  run: Run,
) {
  const record = collections.get(collection);
  const to = instance ?? record.instance;
  const moves = to !== record.instance;
  if (from === undefined && !moves) {
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
  return { source, target, name, from: from ?? record.instance, to, moves };
}
