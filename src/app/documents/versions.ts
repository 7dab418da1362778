import { RagctlError } from "../../core/errors.ts";
import type { Instance, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { nearDuplicates, signatureOf } from "../../pipeline/duplicates.ts";
import { isUnavailable } from "../../pipeline/retrieve/unavailable.ts";
import type { DocumentRecord, VersionRecord } from "../../registry/documents/document-rows.ts";
import { createVersionRepository } from "../../registry/documents/versions.ts";
import type { DocumentDiff, DocumentHistory, DuplicateReport, PruneReport } from "../../shapes/documents.ts";
import type { Home } from "../home.ts";
import { redactPaths } from "../roots.ts";
import { deleteOrphanedChunks, documentNamed, readableDocuments } from "./documents.ts";
import { findMissingVectors } from "./lost.ts";

/** Earlier versions of documents, and documents with the same text. */
export interface VersionsDoor {
  /** @throws NOT_FOUND */
  history(reference: string, run: Run): Promise<DocumentHistory>;
  /**
   * Default: the version before the visible one, and the visible one. @throws NOT_FOUND when one is not kept
   */
  diff(
    reference: string,
    versions: { readonly from?: number; readonly to?: number },
    run: Run,
  ): Promise<DocumentDiff>;
  /** @throws NOT_FOUND when the version is not kept */
  restore(reference: string, version: number, run: Run): Promise<DocumentHistory>;
  /** `keep`: replaced versions of each document that stay; default: the setting. */
  prune(
    options: { readonly keep?: number; readonly collection?: string; readonly dryRun: boolean },
    run: Run,
  ): Promise<PruneReport>;
  duplicates(collections: readonly string[], threshold: number, run: Run): Promise<DuplicateReport>;
}

/** The history belongs to no collection, and holds everybody's questions. */
const noHistory: PruneReport["history"] = { runs: 0, jobs: 0 };

const summaryOf = ({
  documentId: _,
  versionId: __,
  contentId,
  format: ___,
  ...version
}: VersionRecord): DocumentHistory["versions"][number] => ({
  ...version,
  kept: contentId !== "",
});

/** Creates versions and duplicates of the documents that a run's principal may read. */
export function createVersionsApi(home: Home): VersionsDoor {
  const versions = createVersionRepository(home.registry);
  const recordOf = async (reference: string, run: Run): Promise<DocumentRecord> =>
    documentNamed(reference, await readableDocuments(home, run));
  const historyOf = async (document: DocumentRecord, run: Run): Promise<DocumentHistory> => {
    const shown = await redactPaths(run, home.access);
    const listed = (await versions.history(document.id)).map(summaryOf);
    return { document: shown(document), versions: listed.map(shown) };
  };
  return {
    history: async (reference, run) => historyOf(await recordOf(reference, run), run),
    async diff(reference, { from, to }, run) {
      const document = await recordOf(reference, run);
      const right = await versions.get(document, to);
      const before = (await versions.history(document.id)).find(
        ({ version }) => version < right.version,
      )?.version;
      if (from === undefined && before === undefined) {
        throw new RagctlError("NOT_FOUND", `${document.name} has only one version: nothing to compare`, {
          hint: "ingesting the edited file creates the next one",
        });
      }
      const diff = await diffOf(document, await versions.get(document, from ?? before), right, home);
      return { ...diff, document: (await redactPaths(run, home.access))(document) };
    },
    async restore(reference, version, run) {
      const document = await recordOf(reference, run);
      await home.access.collection(run, "write", document.collection);
      await checkHeld(
        (await redactPaths(run, home.access))(document),
        await versions.get(document, version),
        home,
      );
      await versions.restore(document, version);
      await deleteOrphanedChunks(document.collection, home);
      return historyOf(await home.documents.get(document.id), run);
    },
    async prune({ keep = home.settings.ingest.keepVersions, collection, dryRun }, run) {
      const names =
        collection === undefined
          ? (await home.access.allowed(run, null, "write")).collections
          : [(await home.access.collection(run, "write", collection)).name];
      const pruned: PruneReport["versions"][number][] = [];
      for (const name of names) pruned.push(...(await versions.prune({ keep, collection: name, dryRun })));
      if (!dryRun) for (const name of names) await deleteOrphanedChunks(name, home);
      const all = collection === undefined && (await home.access.principal(run)).kind === "owner";
      const { retention } = home;
      const history = !all ? noHistory : dryRun ? await retention.expired() : await retention.expire();
      return { dryRun, versions: pruned, history };
    },
    duplicates: (collections, threshold, run) => duplicatesIn(collections, threshold, home, run),
  };
}

/** A version's text, chunk by chunk in order. @throws NOT_FOUND where it is not kept */
async function textOf(
  document: DocumentRecord,
  { contentId, version }: VersionRecord,
  home: Home,
): Promise<string> {
  if (contentId === "") {
    throw new RagctlError(
      "NOT_FOUND",
      `the text of version ${version} of ${document.name} is no longer stored`,
      {
        hint: `ragctl history ${document.id} shows which versions are`,
      },
    );
  }
  const store = await home.collectionStore(document.instance);
  return (await textsOf(store, document.collection, contentId)).map((text) => `${text}\n`).join("\n");
}

/** Texts of a content's chunks in order. */
async function textsOf(
  store: VectorStore,
  collection: string,
  contentId: string,
): Promise<readonly string[]> {
  const chunks = await Array.fromAsync(store.list(collection, { field: "versionId", in: [contentId] }));
  return chunks.toSorted((one, two) => one.ordinal - two.ordinal).map(({ text }) => text);
}

async function diffOf(
  document: DocumentRecord,
  left: VersionRecord,
  right: VersionRecord,
  home: Home,
): Promise<DocumentDiff> {
  const before = await textOf(document, left, home);
  const after = await textOf(document, right, home);
  const { createTwoFilesPatch } = await import("diff");
  const marks = [`version ${left.version}`, `version ${right.version}`] as const;
  const patch = before === after ? "" : createTwoFilesPatch(left.name, right.name, before, after, ...marks);
  const lines = patch.split("\n").slice(4);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return { document, from: left.version, to: right.version, added: count("+"), removed: count("-"), patch };
}

/** A version whose chunks its store lost would leave a document without text. @throws NOT_FOUND */
async function checkHeld(
  document: DocumentRecord,
  { version, contentId, chunks, isLatest }: VersionRecord,
  home: Home,
): Promise<void> {
  if (isLatest || contentId === "") return;
  const store = await home.collectionStore(document.instance);
  const lost = await findMissingVectors(document.collection, [{ versionId: contentId, chunks }], store);
  if (lost.size === 0) return;
  throw new RagctlError(
    "NOT_FOUND",
    `the text of version ${version} of ${document.name} is no longer in the ${document.instance} store`,
    {
      hint: `put the old file back at ${document.path} and ingest it`,
    },
  );
}

async function duplicatesIn(
  names: readonly string[],
  threshold: number,
  home: Home,
  run: Run,
): Promise<DuplicateReport> {
  const exact: DuplicateReport["exact"][number][] = [];
  const near: DuplicateReport["near"][number][] = [];
  for (const { name: collection, instance } of await home.access.chosen(run, null, names)) {
    const byContent = Map.groupBy(await home.documents.latest([collection]), ({ versionId }) => versionId);
    for (const same of byContent.values()) {
      const paths = same.map(({ path }) => path).sort();
      if (paths.length > 1) exact.push({ sha256: same[0]?.sha256 ?? "", collection, paths });
    }
    const signatures = await signaturesOf(collection, instance, byContent, home, run).catch(
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
}

/** One signature for each content, with the first document that has it. */
async function signaturesOf(
  collection: string,
  instance: Instance,
  byContent: ReadonlyMap<string, readonly DocumentRecord[]>,
  home: Home,
  run: Run,
) {
  const store = await home.collectionStore(instance);
  const signatures = [];
  for (const [contentId, [document]] of byContent) {
    run.signal.throwIfAborted();
    if (document === undefined) continue;
    const signature = signatureOf((await textsOf(store, collection, contentId)).join("\n"));
    if (signature !== undefined) signatures.push({ of: document, signature });
  }
  return signatures;
}
