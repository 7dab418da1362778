import { type Chunk, embedText } from "../../core/documents/chunk.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import type { VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { type PhaseClock, phaseClock } from "../phases.ts";
import { type EmbeddingCache, embed } from "./embed.ts";

export interface ReembedDrivers {
  /** Where the chunks are stored now. */
  readonly source: { readonly store: VectorStore; readonly name: string };
  /** Where they go with their new vectors; already created. */
  readonly target: { readonly store: VectorStore; readonly name: string };
  readonly embedder: Embedder;
  readonly cache: EmbeddingCache;
  /** Contents the target currently lacks; an ingest may add some at any time. */
  readonly missing: () => Promise<readonly string[]>;
  readonly done: (contentIds: readonly string[]) => Promise<void>;
  /** Contents in the target that no version needs. */
  readonly orphans: () => Promise<readonly string[]>;
  /** Called once, when the target is complete, before the swap; throws if searches must not move to it. */
  readonly approve?: () => Promise<void>;
  /** Redirects searches to the target; false while contents are missing. */
  readonly swap: () => Promise<boolean>;
}

export interface ReembedProgress {
  readonly contents: number;
  readonly total: number;
  readonly chunks: number;
  readonly embeddedFromCache: number;
  /** Chunks longer than the model's input, whose ends are not in their vectors. */
  readonly truncated: number;
}

/** Chunks embedded together and stored before the next ones are read. */
const batchChunks = 128;
/** Documents read from the source together. */
const batchContents = 16;

/**
 * Copies missing contents to the target until it is complete, then swaps. If killed, the next call continues.
 */
export async function* reembed(
  drivers: ReembedDrivers,
  run: Run,
  clock: PhaseClock = phaseClock(),
): AsyncGenerator<ReembedProgress> {
  const sums = { contents: 0, chunks: 0, embeddedFromCache: 0, truncated: 0 };
  const { source, target, embedder, cache } = drivers;
  let isApproved = drivers.approve === undefined;
  do {
    const missing = await drivers.missing();
    const total = sums.contents + missing.length;
    for (let start = 0; start < missing.length; start += batchContents) {
      run.signal.throwIfAborted();
      const contents = missing.slice(start, start + batchContents);
      for await (const batch of batchesOf(source, contents, clock)) {
        run.signal.throwIfAborted();
        const { chunks: embedded, fromCache } = await clock.time("embed", () =>
          embed(batch, embedder, cache, run),
        );
        sums.truncated += batch.filter(
          (chunk) => embedder.tokenizer.count(embedText(chunk)) + 2 > embedder.maxTokens,
        ).length;
        await clock.time("store", () => target.store.write(target.name, embedded));
        sums.chunks += batch.length;
        sums.embeddedFromCache += fromCache;
      }
      await drivers.done(contents);
      sums.contents += contents.length;
      yield { ...sums, total };
    }
    const orphans = await drivers.orphans();
    if (orphans.length > 0) await target.store.delete(target.name, { field: "versionId", in: orphans });
    if (!isApproved) await clock.time("evaluate", async () => drivers.approve?.());
    isApproved = true;
  } while (!(await drivers.swap()));
}

/** The chunks of contents, in batches as large as are embedded together. */
async function* batchesOf(
  { store, name }: ReembedDrivers["source"],
  contents: readonly string[],
  clock: PhaseClock,
): AsyncGenerator<readonly Chunk[]> {
  const chunks = store.list(name, { field: "versionId", in: contents })[Symbol.asyncIterator]();
  const take = async (): Promise<readonly Chunk[]> => {
    const taken: Chunk[] = [];
    while (taken.length < batchChunks) {
      const next = await chunks.next();
      if (next.done === true) break;
      taken.push(next.value);
    }
    return taken;
  };
  try {
    for (;;) {
      const batch = await clock.time("read", take);
      if (batch.length === 0) return;
      yield batch;
    }
  } finally {
    await chunks.return?.();
  }
}
