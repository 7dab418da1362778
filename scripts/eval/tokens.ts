import { getLlama, type Llama, LlamaLogLevel } from "node-llama-cpp";

/** llama.cpp on the processor alone, which prints nothing. */
export const startLlama = (): Promise<Llama> =>
  getLlama({
    gpu: false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: LlamaLogLevel.disabled,
  });

/** Counts tokens as a GGUF model does; of the model only its vocabulary is loaded. */
export async function openCounter(modelPath: string): Promise<(text: string) => number> {
  const model = await (await startLlama()).loadModel({ modelPath, vocabOnly: true });
  return (text) => model.tokenize(text).length;
}
