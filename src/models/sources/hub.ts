import { join } from "node:path";
import { withoutEnd } from "../../core/text.ts";
import type { SourceOf } from "../manifest-schema.ts";
import { download } from "./download.ts";
import { type FetchContext, type Fetched, SourceFailure } from "./source.ts";

/** Fetches files from the model hub, `<hub>/<repo>/resolve/<revision>/<path>`; a broken download goes on where it stopped. */
export async function fetchFromHub(
  source: SourceOf<"hub">,
  context: FetchContext,
): Promise<readonly Fetched[]> {
  await context.requireHub();
  const fetched: Fetched[] = [];
  for (const file of context.files) {
    const path = (source.files[file.name] ?? file.name).split("/").map(encodeURIComponent).join("/");
    const url = `${withoutEnd(context.hubUrl, /\//)}/${source.repo}/resolve/${source.revision}/${path}`;
    const published = file.sha256 === null ? await publishedSha256(url, context.signal) : null;
    const { resumed } = await download(url, join(context.partFolder, file.name), {
      sizeBytes: file.sizeBytes,
      signal: context.signal,
      onBytes: (doneBytes) => context.onBytes(file.name, doneBytes),
    });
    fetched.push({
      name: file.name,
      publishedSha256: published,
      from: `hub ${source.repo}@${source.revision}`,
      resumed,
    });
  }
  return fetched;
}

/**
 * The hub's own sha256 of a large file: the `x-linked-etag` header of the first answer, before it redirects to storage.
 * Small files kept outside large-file storage have none.
 */
async function publishedSha256(url: string, signal: AbortSignal): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(20_000)]);
  const response = await fetch(url, {
    method: "HEAD",
    redirect: "manual",
    headers: { "accept-encoding": "identity" },
    signal: limit,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new SourceFailure("network", `${url} did not answer`, cause);
  });
  if (response.status >= 400) throw new SourceFailure("failed", `${url} answered ${response.status}`);
  const tag = response.headers.get("x-linked-etag")?.replace(/^W\//, "").replaceAll('"', "") ?? "";
  if (!/^[0-9a-f]{64}$/.test(tag))
    throw new SourceFailure("failed", `the hub publishes no sha256 for ${url} and the manifest pins none`);
  return tag;
}
