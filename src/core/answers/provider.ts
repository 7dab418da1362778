/** Parts of the chain that a provider can serve. */
export const components = ["llm", "reflection", "semantic_router"] as const;

/** Who can serve them: a model in this process, or an address that an operator's row names. */
export const providerNames = ["local", "openai-compatible", "ollama"] as const;
