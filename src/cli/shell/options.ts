import type { Instance } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import { text, whole } from "../../operations/fields.ts";
import { field } from "../../operations/operation.ts";

/** Flags for settings, each the same as `--set` of the setting that its help names. */
export const settingFields = {
  /** The text that chunks are cut from; same as `--set chunk.preset=…`. */
  exportType: field(
    "--export-type <type>",
    z.enum(["doc_chunks", "markdown"]).optional(),
    "split documents by structure (doc_chunks: chunk.preset hybrid) or as running text (markdown: window)",
  ),
  rerankerModel: text(
    "--reranker-model <model>",
    "id or hub name of the reranker (retrieve.rerankModel; default: off)",
  ),
  milvusUri: text(
    "--milvus-uri <uri>",
    "Milvus for both instances: address of a server, or a Milvus Lite file such as ./m.db (default: the home's)",
  ),
  embeddingModel: text(
    "--embedding-model <model>",
    "id or folder of the embedding model (embed.model; default: bge-small-en-v1.5-int8)",
  ),
  chunkSize: whole(
    "--chunk-size <n>",
    1,
    "chunk size in characters, or in tokens for the presets hybrid and window (chunk.size; default: set by the preset)",
  ),
  chunkOverlap: whole(
    "--chunk-overlap <n>",
    0,
    "overlap of neighbouring chunks, in the unit of --chunk-size (chunk.overlap; default: set by the preset)",
  ),
  threads: whole(
    "--threads <n>",
    1,
    "CPU threads for embedding (embed.threads; default: depends on the machine)",
  ),
  llmModel: text(
    "--llm-model <model>",
    "local language model to use instead of a provider: id, path or file:// URL (answer.model; default: auto)",
  ),
  contextWindow: whole(
    "--context-window <n>",
    1,
    "maximum tokens of passages given to the model (answer.contextTokens; default: depends on the model)",
  ),
};

/** The words of a question. */
export const questionField = field(
  "[question...]",
  z.array(z.string()),
  "question, or - to read it from stdin",
);

/** Who can read a new collection, which is `usual` where nothing says otherwise. */
export const instanceField = (usual: Instance) =>
  field(
    "--instance <instance>",
    z.enum(["public", "private"]).optional(),
    `for a new collection; public: every principal can read it; private: only principals with a grant (default: as described in the registry, else private if the name ends in _private_docs, else ${usual})`,
  );

/** A share, with the usual one. */
export const shareField = (form: string, usual: number, description: string) =>
  field(form, z.number().min(0).max(1).default(usual), description);
