import type { LanguageModel } from "../../core/answers/answer.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import type { OnnxEmbedderSettings } from "../../drivers/embedders/onnx.ts";
import type { LlamaModelSettings } from "../../drivers/llms/llama.ts";
import type { Connection, MilvusAddress } from "../../drivers/stores/milvus-connection.ts";
import type { LocalDatabase } from "../../resident/protocol.ts";

/**
 * Opens engines that are slow to open. The caller disposes of the result, whether or not it is kept for the
 * next one.
 */
export interface Loader {
  /** @throws MODEL_MISSING, MODEL_UNREADABLE */
  embedder(settings: OnnxEmbedderSettings): Promise<Embedder>;
  /** @throws MODEL_MISSING, MODEL_UNREADABLE, RUNTIME_MISSING */
  languageModel(settings: LlamaModelSettings): Promise<LanguageModel>;
  /** Whether that model is in memory already. Absent: it never is. */
  readonly holds?: (settings: LlamaModelSettings) => boolean;
  /** @throws STORE_UNAVAILABLE */
  connection(address: MilvusAddress): Promise<Connection>;
  /**
   * Address of a local store, where this process runs its server. @throws RUNTIME_MISSING, STORE_UNAVAILABLE
   */
  readonly localStore?: (database: LocalDatabase, runtime: string) => Promise<string>;
}

/** Opens each engine again on every call. */
export const uncachedLoader: Loader = {
  async embedder(settings) {
    const { default: open } = await import("../../drivers/embedders/onnx.ts");
    return open(settings);
  },
  async languageModel(settings) {
    const { default: open } = await import("../../drivers/llms/llama.ts");
    return open(settings);
  },
  async connection(address) {
    const { connect } = await import("../../drivers/stores/milvus-connection.ts");
    return connect(address);
  },
};
