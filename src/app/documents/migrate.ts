import type { MigrateRequest } from "../../core/documents/reembed.ts";
import { RagctlError } from "../../core/errors.ts";
import type { EmbeddedRows, Instance, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { compareCopies, type MigrateDrivers, migrate, removeExcess } from "../../pipeline/migrate.ts";
import type { CollectionRecord } from "../../registry/documents/collections.ts";
import type { MigrateReport } from "../../shapes/registry.ts";
import { missingVectorsError } from "../engines/collection-store.ts";
import type { Home } from "../home.ts";
import { recordWork } from "../records.ts";

/** How far a migration is, and what came of it. */
export type MigrateEvent =
  | {
      readonly type: "migrate-progress";
      readonly collection: string;
      readonly progress: { readonly chunks: number; readonly total: number; readonly copied: number };
    }
  | { readonly type: "migrate-end"; readonly report: MigrateReport };

/** A store whose collections can be copied. */
type CopiedStore = VectorStore & EmbeddedRows;

/**
 * Opens the store of an instance, as the settings say or at another address; `local` is the one of the home.
 */
export type OpenCopied = (instance: Instance, from?: string) => Promise<CopiedStore>;

/**
 * Copies a collection with its vectors to the present address of its instance, or to the other instance, and
 * compares. Only then does it belong to that instance. The original remains: both addresses may lead to one
 * server. Documents ingested meanwhile are copied too; an ingest that still writes to the old instance when
 * the collection moves is refused by the registry.
 */
export async function* migrateCollection(
  request: MigrateRequest,
  home: Pick<
    Home,
    "access" | "collections" | "documents" | "runs" | "process" | "registry" | "programVersion"
  >,
  open: OpenCopied,
  run: Run,
): AsyncGenerator<MigrateEvent> {
  await home.access.owner(run, "migrate collections");
  const startedMs = performance.now();
  const { collection } = request;
  const places = await placesOf(request, home);
  const tally: Tally = { chunks: 0, copied: 0, removed: 0, compared: 0 };
  const sofar = () => ({ collection, department: "", counts: { ...tally } });
  yield* recordWork(copyCollection(places, tally, home, open, run), sofar, home, run);
  const { from, to } = places;
  const durationMs = performance.now() - startedMs;
  yield { type: "migrate-end", report: { collection, from, to, ...tally, durationMs } };
}

/** The progress of a migration. */
type Tally = { -readonly [K in "chunks" | "copied" | "removed" | "compared"]: MigrateReport[K] };

/** Copies and compares until a copy is whole; then the collection moves. */
async function* copyCollection(
  places: Places,
  tally: Tally,
  home: Pick<Home, "collections" | "documents">,
  open: OpenCopied,
  run: Run,
): AsyncGenerator<MigrateEvent> {
  const { record, to } = places;
  const collection = record.name;
  const drivers = await openCopies(places, open, run);
  for (;;) {
    const contents = await home.collections.wholeContents(collection);
    const before = tally.copied;
    for await (const progress of migrate(drivers, run)) {
      tally.chunks = progress.chunks;
      tally.copied = before + progress.copied;
      yield { type: "migrate-progress", collection, progress };
    }
    tally.removed += await removeExcess(drivers, home.documents.knownVersions);
    tally.compared = await compareCopies(drivers);
    const copy = { name: collection, storeName: drivers.name, contents };
    if (to === record.instance || (await home.collections.move(copy, to))) return;
  }
}

/** Where a collection is copied from and to. */
interface Places {
  readonly record: CollectionRecord;
  /** Where its vectors are, where that is not where its instance is now. */
  readonly address?: string;
  /** Instance or address, as the request names it. */
  readonly from: string;
  readonly to: Instance;
}

/** @throws USAGE_INVALID, NOT_FOUND */
async function placesOf(
  { collection, from, instance }: MigrateRequest,
  { collections }: Pick<Home, "collections">,
): Promise<Places> {
  const record = await collections.get(collection);
  const to = instance ?? record.instance;
  if (from === undefined && to === record.instance) {
    throw new RagctlError("USAGE_INVALID", `collection ${collection} is already in the ${to} instance`, {
      hint: "pass --from with the place of its vectors, or --instance with the other instance",
    });
  }
  return { record, from: from ?? record.instance, to, ...(from === undefined ? {} : { address: from }) };
}

/** The stores a collection is copied from and to. @throws NOT_FOUND, STORE_UNAVAILABLE */
async function openCopies(
  { record, address, from, to }: Places,
  open: OpenCopied,
  run: Run,
): Promise<MigrateDrivers> {
  const name = record.storeName ?? record.name;
  const source = await open(record.instance, address);
  const spec = (await source.collections()).find((each) => each.name === name);
  if (spec === undefined) {
    const missing = new RagctlError("NOT_FOUND", `${from} has no collection "${name}"`);
    throw address === undefined ? missingVectorsError(missing, record.name, record.instance) : missing;
  }
  const target = await open(to);
  await target.ensure(spec, run.signal);
  return { source, target, name };
}
