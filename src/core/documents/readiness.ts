import type { Metadata } from "../metadata/metadata.ts";
import type { TableSlice } from "./document.ts";

/** Answer to `begin`: the ids for the chunks, and the future version. */
export interface BegunVersion {
  readonly documentId: string;
  readonly versionId: string;
  /** The `versionId` of the chunks; another version's where that has the same content. */
  readonly contentId: string;
  readonly version: number;
  readonly collection: string;
  readonly department: string;
  readonly state: "added" | "updated" | "unchanged";
  /**
   * Parts that limits left out of the visible version of the same content, which is retried; absent for none.
   */
  readonly again?: string;
  /** Tokens of the version visible then. */
  readonly visibleTokens?: number;
  /** Whether the chunks need not be made: another version has them, or is being made by this owner. */
  readonly shared: boolean;
  /**
   * Whether an earlier version remains visible because it was restored and the file has not changed since:
   * its content is not the file's.
   */
  readonly restored: boolean;
}

/** Facts about a version once its chunks are stored. */
export interface VersionFacts {
  readonly title: string;
  readonly pages: number;
  readonly chunks: number;
  readonly tokens: number;
  /** Parts left out by limits of time or memory, e.g. `pages 3, 7`; absent for none. */
  readonly omitted?: string;
  /** Properties of the file; absent where it has none. */
  readonly properties?: Metadata;
  /** The tables of its content; absent where they were not read. */
  readonly tables?: readonly TableSlice[];
}

/**
 * Why a version that was begun no longer exists; `gone`: another command dropped it, or it was forgotten and
 * is already removed.
 */
export type Absence = "forgotten" | "gone";

/** What became of a version that is whole: a newer one may be visible already. */
export type Readiness = "visible" | "outdated" | Absence;
