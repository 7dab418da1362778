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
  home.access.collection(run, "admin", request.collection);
  const { shadows, collections } = home;
  const from = collections.get(request.collection);
  let last = { contents: 0, total: 0, chunks: 0, embeddedFromCache: 0, truncated: 0 };
  for await (const restored of restoreLost(from, home, run)) {
    last = { ...last, ...restored };
    yield { type: "reembed-progress", collection: request.collection, progress: last };
  }
  const place = { model: from.embedder, store: from.storeName ?? from.name };
  if (last.total > 0 && request.rollback !== true && (request.model ?? from.embedder) === from.embedder) {
    const sums = { ...last, gate: null, phases: [], durationMs: performance.now() - startedMs };
    yield {
      type: "reembed-end",
      report: { collection: request.collection, from: place, to: place, ...sums },
    };
    return;
  }
  const shadow =
    request.rollback === true ? rollbackOf(request.collection, home) : await shadowOf(request, home);
  const { analyzer, fingerprint } = await home.embedders.facts(shadow.embedder);
  if (fingerprint !== shadow.fingerprint) {
    throw new RagctlError(
      "FINGERPRINT_MISMATCH",
      `${shadow.embedder} as it is set now gives other vectors than the store to go on with has`,
      {
        hint: `begin again: ragctl reembed --collection ${request.collection} --model ${shadow.embedder}`,
      },
    );
  }
  const store = await home.store(from.instance);
  const { storeName: name, dimensions, lexical } = shadow;
  // A registry that came back without its stores notes what a store held once.
  if (!(await store.collections()).some((spec) => spec.name === name)) shadows.emptied(shadow);
  await store.ensure({ name, dimensions, lexical, fingerprint, analyzer }, run.signal);
  const clock = phaseClock();
  const { gate } = request;
  let seen: ReembedReport["gate"] = null;
  const approve = async (asked: ReembedGate): Promise<void> => {
    const { holdGate } = await import("../evaluate/gate.ts");
    const { truncated } = last;
    const before = { ...from, name: place.store };
    seen = await holdGate(asked, from, before, { ...shadow, name, truncated }, home, run);
  };
  const drivers = {
    ...(gate === undefined ? {} : { approve: () => approve(gate) }),
    source: { store, name: from.storeName ?? from.name },
    target: { store, name },
    embedder: await clock.time("load", home.embedders.of(shadow.embedder)),
    cache: (await home.cache()).embeddings,
    missing: () => shadows.missing(shadow),
    done: (contentIds: readonly string[]) => shadows.done(shadow, contentIds),
    orphans: () => shadows.orphans(shadow),
    swap: () => shadows.swap(shadow),
  };
  for await (const progress of reembed(drivers, run, clock)) {
    last = progress;
    yield { type: "reembed-progress", collection: request.collection, progress };
  }
  await dropReplaced(request.collection, store, shadows);
  yield {
    type: "reembed-end",
    report: {
      collection: request.collection,
      from: place,
      to: { model: shadow.embedder, store: name },
      ...last,
      gate: seen,
      phases: clock.list(),
      durationMs: performance.now() - startedMs,
    },
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
