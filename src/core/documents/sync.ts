import type { GivenMetadata } from "../metadata/metadata.ts";
import type { Instance } from "../retrieval.ts";

/** What to sync; absent members come from the folder's mapping, else from the defaults. */
export interface SyncRequest {
  /** A folder, or the address of a page or a repository, which is fetched first. */
  readonly folder: string;
  /** Pages of an address: how many links away others are fetched too. Default: as before, else 0. */
  readonly depth?: number;
  /** Metadata added to new and changed documents. */
  readonly metadata?: GivenMetadata;
  readonly collection?: string;
  readonly instance?: Instance;
  readonly department?: string;
  /** Patterns as in .gitignore, relative to the folder; empty: every file. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Only report what would be done. Default false. */
  readonly dryRun?: boolean;
  /** Read every file, including those with unchanged size, time and inode. Default false. */
  readonly verify?: boolean;
  /** Retry what limits of time or memory left out. Default true. */
  readonly again?: boolean;
  /** Also remove documents whose file is there but left out by the patterns. Default false. */
  readonly deleteExcluded?: boolean;
  /** Continue where the folder holds no file and all its documents would be deleted. Default false. */
  readonly allowEmpty?: boolean;
}
