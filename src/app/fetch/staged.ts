import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { type Lookup, PrivateAddressError } from "../../tools/network/address.ts";
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

/** An error of a request in the words of a fetch. */
export function fetchError(thrown: unknown, url: URL): RagctlError {
  const { code, message } = asRagctlError(thrown);
  if (code !== "TOOL_REFUSED")
    return new RagctlError("DOWNLOAD_FAILED", message, {
      hint: "try again later; the limits are fetch.* and parse.maxBytes; documents fetched earlier are kept",
      cause: thrown,
    });
  return new RagctlError("SOURCE_OUTSIDE", `${url.href} was not fetched: ${message}`, {
    hint:
      thrown instanceof PrivateAddressError
        ? "to fetch from this computer or your own network: ragctl config set fetch.allowPrivate on"
        : "use the URL that it redirects to",
    cause: thrown,
  });
}

/** Skipped names that are shown. */
export const maxListedNames = 10;
