import { createHash } from "node:crypto";
import type { SearchRequest } from "../../core/app.ts";
import { keptChunk } from "../../core/documents/chunk-members.ts";
import type { ActingAgent } from "../../core/permission.ts";
import type { Hit } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { z } from "../../core/schema.ts";
import { phaseClock } from "../../pipeline/phases.ts";
import type { Retrieved } from "../../pipeline/retrieve/retrieve.ts";
import { rankingOf } from "../engines/ranking.ts";
import type { Home } from "../home.ts";

/** The parts of a home that cached searches need. */
export type CacheHome = Pick<
  Home,
  | "access"
  | "cache"
  | "collections"
  | "documents"
  | "embedders"
  | "permissions"
  | "programVersion"
  | "settings"
>;

type Search = (request: SearchRequest, run: Run, agent: ActingAgent | null) => Promise<Retrieved>;

const texts = z.array(z.string());

// Members not listed here are lost: `satisfies` checks all of them, including optional ones.
const keptHit = {
  chunk: keptChunk,
  score: z.number(),
  via: z.enum(["dense", "lexical", "fused", "reranked"]),
  parts: z.record(z.string(), z.number()).exactOptional(),
} satisfies Record<Exclude<keyof Hit, "around">, z.ZodType>;

/** The schema of a cached search. A cache may be shared, so its values are checked like any input. */
const keptSearch = z.object({
  hits: z.array(z.object(keptHit)),
  named: texts,
  readAs: z.string().exactOptional(),
  cosine: z.number().exactOptional(),
});

/**
 * A search that keeps its hits for the next identical request, where the settings allow it. The key holds
 * everything that decides the hits: request, settings, models, the rules, and the documents that may be
 * found. Cached hits pass the permission guard again; where that removes one, or a version is gone, the
 * search runs again.
 */
export function cachedSearch(home: CacheHome, search: Search): Search {
  if (home.settings.cache.queries === "off") return search;
  return async (request, run, agent) => {
    if ((request.versions ?? "latest") !== "latest") return search(request, run, agent);
    const key = await keyOf(request, home, run, agent);
    const { results } = await home.cache();
    const clock = phaseClock();
    const kept = await clock.time("cache", async () => admitted(await results.get(key), home, run, agent));
    if (kept !== undefined) {
      clock.count("cache", { hits: kept.hits.length });
      const phases = clock.list();
      return { ...kept, query: request.query, vectors: new Map(), unavailable: [], phases };
    }
    const found = await search(request, run, agent);
    const { hits, named, readAs, cosine, unavailable } = found;
    // Rules and documents may have changed while it searched.
    if (unavailable.length === 0 && (await keyOf(request, home, run, agent)) === key)
      await results.put(key, {
        hits,
        named,
        ...(readAs === undefined ? {} : { readAs }),
        ...(cosine === undefined ? {} : { cosine }),
      });
    return found;
  };
}

/** The cached hits, if all of them may be shown now. */
async function admitted(
  value: unknown,
  { access, documents }: CacheHome,
  run: Run,
  agent: ActingAgent | null,
): Promise<Pick<Retrieved, "hits" | "named" | "readAs" | "cosine"> | undefined> {
  const { data: kept } = keptSearch.safeParse(value);
  if (kept === undefined) return undefined;
  const readable = await access.keep(kept.hits, run, agent);
  const live = await documents.liveVersions([...new Set(kept.hits.map(({ chunk }) => chunk.versionId))]);
  const shown = readable.filter(({ chunk }) => live.has(chunk.versionId));
  return shown.length === kept.hits.length ? kept : undefined;
}

/** @throws NOT_FOUND, COLLECTION_EMPTY as the search itself */
async function keyOf(
  request: SearchRequest,
  { access, documents, embedders, permissions, programVersion, settings }: CacheHome,
  run: Run,
  agent: ActingAgent | null,
): Promise<string> {
  const collections = await access.chosen(run, agent, request.collections);
  // Each model once, with a collection to name in its errors.
  const models = new Map(collections.map(({ embedder, name }) => [embedder, name]));
  const names = collections.map(({ name }) => name);
  const parts = [
    programVersion,
    // White space does not matter; case does, because models distinguish it.
    { ...request, query: request.query.trim().replace(/\s+/g, " "), collections: names },
    [settings.retrieve, settings.embed, rankingOf(settings)?.hash],
    await Promise.all(
      Array.from(models, async ([embedder, name]) => (await embedders.facts(embedder, name)).fingerprint),
    ),
    collections,
    await documents.revisions(names),
    [await access.principal(run), agent, await permissions.list()],
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
