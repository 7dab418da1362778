import { stat } from "node:fs/promises";
import { RagctlError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import { readSources } from "../../pipeline/ingest/read.ts";
import { type Candidate, fileStamp } from "../../pipeline/ingest/sources.ts";
import type { CollectionRecord } from "../../registry/documents/collections.ts";
import type { DocumentRecord } from "../../registry/documents/document-rows.ts";
import { declaredExtensions } from "../engines/parsers.ts";
import type { Home } from "../home.ts";
import { ingestFiles, openIngest } from "./ingest.ts";
import { findMissingVectors } from "./lost.ts";

/** The progress of a restoration. */
export interface RestoredLost {
  readonly contents: number;
  readonly total: number;
  readonly chunks: number;
  readonly embeddedFromCache: number;
}

/**
 * Embeds documents again that the registry lists and the store lacks, from their files; ids are unchanged.
 * Yields nothing where nothing is lost. @throws SOME_DOCUMENTS_FAILED naming the documents whose files are
 * gone or differ
 */
export async function* reembedMissing(
  collection: CollectionRecord,
  home: Home,
  run: Run,
): AsyncGenerator<RestoredLost> {
  const lost = await lostDocuments(collection, home);
  const sums = { contents: 0, total: lost.length, chunks: 0, embeddedFromCache: 0 };
  const reasons = new Map<string, string>();
  for (const [department, documents] of Map.groupBy(lost, (document) => document.department)) {
    const request = {
      paths: documents.map(({ path }) => path),
      collection: collection.name,
      instance: collection.instance,
      department,
    };
    await using opened = await openIngest(request, home, run);
    const flow = readSources(
      await Promise.all(documents.map(candidateOf)),
      run,
      declaredExtensions(home.settings),
    );
    const drivers = { ...opened, files: async () => ({ total: documents.length, flow }) };
    for await (const event of ingestFiles(request, home, run, drivers)) {
      if (event.type === "ingest-end") sums.embeddedFromCache += event.report.counts.embeddedFromCache;
      if (event.type !== "file-end") continue;
      sums.contents += 1;
      sums.chunks += event.file.chunks;
      if (event.file.code !== "") reasons.set(event.file.path, event.file.code);
      yield { ...sums };
    }
  }
  if (lost.length === 0) return;
  const left = await lostDocuments(collection, home);
  if (left.length === 0) return;
  const named = left
    .slice(0, 5)
    .map(({ name, path }) => `${name} (${reasons.get(path) ?? "its file has changed"})`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : "";
  throw new RagctlError(
    "SOME_DOCUMENTS_FAILED",
    `the vectors of ${left.length} documents could not be restored: ${named.join(", ")}${more}`,
    {
      hint: "put the files back at their paths (ragctl list --format json) and run the command again, or remove the documents: ragctl forget NAME",
    },
  );
}

async function lostDocuments(collection: CollectionRecord, home: Home): Promise<readonly DocumentRecord[]> {
  const visible = await home.documents.latest([collection.name]);
  const lost = await findMissingVectors(
    collection.name,
    visible,
    await home.collectionStore(collection.instance),
  );
  return visible.filter(({ versionId }) => lost.has(versionId));
}

/** A document's file by its recorded path; reading it reports a missing one. */
async function candidateOf({ path, name, sizeBytes }: DocumentRecord): Promise<Candidate> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined)
    return { path, name, sizeBytes, stamp: { sizeBytes, mtimeMs: 0, inode: "" }, device: 0 };
  const stamp = fileStamp(stats);
  return { path, name, sizeBytes: stamp.sizeBytes, stamp, device: stats.dev };
}
