import type { Settings } from "../../config/settings.ts";
import { embeddingPrefix } from "../../core/answers/provider.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { EndpointFacts } from "../../drivers/embedders/endpoint.ts";
import type { Providers } from "../../registry/company/providers.ts";
import { providerKey } from "./language-models.ts";
import type { EmbedderFacts } from "./models.ts";

/** Embedding models that rows of the component `embedding` name, by ids such as `embedding:ollama`. */
export interface EndpointEmbedders {
  /**
   * Nothing is called yet. @throws MODEL_MISSING where no enabled row has it, CONFIG_INVALID,
   * PROVIDER_UNAVAILABLE
   */
  open(id: string): Promise<Embedder>;
  /** @throws MODEL_MISSING */
  facts(id: string): Promise<EmbedderFacts>;
}

/** Whether an id of an embedding model names a provider's row. */
export const isEndpoint = (id: string): boolean => id.startsWith(embeddingPrefix);

const missing = (id: string, provider: string): RagctlError =>
  new RagctlError("MODEL_MISSING", `no enabled provider embedding/${provider} gives the address of ${id}`, {
    hint: `ragctl providers add embedding/${provider} --option base_url=ADDRESS --option model=NAME --option dimensions=NUMBER`,
  });

/** Without a registry there are no rows. */
export const noEndpoints: EndpointEmbedders = {
  open: async (id) => Promise.reject(missing(id, id.slice(embeddingPrefix.length))),
  facts: async (id) => Promise.reject(missing(id, id.slice(embeddingPrefix.length))),
};

/** The facts in a checked row, with the longest text that the settings allow. */
function factsOf(id: string, provider: string, config: JsonObject, { embed }: Settings): EndpointFacts {
  const text = (key: string): string => (typeof config[key] === "string" ? config[key] : "");
  const number = (key: string): number => (typeof config[key] === "number" ? config[key] : 0);
  const most = number("max_tokens");
  return {
    id,
    kind: provider === "ollama" ? "ollama" : "openai",
    baseUrl: text("base_url"),
    model: text("model"),
    dimensions: number("dimensions"),
    maxTokens: embed.maxTokens === 0 ? most : Math.min(embed.maxTokens, most),
    queryPrefix: text("query_prefix"),
    passagePrefix: text("passage_prefix"),
    timeoutMs: number("timeout_ms"),
  };
}

/** Creates access to the rows; `secret` is the value of the environment variable that a row names. */
export function createEndpointEmbedders(
  settings: Settings,
  providers: Pick<Providers, "list">,
  secret: (name: string) => string | undefined,
): EndpointEmbedders {
  const rowOf = async (id: string) => {
    const provider = id.slice(embeddingPrefix.length);
    const row = (await providers.list({ component: "embedding" })).find(
      (each) => each.provider === provider && each.enabled,
    );
    if (row === undefined) throw missing(id, provider);
    return { ...row, facts: factsOf(id, provider, row.config, settings) };
  };
  return {
    async open(id) {
      const { facts, config, provider } = await rowOf(id);
      const { default: open } = await import("../../drivers/embedders/endpoint.ts");
      return open(facts, providerKey(config, provider, secret));
    },
    async facts(id) {
      const { facts } = await rowOf(id);
      const { endpointFingerprint } = await import("../../drivers/embedders/endpoint.ts");
      const { dimensions, maxTokens } = facts;
      const fingerprint = endpointFingerprint(facts);
      return { id, fingerprint, dimensions, maxTokens, lexical: "bm25", analyzer: "standard" };
    },
  };
}
