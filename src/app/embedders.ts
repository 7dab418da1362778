import type { Settings } from "../config/settings.ts";
import type { Embedder } from "../core/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import type { CollectionSpec } from "../core/retrieval.ts";
import type { Models } from "../models/models.ts";
import { embedEntry, openEmbedder } from "./engines.ts";
import { lazy } from "./lazy.ts";

/** What is known of an embedding model without opening it: enough to tell whether vectors would be the same. */
export interface EmbedderFacts extends Required<Omit<CollectionSpec, "name">> {
  /** Model id of the manifest. */
  readonly id: string;
  readonly maxTokens: number;
}

/** Embedding models by id; a collection's vectors and the questions asked of it come from one model. */
export interface Embedders {
  /** Opens the model on its first call; the same function for the same id. Default: the model of the settings. */
  of(id?: string): () => Promise<Embedder>;
  /** @throws NOT_FOUND, CONFIG_INVALID */
  facts(id?: string): Promise<EmbedderFacts>;
}

/** Opens the embedding models of a home; what they open is closed with `resources`. */
export function openEmbedders(settings: Settings, models: () => Promise<Models>, resources: AsyncDisposableStack): Embedders {
  const opened = new Map<string, () => Promise<Embedder>>();
  const using = (id: string): Settings => ({ ...settings, embed: { ...settings.embed, model: id } });
  return {
    of(id = settings.embed.model) {
      const known = opened.get(id) ?? lazy(async () => resources.use(await openEmbedder(using(id), await models())));
      opened.set(id, known);
      return known;
    },
    async facts(id = settings.embed.model) {
      const entry = embedEntry(using(id), await models());
      const model = entry.files.find((file) => file.name.endsWith(".onnx"));
      if (model === undefined) {
        throw new RagctlError("CONFIG_INVALID", `the manifest's ${entry.id} names no .onnx file`, { hint: "correct models/manifest.yaml" });
      }
      const { fingerprintOf } = await import("../drivers/embedders/onnx.ts");
      const { maxTokens: most, dimensions, architecture, language, ...rest } = entry.embed;
      const maxTokens = settings.embed.maxTokens === 0 ? most : Math.min(settings.embed.maxTokens, most);
      return {
        id: entry.id,
        fingerprint: fingerprintOf({ ...rest, id: entry.id, modelSha256: model.sha256 ?? "unpinned", maxTokens }),
        dimensions,
        maxTokens,
        lexical: architecture === "bge-m3" ? "sparse" : "bm25",
        analyzer: language === "english" ? "english" : "standard",
      };
    },
  };
}
