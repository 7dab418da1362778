import { getLlama, LlamaLogLevel } from "node-llama-cpp";

/** Counts tokens as a GGUF model does; of the model only its vocabulary is loaded. */
export async function openCounter(modelPath: string): Promise<(text: string) => number> {
  const llama = await getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.disabled,
  });
  const model = await llama.loadModel({ modelPath, vocabOnly: true });
  return (text) => model.tokenize(text).length;
}
