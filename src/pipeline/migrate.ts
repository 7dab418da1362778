import { versionIdOf } from "../core/documents/chunk.ts";
import type { EmbeddedChunk } from "../core/documents/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import type { EmbeddedRows, VectorStore } from "../core/retrieval.ts";
import type { Run } from "../core/run.ts";

export interface MigrateDrivers {
  readonly source: EmbeddedRows;
  /** Already has the collection, possibly empty. */
  readonly target: EmbeddedRows & Pick<VectorStore, "write" | "delete">;
  /** Name of the collection in both. */
  readonly name: string;
}

export interface MigrateProgress {
  /** Chunks of the source that are in the target so far. */
  readonly chunks: number;
  readonly total: number;
  /** Those of them copied in this run. */
  readonly copied: number;
}

/** Chunks read and written together; at 1024 dimensions about 1 MiB of vectors. */
const batchChunks = 256;
/** Chunks compared at the end. */
const sampleChunks = 100;

/**
 * Copies what the target lacks, including vectors; if killed, the next call continues. Chunks written to the
 * source meanwhile are copied too.
 */
export async function* migrate(
  { source, target, name }: MigrateDrivers,
  run: Run,
): AsyncGenerator<MigrateProgress> {
  let copied = 0;
  for (;;) {
    const ids = await source.ids(name);
    const missing = [...new Set(ids).difference(new Set(await target.ids(name)))];
    yield { chunks: ids.length - missing.length, total: ids.length, copied };
    if (missing.length === 0) return;
    for (let start = 0; start < missing.length; start += batchChunks) {
      run.signal.throwIfAborted();
      const rows = await source.rows(name, missing.slice(start, start + batchChunks));
      await target.write(name, rows);
      copied += rows.length;
      yield { chunks: ids.length - missing.length + start + rows.length, total: ids.length, copied };
    }
  }
}

/**
 * Removes from the target what the source lacks and no version needs: an earlier copy may have chunks of
 * documents since removed. Chunks in `known` stay, as they may have been written to the target directly.
 * Returns the number removed.
 */
export async function removeExcess(
  { source, target, name }: MigrateDrivers,
  known: (contentIds: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<number> {
  const here = new Set(await source.ids(name));
  const excess = Map.groupBy(
    (await target.ids(name)).filter((id) => !here.has(id)),
    versionIdOf,
  );
  const unknown = new Set(excess.keys()).difference(await known([...excess.keys()]));
  for (const contentId of unknown) await target.delete(name, { field: "versionId", in: [contentId] });
  return [...unknown].reduce((sum, contentId) => sum + (excess.get(contentId)?.length ?? 0), 0);
}

/**
 * Compares up to 100 chunks of both stores, evenly spread over the ids: texts, and vectors number by number.
 * Returns the number compared. @throws STORE_FAILED if one differs
 */
export async function compareCopies({ source, target, name }: MigrateDrivers): Promise<number> {
  const ids = (await source.ids(name)).toSorted();
  const step = Math.max(1, ids.length / sampleChunks);
  const sample = Array.from(
    { length: Math.min(ids.length, sampleChunks) },
    (_, at) => ids[Math.floor(at * step)],
  );
  const chosen = sample.filter((id) => id !== undefined);
  if (chosen.length === 0) return 0;
  const [wanted, copies] = await Promise.all([source.rows(name, chosen), target.rows(name, chosen)]);
  const byId = new Map(copies.map((each) => [each.chunk.id, each]));
  for (const each of wanted) {
    const copy = byId.get(each.chunk.id);
    if (copy !== undefined && isSame(each, copy)) continue;
    throw new RagctlError("STORE_FAILED", `chunk ${each.chunk.id} of ${name} differs in the copy`, {
      hint: "nothing was switched; remove the copy on its server, then run the command again",
    });
  }
  return wanted.length;
}

function isSame(one: EmbeddedChunk, two: EmbeddedChunk): boolean {
  const { dense } = one.embedding;
  return (
    one.chunk.text === two.chunk.text &&
    one.chunk.versionId === two.chunk.versionId &&
    one.chunk.department === two.chunk.department &&
    dense.length === two.embedding.dense.length &&
    dense.every((value, at) => value === two.embedding.dense[at])
  );
}
