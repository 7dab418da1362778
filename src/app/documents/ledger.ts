import { isLimit } from "../../core/errors.ts";
import type { Ledger } from "../../pipeline/ingest/ledger.ts";
import type { Documents } from "../../registry/documents/documents.ts";
import type { SeenFiles } from "../../registry/documents/seen-files.ts";

/** Embedding, chunking and department: a file that went through the same is not read again untouched. */
export function seenFingerprint(fingerprint: string, department: string): string {
  return `${fingerprint}/${department}`;
}

/** Errors that come from the moment, not from the file: it is tried again even untouched. */
const passing = new Set(["SOURCE_CHANGED", "SOURCE_MISSING", "SOURCE_UNREADABLE"]);

/**
 * The registry's documents as an ingest needs them, for chunks that go into one store; files are noted as they end. A file whose content
 * is among `lost` is made again under the ids it has, although the registry knows it.
 */
export function seenLedger(
  documents: Documents,
  seen: SeenFiles,
  storeName: string,
  lost: ReadonlySet<string>,
): Ledger {
  return {
    begin(file, request, fingerprint) {
      const begun = documents.begin(file, request, fingerprint);
      if (lost.has(begun.contentId) && !begun.restored)
        return { ...begun, state: begun.state === "unchanged" ? "updated" : begun.state, shared: false };
      const before = seen.below(request.collection, file.path).get(file.path);
      const wasGivenUp =
        before?.sha256 === file.sha256 && before.outcome === "failed" && isLimit(before.code);
      return wasGivenUp && begun.state !== "unchanged" ? { ...begun, again: "the whole document" } : begun;
    },
    ready: (versionId, facts) => void documents.ready(versionId, facts, storeName),
    share: documents.share,
    stale: documents.stale,
    removed: documents.removed,
    failed: (versionId) => documents.failed(versionId),
    seen(file, { collection, department }, fingerprint, { state, code, reason }) {
      if (file.stamp === undefined || passing.has(code)) return;
      const outcome = state === "failed" || state === "skipped" ? state : "ready";
      const facts = {
        path: file.path,
        ...file.stamp,
        sha256: file.sha256,
        fingerprint: seenFingerprint(fingerprint, department),
      };
      seen.put(collection, [{ ...facts, outcome, code, reason, seenAtMs: Date.now() }]);
    },
  };
}
