import { stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isLocalStore } from "../config/setting-kinds.ts";
import { isModelPath } from "../config/settings.ts";
import type { Instance } from "../core/retrieval.ts";
import type { Models } from "../models/models.ts";
import { storeRuntime } from "../models/profile.ts";
import { isEndpoint } from "./engines/endpoint-embedders.ts";
import type { Home } from "./home.ts";

/** A part that has not answered after this long counts as not ready, ms. */
const longestMs = 3_000;
/** How long a finding is reused, ms: probes need no key and come in numbers. */
const freshMs = 2_000;

type Engines = Pick<Home, "settings" | "registry" | "store" | "embedders">;

/**
 * Looks at what every question needs: the registry, the embedding model and both stores. Nothing is loaded,
 * and no local store started before its first use: until then, one is ready when its program is here. The
 * names of the parts that are not ready.
 */
export function createReadinessCheck(
  home: Engines,
  models: () => Promise<Pick<Models, "path">>,
  isUsed: (instance: Instance) => boolean = () => false,
): () => Promise<readonly string[]> {
  let last = { at: Number.NEGATIVE_INFINITY, finding: Promise.resolve<readonly string[]>([]) };
  return () => {
    if (performance.now() - last.at > freshMs)
      last = { at: performance.now(), finding: look(home, models, isUsed) };
    return last.finding;
  };
}

async function look(
  { settings, registry, store, embedders }: Engines,
  models: () => Promise<Pick<Models, "path">>,
  isUsed: (instance: Instance) => boolean,
): Promise<readonly string[]> {
  const { embed, milvus } = settings;
  const checkStore = async (instance: Instance, uri: string): Promise<unknown> =>
    isLocalStore(uri) && !isUsed(instance)
      ? (await models()).path(storeRuntime)
      : await (await store(instance)).version();
  const checks: Readonly<Record<string, () => Promise<unknown>>> = {
    registry: async () => registry.statement("SELECT 1").get(),
    "embedding model": async () =>
      isEndpoint(embed.model)
        ? embedders.facts(embed.model)
        : isModelPath(embed.model)
          ? stat(embed.model)
          : (await models()).path(embed.model),
    "public store": () => checkStore("public", milvus.publicUri),
    "private store": () => checkStore("private", milvus.privateUri),
  };
  const failed = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => ((await answers(check)) ? [] : [name])),
  );
  return failed.flat();
}

function answers(check: () => Promise<unknown>): Promise<boolean> {
  const asked = check().then(
    () => true,
    () => false,
  );
  return Promise.race([asked, sleep(longestMs, false, { ref: false })]);
}
