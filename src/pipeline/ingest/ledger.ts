import type { FileReport, IngestRequest } from "../../core/app.ts";
import type { SourceFile } from "../../core/documents/document.ts";
import type { Absence, BegunVersion, Readiness, VersionFacts } from "../../core/documents/readiness.ts";
import type { Run } from "../../core/run.ts";

/** The registry's entry for a version that was begun. */
export type Begun = Omit<BegunVersion, "version" | "restored">;

/** The registry's part in an ingest: only it decides which version of a document is visible. */
export interface Ledger {
  /**
   * Registers the version before anything of it is stored; `unchanged` if the same content is already visible
   * and complete. @throws SOURCE_CHANGED while this content is being removed
   */
  begin(file: SourceFile, request: IngestRequest, fingerprint: string): Promise<Begun>;
  /**
   * Makes the version visible and hides the previous one, in one transaction; does nothing if a newer one is
   * visible or the version is gone.
   */
  ready(versionId: string, facts: VersionFacts): Promise<Readiness>;
  /** Makes a shared version visible; undefined while its content is incomplete. */
  share(versionId: string): Promise<VersionFacts | Absence | undefined>;
  /** Contents in the store that should not be: superseded, abandoned, forgotten. */
  stale(collection: string): Promise<readonly string[]>;
  removed(contentIds: readonly string[]): Promise<void>;
  failed(versionId: string): Promise<void>;
  /** Records the outcome for a file's content, so that an untouched file need not be read again. */
  seen?(file: SourceFile, request: IngestRequest, fingerprint: string, report: FileReport): Promise<void>;
}

/** A ledger that tracks versions begun through it that have not ended. */
export interface TrackedLedger extends Ledger {
  /** Abandons unfinished versions now rather than when the process ends, as the process may be long-lived. */
  abandon(run: Run): Promise<void>;
}

/** Tracks the versions begun in `ledger`. */
export function trackVersions(ledger: Ledger): TrackedLedger {
  const unfinished = new Set<string>();
  return {
    ...ledger,
    async begin(file, request, fingerprint) {
      const begun = await ledger.begin(file, request, fingerprint);
      if (begun.state !== "unchanged") unfinished.add(begun.versionId);
      return begun;
    },
    async ready(versionId, facts) {
      const readiness = await ledger.ready(versionId, facts);
      unfinished.delete(versionId);
      return readiness;
    },
    async share(versionId) {
      const facts = await ledger.share(versionId);
      if (facts !== undefined) unfinished.delete(versionId);
      return facts;
    },
    async failed(versionId) {
      await ledger.failed(versionId);
      unfinished.delete(versionId);
    },
    async abandon(run) {
      try {
        for (const versionId of unfinished) await ledger.failed(versionId);
      } catch (error) {
        // The error that ended the run is more important; remains are swept once this process is gone.
        run.log.warn(
          `cannot discard unfinished documents: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    },
  };
}
