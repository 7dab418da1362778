/** Names that models have elsewhere, in lower case and without their owners → their ids in the manifest. */
const ids: Readonly<Record<string, string>> = {
  "bge-small-en-v1.5": "bge-small-en-v1.5-int8",
  "e5-small-v2": "e5-small-v2-int8",
  "all-minilm-l6-v2": "all-minilm-l6-v2-int8",
  "multilingual-e5-small": "multilingual-e5-small",
  "bge-m3": "bge-m3",
  "smollm2-135m-instruct": "smollm2-135m-instruct-q4_1",
  "qwen2.5-coder-1.5b-instruct": "qwen2.5-coder-1.5b-instruct-q4_k_m",
  "qwen3-4b-instruct-2507": "qwen3-4b-instruct-2507-q4_k_m",
  "ms-marco-minilm-l-6-v2": "ms-marco-minilm-l-6-v2-int8",
  "ms-marco-minilm-l6-v2": "ms-marco-minilm-l-6-v2-int8",
  "bge-reranker-base": "bge-reranker-base-int8",
  "bge-reranker-v2-m3": "bge-reranker-v2-m3-int8",
};

const known = (name: string): string | undefined => (Object.hasOwn(ids, name) ? ids[name] : undefined);

/**
 * `sentence-transformers/all-MiniLM-L6-v2` → `all-minilm-l6-v2`; undefined for what cannot be a hub's name.
 */
function nameOf(value: string): string | undefined {
  if (!/^\w[\w.-]*(?:\/[\w.-]+)?$/.test(value)) return undefined;
  return value
    .slice(value.indexOf("/") + 1)
    .toLowerCase()
    .replace(/-gguf$/, "");
}

/** Whether a value is a hub's name, with its owner, of a model that the manifest has: it is no path then. */
export const isHubName = (value: string): boolean =>
  value.includes("/") && known(nameOf(value) ?? "") !== undefined;

/** Name of a model as hubs have it, with or without its owner → its id: `BAAI/bge-m3` → `bge-m3`. */
export function modelIdOf(value: string): string {
  const name = nameOf(value);
  return name === undefined ? value : (known(name) ?? name);
}
