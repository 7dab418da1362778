import { callerPath } from "../../config/caller.ts";
import { isModelPath, type Settings } from "../../config/settings.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import { lazyMap } from "../../core/lazy.ts";
import type { Models } from "../../models/models.ts";
import { type EndpointEmbedders, isEndpoint, noEndpoints } from "./endpoint-embedders.ts";
import type { Loader } from "./loader.ts";
import { type EmbedderFacts, encoderFiles, openEmbedder } from "./models.ts";

/** Embedding models by id; a collection's vectors and the questions asked of it come from one model. */
export interface Embedders {
  /**
   * Opens the model on its first call; the same function for the same id. Default: the model of the settings.
   * Errors about a folder that the settings do not name name the first `collection` whose vectors came from it.
   */
  of(id?: string, collection?: string): () => Promise<Embedder>;
  /** @throws NOT_FOUND, CONFIG_INVALID, and for a folder MODEL_MISSING */
  facts(id?: string, collection?: string): Promise<EmbedderFacts>;
}

/** Access to the embedding models of a home; they are closed with `resources`. */
export function createEmbedders(
  settings: Settings,
  models: () => Promise<Models>,
  resources: AsyncDisposableStack,
  loader?: Pick<Loader, "embedder">,
  endpoints: EndpointEmbedders = noEndpoints,
): Embedders {
  // The files of a user's own folder are hashed once.
  const files = lazyMap(async (id: string) => encoderFiles(id, await models()));
  const opened = lazyMap(async (id: string) =>
    resources.use(await openEmbedder(settings, await models(), await files(id), loader)),
  );
  const functions = new Map<string, () => Promise<Embedder>>();
  /** The first collection that a model was opened for, to name it in errors. */
  const owners = new Map<string, string>();
  /** A folder from the working folder on, where it was given on the command line. */
  const named = (id: string): string => (isModelPath(id) ? callerPath(id) : id);
  /** The collection to name in errors; undefined where the settings name the model. */
  const ownerOf = (id: string, collection?: string): string | undefined =>
    isModelPath(id) && id !== named(settings.embed.model) ? collection : undefined;
  const naming = async <T>(id: string, collection: string | undefined, work: Promise<T>): Promise<T> =>
    collection === undefined
      ? work
      : work.catch((error: unknown) => {
          throw isMissing(error) ? lostModel(id, collection, settings, error) : error;
        });
  return {
    of(reference = settings.embed.model, collection) {
      const id = named(reference);
      const owner = ownerOf(id, collection);
      if (owner !== undefined && !owners.has(id)) owners.set(id, owner);
      const open =
        functions.get(id) ??
        (() => (isEndpoint(id) ? endpoints.open(id) : naming(id, owners.get(id), opened(id))));
      functions.set(id, open);
      return open;
    },
    async facts(reference = settings.embed.model, collection) {
      if (isEndpoint(reference)) return endpoints.facts(reference);
      const wanted = named(reference);
      const { id, facts, modelSha256 } = await naming(wanted, ownerOf(wanted, collection), files(wanted));
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

const isMissing = (error: unknown): boolean => error instanceof RagctlError && error.code === "MODEL_MISSING";

/** The error for a folder that a collection was embedded with and that is gone or lacks files. */
const lostModel = (folder: string, collection: string, { embed }: Settings, cause: unknown): RagctlError =>
  new RagctlError(
    "MODEL_MISSING",
    `the embedding model of the collection ${collection} is missing: ${folder} does not hold it any more`,
    {
      hint: `put the folder back, or embed the collection with another model: ragctl reembed --collection ${collection} --model ${embed.model}`,
      cause,
    },
  );
