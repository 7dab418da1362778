import { networkInterfaces } from "node:os";
import { RagctlError } from "../../core/errors.ts";
import type { ModelFile } from "../manifest-schema.ts";

/** Programs the registry sources run, tried in order. */
export interface SourcePrograms {
  readonly python: readonly string[];
  readonly maven: readonly string[];
}

/** The request to a source: the files to put into `partFolder`, under their own names. */
export interface FetchContext {
  readonly files: readonly ModelFile[];
  readonly partFolder: string;
  /** Folder of the manifest; relative `file` sources start here. */
  readonly baseFolder: string;
  readonly hubUrl: string;
  readonly tools: SourcePrograms;
  readonly signal: AbortSignal;
  /** Raises a SourceFailure of kind `network` when the hub does not answer within its time limit. */
  requireHub(): Promise<void>;
  /** Bytes of one file that have arrived so far. */
  onBytes(file: string, doneBytes: number): void;
}

/** A file that has arrived but was not checked yet. */
export interface Fetched {
  readonly name: string;
  /** Hash the hub published for it; null when the source publishes none. */
  readonly publishedSha256: string | null;
  /** Where it came from, e.g. `hub owner/name@revision`. */
  readonly from: string;
  /** Part of it was left from an earlier run. */
  readonly resumed: boolean;
}

/**
 * `network`: nothing reachable; `tool`: a program is missing; `hash`: the content was another; `failed`: all
 * else.
 */
export type FailureKind = "network" | "tool" | "hash" | "failed";

/** Why one source could not deliver; the next source is tried. */
export class SourceFailure extends Error {
  override readonly name = "SourceFailure";
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** Raises at once when the machine has no network interface but the loopback. */
export function requireNetwork(): void {
  const outside = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some((address) => !address.internal),
  );
  if (!outside) throw new SourceFailure("network", "this machine has no network");
}

/** One RagctlError for a file or model that no source delivered, every reason shown. */
export function allSourcesFailedError(
  id: string,
  reasons: readonly { readonly source: string; readonly failure: SourceFailure }[],
): RagctlError {
  const kinds = new Set(reasons.map((reason) => reason.failure.kind));
  const code = kinds.has("hash")
    ? "HASH_MISMATCH"
    : kinds.has("network") && !kinds.has("failed")
      ? "NETWORK_UNAVAILABLE"
      : "DOWNLOAD_FAILED";
  const list = reasons.map((reason) => `${reason.source}: ${reason.failure.message}`).join("; ");
  return new RagctlError(code, `cannot download ${id} (${list})`, {
    hint: `run the command again with network access, or copy the files here and run: ragctl models import ${id} PATH`,
    cause: reasons.at(-1)?.failure,
  });
}
