/** Parts of the chain that a provider can serve. */
export const components = ["llm", "reflection", "semantic_router", "embedding"] as const;

/** Who can serve them: a model in this process, or an address that an operator's row names. */
export const providerNames = [
  "local",
  "openai-compatible",
  "ollama",
  "openai",
  "anthropic",
  "gemini",
  "sentence_transformers",
] as const;

/** Providers whose model runs in this process; the second has embedding models alone. */
const inProcess: readonly unknown[] = ["local", "sentence_transformers"];

/**
 * Prefix of the ids of embedding models from a provider's row, followed by the provider: `embedding:ollama`.
 */
export const embeddingPrefix = "embedding:";

/** Whether a provider's model runs in this process. */
export const isLocal = (provider: unknown): boolean => inProcess.includes(provider);

/**
 * Vendors whose servers speak the protocol of `openai-compatible`: where, and which variable holds the key
 * unless a row says otherwise.
 */
export const vendors = {
  openai: { base_url: "https://api.openai.com/v1", api_key_env: "OPENAI_API_KEY" },
  anthropic: { base_url: "https://api.anthropic.com/v1", api_key_env: "ANTHROPIC_API_KEY" },
  gemini: {
    base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
    api_key_env: "GOOGLE_API_KEY",
  },
} as const;

/** Defaults of a provider's `config`; empty for providers that are not vendors. */
export const vendorDefaults = (provider: unknown): Readonly<Record<string, string>> =>
  Object.entries(vendors).find(([name]) => name === provider)?.[1] ?? {};
