import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { trimEndOf } from "../../core/text.ts";
import { hashFile } from "../catalog.ts";
import type { SourceOf } from "../manifest-schema.ts";
import { download } from "./download.ts";
import { type FetchContext, type Fetched, SourceFailure } from "./source.ts";

/**
 * Fetches files from the model hub, `<hub>/<repo>/resolve/<revision>/<path>`; an interrupted download is
 * resumed.
 */
export async function fetchFromHub(
  source: SourceOf<"hub">,
  context: FetchContext,
): Promise<readonly Fetched[]> {
  await context.requireHub();
  const fetched: Fetched[] = [];
  for (const file of context.files) {
    const path = (source.files[file.name] ?? file.name).split("/").map(encodeURIComponent).join("/");
    const url = `${trimEndOf(context.hubUrl, /\//)}/${source.repo}/resolve/${source.revision}/${path}`;
    const published = file.sha256 === null ? await publishedHash(url, context.signal) : null;
    const part = join(context.partFolder, file.name);
    const { resumed } = await download(url, part, {
      sizeBytes: file.sizeBytes,
      signal: context.signal,
      onBytes: (doneBytes) => context.onBytes(file.name, doneBytes),
    });
    fetched.push({
      name: file.name,
      publishedSha256: published === null ? null : await sha256Of(published, file.name, part, context.signal),
      from: `hub ${source.repo}@${source.revision}`,
      resumed,
    });
  }
  return fetched;
}

/** The hub's published hash of a file: the sha256 of a large one, the id of the git blob of a small one. */
type PublishedHash = { readonly sha256: string } | { readonly blob: string };

/**
 * The hub's own hash of a file, from the first answer, before it redirects to storage: `x-linked-etag` is the
 * sha256 of a file in large-file storage; a small file is in git, and its `etag` is its blob id. Source: the
 * hub's client library, get_hf_file_metadata.
 */
async function publishedHash(url: string, signal: AbortSignal): Promise<PublishedHash> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(20_000)]);
  const response = await fetch(url, {
    method: "HEAD",
    redirect: "manual",
    headers: { "accept-encoding": "identity" },
    signal: limit,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new SourceFailure("network", `${url} did not respond`, cause);
  });
  if (response.status >= 400)
    throw new SourceFailure("failed", `${url} responded with status ${response.status}`);
  const tag = (name: string): string =>
    response.headers.get(name)?.replace(/^W\//, "").replaceAll('"', "") ?? "";
  const sha256 = tag("x-linked-etag");
  if (/^[0-9a-f]{64}$/.test(sha256)) return { sha256 };
  const blob = tag("etag");
  if (/^[0-9a-f]{40}$/.test(blob)) return { blob };
  throw new SourceFailure("failed", `the hub publishes no sha256 for ${url} and the manifest pins none`);
}

/**
 * The sha256 a file must have; for a git blob its own, once its blob id was checked. @throws SourceFailure
 * `hash`, the file being deleted
 */
async function sha256Of(
  published: PublishedHash,
  name: string,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  if ("sha256" in published) return published.sha256;
  const hash = createHash("sha1").update(`blob ${(await stat(path)).size}\0`);
  await pipeline(createReadStream(path), hash, { signal });
  const blob = hash.digest("hex");
  if (blob === published.blob) return hashFile(path, signal);
  await rm(path, { force: true });
  throw new SourceFailure(
    "hash",
    `${name} is git blob ${blob.slice(0, 12)}… instead of ${published.blob.slice(0, 12)}… and was deleted`,
  );
}
