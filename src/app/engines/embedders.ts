import { callerPath } from "../../config/caller.ts";
import { isModelPath, type Settings } from "../../config/settings.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { keyed } from "../../core/lazy.ts";
import type { Models } from "../../models/models.ts";
import { type EndpointEmbedders, isEndpoint, noEndpoints } from "./endpoint-embedders.ts";
import type { Loader } from "./loader.ts";
import { type EmbedderFacts, encoderFiles, openEmbedder } from "./models.ts";

/** Embedding models by id; a collection's vectors and the questions asked of it come from one model. */
export interface Embedders {
  /**
   * Opens the model on its first call; the same function for the same id. Default: the model of the settings.
   */
  of(id?: string): () => Promise<Embedder>;
  /** @throws NOT_FOUND, CONFIG_INVALID, and for a folder MODEL_MISSING */
  facts(id?: string): Promise<EmbedderFacts>;
}

/** Opens the embedding models of a home; they are closed with `resources`. */
export function openEmbedders(
  settings: Settings,
  models: () => Promise<Models>,
  resources: AsyncDisposableStack,
  loader?: Pick<Loader, "embedder">,
  endpoints: EndpointEmbedders = noEndpoints,
): Embedders {
  // The files of a user's own folder are hashed once.
  const files = keyed(async (id: string) => encoderFiles(id, await models()));
  const opened = keyed(async (id: string) =>
    resources.use(await openEmbedder(settings, await models(), await files(id), loader)),
  );
  const functions = new Map<string, () => Promise<Embedder>>();
  /** A folder from the working folder on, where it was given on the command line. */
  const named = (id: string): string => (isModelPath(id) ? callerPath(id) : id);
  return {
    of(reference = settings.embed.model) {
      const id = named(reference);
      const open = functions.get(id) ?? (() => (isEndpoint(id) ? endpoints.open(id) : opened(id)));
      functions.set(id, open);
      return open;
    },
    async facts(reference = settings.embed.model) {
      if (isEndpoint(reference)) return endpoints.facts(reference);
      const { id, facts, modelSha256 } = await files(named(reference));
      const { fingerprintOf } = await import("../../drivers/embedders/onnx.ts");
      const { maxTokens: most, dimensions, architecture, language, ...rest } = facts;
      const maxTokens = settings.embed.maxTokens === 0 ? most : Math.min(settings.embed.maxTokens, most);
      return {
        id,
        fingerprint: fingerprintOf({ ...rest, id, modelSha256, maxTokens }),
        dimensions,
        maxTokens,
        lexical: architecture === "bge-m3" ? "sparse" : "bm25",
        analyzer: language === "english" ? "english" : "standard",
      };
    },
  };
}
