import type { ReembedGate, ReembedRequest } from "../../core/documents/reembed.ts";
import { RagctlError } from "../../core/errors.ts";
import type { VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { type ReembedProgress, reembed } from "../../pipeline/ingest/reembed.ts";
import { logPhases, type PhaseClock, phaseClock } from "../../pipeline/phases.ts";
import type { CollectionRecord } from "../../registry/documents/collections.ts";
import type { ShadowStore } from "../../registry/documents/shadow-stores.ts";
import type { ReembedReport } from "../../shapes/documents.ts";
import type { Home } from "../home.ts";
import { type CollectionWork, recordWork } from "../records.ts";
import { reembedMissing } from "./restore-lost.ts";

/** How far a re-embedding is, and what came of it. */
export type ReembedEvent =
  | {
      readonly type: "reembed-progress";
      readonly collection: string;
      readonly progress: Pick<ReembedReport, "contents" | "chunks"> & { readonly total: number };
    }
  | { readonly type: "reembed-end"; readonly report: ReembedReport };

/**
 * Embeds a collection again next to the old vectors and swaps when all are written; searches continue
 * meanwhile. Vectors that its store lost are first made again from the documents; where the model is
 * unchanged that is all.
 */
export async function* reembedCollection(
  request: ReembedRequest,
  home: Home,
  run: Run,
): AsyncGenerator<ReembedEvent> {
  const startedMs = performance.now();
  const { collection } = request;
  await home.access.collection(run, "admin", collection);
  const from = await home.collections.get(collection);
  const place = { model: from.embedder, store: from.storeName ?? from.name };
  const tally: Tally = { contents: 0, total: 0, chunks: 0, embeddedFromCache: 0, truncated: 0 };
  const clock = phaseClock();
  const endWith = (facts: Pick<ReembedReport, "to" | "gate">): ReembedEvent => {
    const durationMs = performance.now() - startedMs;
    const phases = clock.list();
    logPhases(phases, run);
    const report = { collection, from: place, ...tally, ...facts, phases, durationMs };
    return { type: "reembed-end", report };
  };
  for await (const restored of reembedMissing(from, home, run)) {
    Object.assign(tally, restored);
    yield { type: "reembed-progress", collection, progress: { ...tally } };
  }
  const isRollback = request.rollback === true;
  if (tally.total > 0 && !isRollback && (request.model ?? from.embedder) === from.embedder) {
    yield endWith({ to: place, gate: null });
    return;
  }
  const shadow = isRollback ? await rollbackOf(collection, home) : await shadowOf(request, home);
  const sofar = (): CollectionWork => {
    const { contents, chunks, embeddedFromCache: embedded_from_cache } = tally;
    const counts = { rollbacks: isRollback ? 1 : 0, reembedded: contents, chunks, embedded_from_cache };
    return { collection, department: "", model: shadow.embedder, phases: clock.list(), counts };
  };
  const work = embedInto(shadow, { from, request, tally, clock }, home, run);
  const gate = yield* recordWork(work, sofar, home, run);
  yield endWith({ to: { model: shadow.embedder, store: shadow.storeName }, gate });
}

/** The progress of an embedding. */
type Tally = { -readonly [K in keyof ReembedProgress]: ReembedProgress[K] };

interface Anew {
  readonly from: CollectionRecord;
  readonly request: ReembedRequest;
  readonly tally: Tally;
  readonly clock: PhaseClock;
}

/** Fills a store with a collection's chunks and switches searches to it; returns the result of the gate. */
async function* embedInto(
  shadow: ShadowStore,
  { from, request, tally, clock }: Anew,
  home: Home,
  run: Run,
): AsyncGenerator<ReembedEvent, ReembedReport["gate"]> {
  const { collection } = request;
  const storeName = from.storeName ?? from.name;
  const store = await openShadow(shadow, from, home, run);
  let seen: ReembedReport["gate"] = null;
  const approve = async (gate: ReembedGate): Promise<void> => {
    const { evaluateReembedGate } = await import("../evaluate/reembed-gate.ts");
    const after = { ...shadow, name: shadow.storeName, truncated: tally.truncated };
    seen = await evaluateReembedGate(gate, from, { ...from, name: storeName }, after, home, run);
  };
  const drivers = {
    ...reembedDrivers(shadow, store, storeName, home),
    ...(request.gate === undefined ? {} : { approve: approve.bind(undefined, request.gate) }),
    embedder: await clock.time("load", home.embedders.of(shadow.embedder)),
    cache: (await home.cache()).embeddings,
  };
  for await (const progress of reembed(drivers, run, clock)) {
    Object.assign(tally, progress);
    yield { type: "reembed-progress", collection, progress };
  }
  await dropReplaced(collection, store, home.shadows);
  return seen;
}

/**
 * The store that holds a collection, with the one to build in it. @throws FINGERPRINT_MISMATCH where the
 * model gives other vectors by now
 */
async function openShadow(
  shadow: ShadowStore,
  { instance }: CollectionRecord,
  home: Home,
  run: Run,
): Promise<VectorStore> {
  const { storeName: name, collection, embedder, dimensions, lexical } = shadow;
  const { analyzer, fingerprint } = await home.embedders.facts(embedder);
  if (fingerprint !== shadow.fingerprint) {
    throw new RagctlError(
      "FINGERPRINT_MISMATCH",
      `the current settings of ${embedder} give vectors that do not match those of the unfinished re-embedding`,
      { hint: `start over: ragctl reembed --collection ${collection} --model ${embedder}` },
    );
  }
  const store = await home.store(instance);
  // A registry restored without its stores may list contents that a store no longer holds.
  if (!(await store.collections()).some((spec) => spec.name === name)) await home.shadows.emptied(shadow);
  await store.ensure({ name, dimensions, lexical, fingerprint, analyzer }, run.signal);
  return store;
}

/** The source and target of chunks, and their records in the registry. */
function reembedDrivers(shadow: ShadowStore, store: VectorStore, from: string, { shadows }: Home) {
  return {
    source: { store, name: from },
    target: { store, name: shadow.storeName },
    missing: () => shadows.missing(shadow),
    done: (contentIds: readonly string[]) => shadows.done(shadow, contentIds),
    orphans: () => shadows.orphans(shadow),
    swap: () => shadows.swap(shadow),
  };
}

/** Removes the stores that nothing goes back to. */
async function dropReplaced(
  collection: string,
  store: Pick<VectorStore, "drop">,
  shadows: Home["shadows"],
): Promise<void> {
  for (const { state, storeName } of await shadows.list(collection)) {
    if (state !== "dropping") continue;
    await store.drop(storeName);
    await shadows.dropped(storeName);
  }
}

async function rollbackOf(collection: string, { shadows }: Home): Promise<ShadowStore> {
  const shadow = await shadows.beginRollback(collection);
  if (shadow !== undefined) return shadow;
  throw new RagctlError("NOT_FOUND", `collection ${collection} has no earlier vectors to restore`, {
    hint: "only the last re-embedding can be undone",
  });
}

async function shadowOf(
  { collection, model, scope = "latest" }: ReembedRequest,
  home: Home,
): Promise<ShadowStore> {
  const record = await home.collections.get(collection);
  const { id, fingerprint, dimensions, lexical } = await home.embedders.facts(
    model ?? record.embedder,
    model === undefined ? collection : undefined,
  );
  return home.shadows.begin(record, { fingerprint, embedder: id, dimensions, lexical, scope });
}
