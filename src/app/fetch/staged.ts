import type { RagctlError } from "../../core/errors.ts";
import type { Lookup } from "../../tools/network/address.ts";
import type { FetchedNames } from "./folder.ts";

/** Bounds of one fetch. */
export interface FetchLimits {
  readonly maxPages: number;
  /** All files together, bytes. */
  readonly maxBytes: number;
  /** One file, bytes. */
  readonly maxFileBytes: number;
  readonly timeoutMs: number;
  /** Whether hosts outside the public internet may be named. */
  readonly allowPrivate: boolean;
  /** Replaced in tests. */
  readonly lookup?: Lookup;
}

/** The files of a fetch in its folder. */
export interface Staged {
  readonly names: FetchedNames;
  /** Whether an earlier file that was not fetched now is kept: it may still exist. */
  readonly stays: (name: string) => boolean;
  /** What could not be fetched, by its name. */
  readonly failures: readonly { readonly name: string; readonly error: RagctlError }[];
}
