import type { DocumentSummary } from "../../core/app.ts";
import type {
  DocumentDiff,
  DocumentHistory,
  DuplicateReport,
  PruneReport,
  VersionSummary,
} from "../../core/documents/versions.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { nearDuplicates, signatureOf } from "../../pipeline/duplicates.ts";
import { isUnavailable } from "../../pipeline/retrieve/unavailable.ts";
import type { DocumentRecord, VersionRecord } from "../../registry/documents/document-rows.ts";
import { openVersions } from "../../registry/documents/versions.ts";
import type { StepParts } from "./ingest.ts";
import { lostContents } from "./lost.ts";

/** What a document was before, and which documents say the same. */
export interface VersionsDoor {
  /** @throws NOT_FOUND */
  history(reference: string, run: Run): Promise<DocumentHistory>;
  /** Default: the version before the visible one, and the visible one. @throws NOT_FOUND when one is not kept */
  diff(
    reference: string,
    versions: { readonly from?: number; readonly to?: number },
    run: Run,
  ): Promise<DocumentDiff>;
  /** @throws NOT_FOUND when the version is not kept */
  restore(reference: string, version: number, run: Run): Promise<DocumentHistory>;
  prune(
    options: { readonly keep: number; readonly collection?: string; readonly dryRun: boolean },
    run: Run,
  ): Promise<PruneReport>;
  duplicates(collections: readonly string[], threshold: number, run: Run): Promise<DuplicateReport>;
}

const summaryOf = ({
  documentId: _,
  versionId: __,
  contentId,
  format: ___,
  ...version
}: VersionRecord): VersionSummary => ({
  ...version,
  kept: contentId !== "",
});

/** Opens versions and duplicates; `find` gives a visible document the run's principal may read. */
export function openVersionsDoor(
  parts: StepParts,
  find: (reference: string, run: Run) => Promise<DocumentSummary>,
): VersionsDoor {
  const versions = openVersions(parts.registry);
  const recordOf = async (reference: string, run: Run): Promise<DocumentRecord> =>
    parts.documents.get((await find(reference, run)).id);
  const history = (document: DocumentRecord): DocumentHistory => ({
    document,
    versions: versions.history(document.id).map(summaryOf),
  });
  const textOf = async (document: DocumentRecord, { contentId, version }: VersionRecord): Promise<string> => {
    if (contentId === "") {
      throw new RagctlError(
        "NOT_FOUND",
        `the text of version ${version} of ${document.name} is not kept any more`,
        {
          hint: `ragctl history ${document.id} shows which are`,
        },
      );
    }
    const store = await parts.store(document.instance);
    const chunks = await Array.fromAsync(
      store.list(document.collection, { field: "versionId", in: [contentId] }),
    );
    return chunks
      .toSorted((one, two) => one.ordinal - two.ordinal)
      .map((chunk) => `${chunk.text}\n`)
      .join("\n");
  };
  const signaturesOf = async (
    collection: string,
    instance: Instance,
    byContent: ReadonlyMap<string, readonly DocumentRecord[]>,
    run: Run,
  ) => {
    const store = await parts.store(instance);
    const signatures = [];
    for (const [contentId, [document]] of byContent) {
      run.signal.throwIfAborted();
      if (document === undefined) continue;
      const chunks = await Array.fromAsync(store.list(collection, { field: "versionId", in: [contentId] }));
      const ordered = chunks.toSorted((one, two) => one.ordinal - two.ordinal);
      const signature = signatureOf(ordered.map((chunk) => chunk.text).join("\n"));
      if (signature !== undefined) signatures.push({ of: document, signature });
    }
    return signatures;
  };
  /** A version whose chunks its store lost would leave a document without text. @throws NOT_FOUND */
  const checkHeld = async (
    document: DocumentRecord,
    { version, contentId, chunks, isLatest }: VersionRecord,
  ): Promise<void> => {
    if (isLatest || contentId === "") return;
    const store = await parts.store(document.instance);
    if ((await lostContents(document.collection, [{ versionId: contentId, chunks }], store)).size === 0)
      return;
    throw new RagctlError(
      "NOT_FOUND",
      `the text of version ${version} of ${document.name} is not in the ${document.instance} store any more`,
      {
        hint: `put the old file back at ${document.path} and ingest it`,
      },
    );
  };
  const sweep = async (collection: string): Promise<void> => {
    const stale = parts.documents.stale(collection);
    if (stale.length === 0) return;
    const store = await parts.store(parts.collections.get(collection).instance);
    await store.delete(collection, { field: "versionId", in: stale });
    parts.documents.removed(stale);
  };
  return {
    history: async (reference, run) => history(await recordOf(reference, run)),
    async diff(reference, { from, to }, run) {
      const document = await recordOf(reference, run);
      const right = versions.get(document, to);
      const before = versions.history(document.id).find((each) => each.version < right.version)?.version;
      if (from === undefined && before === undefined) {
        throw new RagctlError(
          "NOT_FOUND",
          `${document.name} has one version: there is nothing to compare it with`,
          {
            hint: "an edited file makes the next one when it is ingested",
          },
        );
      }
      const left = versions.get(document, from ?? before);
      const [old, now] = [await textOf(document, left), await textOf(document, right)];
      const { createTwoFilesPatch } = await import("diff");
      const patch =
        old === now
          ? ""
          : createTwoFilesPatch(
              left.name,
              right.name,
              old,
              now,
              `version ${left.version}`,
              `version ${right.version}`,
            );
      const lines = patch.split("\n").slice(4);
      const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
      return {
        document,
        from: left.version,
        to: right.version,
        added: count("+"),
        removed: count("-"),
        patch,
      };
    },
    async restore(reference, version, run) {
      const document = await recordOf(reference, run);
      parts.access.collection(run, "write", document.collection);
      await checkHeld(document, versions.get(document, version));
      versions.restore(document, version);
      await sweep(document.collection);
      return history(parts.documents.get(document.id));
    },
    async prune({ keep, collection, dryRun }, run) {
      const names =
        collection === undefined
          ? parts.access.allowed(run, null, "write").collections
          : [parts.access.collection(run, "write", collection).name];
      const pruned = names.flatMap((name) => versions.prune({ keep, collection: name, dryRun }));
      if (!dryRun) for (const name of names) await sweep(name);
      return { dryRun, versions: pruned };
    },
    async duplicates(collections, threshold, run) {
      const chosen = parts.access.chosen(run, null, collections);
      const exact: DuplicateReport["exact"][number][] = [];
      const near: DuplicateReport["near"][number][] = [];
      for (const { name: collection, instance } of chosen) {
        const byContent = Map.groupBy(parts.documents.latest([collection]), (document) => document.versionId);
        for (const same of byContent.values()) {
          const paths = same.map((document) => document.path).sort();
          if (paths.length > 1) exact.push({ sha256: same[0]?.sha256 ?? "", collection, paths });
        }
        const signatures = await signaturesOf(collection, instance, byContent, run).catch(
          (error: unknown) => {
            run.signal.throwIfAborted();
            if (!isUnavailable(error)) throw error;
            run.log.warn(`the texts of ${collection} were not compared: ${error.message}`);
            return [];
          },
        );
        for (const { one, two, similarity } of nearDuplicates(signatures, threshold))
          near.push({ similarity, paths: [one.path, two.path], collection });
      }
      return { exact, near: near.sort((one, two) => two.similarity - one.similarity) };
    },
  };
}
