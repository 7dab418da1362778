import type { FileReport, IngestRequest } from "../../core/app.ts";
import type { SourceFile } from "../../core/documents/document.ts";
import type { Absence, Readiness } from "../../core/documents/readiness.ts";
import type { Metadata } from "../../core/metadata/metadata.ts";
import type { Run } from "../../core/run.ts";

/** What is known of a version once its chunks are stored. */
export interface VersionFacts {
  readonly title: string;
  readonly pages: number;
  readonly chunks: number;
  readonly tokens: number;
  /** What limits of time or memory kept out, e.g. `pages 3, 7`; absent where nothing. */
  readonly omitted?: string;
  /** Properties of the file; absent where it has none. */
  readonly properties?: Metadata;
}

/** What the registry says of a version that was begun. */
export interface Begun {
  readonly documentId: string;
  readonly versionId: string;
  /** What the chunks carry as their `versionId`. */
  readonly contentId: string;
  readonly collection: string;
  readonly department: string;
  readonly state: "added" | "updated" | "unchanged";
  /** What limits kept out before and is tried again; absent where nothing. */
  readonly again?: string;
  /** Tokens of what is visible then. */
  readonly visibleTokens?: number;
  /** Another version of the same content has the chunks, or is being made by this run. */
  readonly shared: boolean;
}

/** The registry's part in an ingest: it alone says which version of a document is visible. */
export interface Ledger {
  /**
   * Registers the version before anything of it is stored; `unchanged` when the same content is already
   * visible and whole. @throws SOURCE_CHANGED while just this is removed
   */
  begin(file: SourceFile, request: IngestRequest, fingerprint: string): Promise<Begun>;
  /**
   * Makes the version visible and hides the one before it, in one transaction; not where a newer one is
   * visible, or the version is not there any more.
   */
  ready(versionId: string, facts: VersionFacts): Readiness;
  /** Makes a shared version visible; undefined while its content is not whole. */
  share(versionId: string): VersionFacts | Absence | undefined;
  /** Contents that are in the store but must not be: superseded, abandoned, forgotten. */
  stale(collection: string): readonly string[];
  removed(contentIds: readonly string[]): void;
  failed(versionId: string): void;
  /** Notes how a file's content ended, so that it need not be read again untouched. */
  seen?(file: SourceFile, request: IngestRequest, fingerprint: string, report: FileReport): void;
}

/** A ledger that knows which versions were begun through it and have not ended. */
export interface TrackedLedger extends Ledger {
  /**
   * Gives up what was begun and has not ended: it must not wait for its process to end, which may live on.
   */
  abandon(run: Run): void;
}

/** Keeps track of the versions begun in `ledger`. */
export function trackLedger(ledger: Ledger): TrackedLedger {
  const unfinished = new Set<string>();
  return {
    ...ledger,
    async begin(file, request, fingerprint) {
      const begun = await ledger.begin(file, request, fingerprint);
      if (begun.state !== "unchanged") unfinished.add(begun.versionId);
      return begun;
    },
    ready(versionId, facts) {
      const readiness = ledger.ready(versionId, facts);
      unfinished.delete(versionId);
      return readiness;
    },
    share(versionId) {
      const facts = ledger.share(versionId);
      if (facts !== undefined) unfinished.delete(versionId);
      return facts;
    },
    failed(versionId) {
      ledger.failed(versionId);
      unfinished.delete(versionId);
    },
    abandon(run) {
      try {
        for (const versionId of unfinished) ledger.failed(versionId);
      } catch (error) {
        // The error that ended the run says more; what stays is swept once this process is gone.
        run.log.warn(
          `unfinished documents could not be given up: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    },
  };
}
