import type {
  ReembedEvent,
  ReembedGate,
  ReembedReport,
  ReembedRequest,
} from "../../core/documents/reembed.ts";
import { RagctlError } from "../../core/errors.ts";
import type { VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { reembed } from "../../pipeline/ingest/reembed.ts";
import { phaseClock } from "../../pipeline/phases.ts";
import type { CollectionRecord } from "../../registry/documents/collections.ts";
import type { ShadowStore } from "../../registry/documents/shadow-stores.ts";
import type { Home } from "../home.ts";
import { restoreLost } from "./restore-lost.ts";

/**
 * Embeds a collection again beside the old vectors and swaps when all are there; searches go on meanwhile.
 * Vectors that its store lost are made again from the documents first; where the model stays the same nothing
 * else is to be done then.
 */
export async function* reembedCollection(
  request: ReembedRequest,
  home: Home,
  run: Run,
): AsyncGenerator<ReembedEvent> {
  const startedMs = performance.now();
  const { collection } = request;
  home.access.collection(run, "admin", collection);
  const from = home.collections.get(collection);
  const place = { model: from.embedder, store: from.storeName ?? from.name };
  let last = { contents: 0, total: 0, chunks: 0, embeddedFromCache: 0, truncated: 0 };
  const endWith = (facts: Pick<ReembedReport, "to" | "gate" | "phases">): ReembedEvent => ({
    type: "reembed-end",
    report: { collection, from: place, ...last, ...facts, durationMs: performance.now() - startedMs },
  });
  for await (const restored of restoreLost(from, home, run)) {
    last = { ...last, ...restored };
    yield { type: "reembed-progress", collection, progress: last };
  }
  if (last.total > 0 && request.rollback !== true && (request.model ?? from.embedder) === from.embedder) {
    yield endWith({ to: place, gate: null, phases: [] });
    return;
  }
  const shadow = request.rollback === true ? rollbackOf(collection, home) : await shadowOf(request, home);
  const store = await openShadow(shadow, from, home, run);
  const clock = phaseClock();
  let seen: ReembedReport["gate"] = null;
  const approve = async (gate: ReembedGate): Promise<void> => {
    const { holdGate } = await import("../evaluate/gate.ts");
    const after = { ...shadow, name: shadow.storeName, truncated: last.truncated };
    seen = await holdGate(gate, from, { ...from, name: place.store }, after, home, run);
  };
  const drivers = {
    ...reembedDrivers(shadow, store, place.store, home),
    ...(request.gate === undefined ? {} : { approve: approve.bind(undefined, request.gate) }),
    embedder: await clock.time("load", home.embedders.of(shadow.embedder)),
    cache: (await home.cache()).embeddings,
  };
  for await (const progress of reembed(drivers, run, clock)) {
    last = progress;
    yield { type: "reembed-progress", collection, progress };
  }
  await dropReplaced(collection, store, home.shadows);
  const to = { model: shadow.embedder, store: shadow.storeName };
  yield endWith({ to, gate: seen, phases: clock.list() });
}

/**
 * The store that holds a collection, with the one to build in it. @throws FINGERPRINT_MISMATCH where the model
 * gives other vectors by now
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
      `${embedder} as it is set now gives other vectors than the store to go on with has`,
      { hint: `begin again: ragctl reembed --collection ${collection} --model ${embedder}` },
    );
  }
  const store = await home.store(instance);
  // A registry that came back without its stores notes what a store held once.
  if (!(await store.collections()).some((spec) => spec.name === name)) home.shadows.emptied(shadow);
  await store.ensure({ name, dimensions, lexical, fingerprint, analyzer }, run.signal);
  return store;
}

/** Where chunks come from and go to, and what the registry notes of that. */
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
  for (const { state, storeName } of shadows.list(collection)) {
    if (state !== "dropping") continue;
    await store.drop(storeName);
    shadows.dropped(storeName);
  }
}

function rollbackOf(collection: string, { shadows }: Home): ShadowStore {
  const shadow = shadows.beginRollback(collection);
  if (shadow !== undefined) return shadow;
  throw new RagctlError("NOT_FOUND", `collection ${collection} has no earlier vectors to go back to`, {
    hint: "only the last re-embedding can be taken back",
  });
}

async function shadowOf(
  { collection, model, scope = "latest" }: ReembedRequest,
  home: Home,
): Promise<ShadowStore> {
  const record = home.collections.get(collection);
  const { id, fingerprint, dimensions, lexical } = await home.embedders.facts(model ?? record.embedder);
  return home.shadows.begin(record, { fingerprint, embedder: id, dimensions, lexical, scope });
}
