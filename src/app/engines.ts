import { availableParallelism } from "node:os";
import type { Settings } from "../config/settings.ts";
import type { LanguageModel } from "../core/answer.ts";
import type { Embedder } from "../core/embedding.ts";
import { RagctlError } from "../core/errors.ts";
import type { Models } from "../models/models.ts";

/** Room beside the passages: instructions, question and the chat template's own tokens. */
const promptOverheadTokens = 512;

/** The manifest's entry of the embedding model of the settings. @throws NOT_FOUND, CONFIG_INVALID */
export function embedEntry(settings: Settings, models: Models) {
  const entry = models.entry(settings.embed.model);
  if (entry.task !== "embed") {
    throw new RagctlError("CONFIG_INVALID", `embed.model is ${entry.id}, which is a ${entry.task} model`, {
      hint: "`ragctl models list` shows those for task embed",
    });
  }
  return entry;
}

/** Opens the embedding model of the settings. @throws MODEL_MISSING, NOT_FOUND, MODEL_UNREADABLE */
export async function openEmbedder(settings: Settings, models: Models): Promise<Embedder> {
  const entry = embedEntry(settings, models);
  const [modelFile, tokenizerFile] = [
    entry.files.find((file) => file.name.endsWith(".onnx")),
    entry.files.find((file) => file.name === "tokenizer.json"),
  ];
  if (modelFile === undefined || tokenizerFile === undefined) {
    throw new RagctlError("CONFIG_INVALID", `the manifest's ${entry.id} names no .onnx file or no tokenizer.json`, {
      hint: "correct models/manifest.yaml",
    });
  }
  const { normalize: _, language: __, outputs, ...facts } = entry.embed;
  const { default: open } = await import("../drivers/embedders/onnx.ts");
  return open({
    id: entry.id,
    ...facts,
    ...(outputs === undefined
      ? {}
      : {
          outputs: {
            dense: outputs.dense,
            ...(outputs.sparse === undefined ? {} : { sparse: outputs.sparse }),
            ...(outputs.multi === undefined ? {} : { multi: outputs.multi }),
          },
        }),
    maxTokens: settings.embed.maxTokens === 0 ? facts.maxTokens : Math.min(settings.embed.maxTokens, facts.maxTokens),
    modelPath: await models.path(entry.id, modelFile.name),
    tokenizerPath: await models.path(entry.id, tokenizerFile.name),
    modelSha256: modelFile.sha256 ?? "unpinned",
    device: settings.embed.device,
    batchSize: settings.embed.batchSize,
    threads: settings.embed.threads === 0 ? availableParallelism() : settings.embed.threads,
  });
}

/**
 * Opens the answering model: the one of the settings, or with `auto` the largest that is on this machine.
 * Null when none is: the answer is then made of sentences of the passages.
 */
export async function openLanguageModel(settings: Settings, models: Models, gpu: "auto" | false): Promise<LanguageModel | null> {
  const id = await answerModel(settings, models);
  if (id === null) return null;
  const entry = models.entry(id);
  if (entry.task !== "generate") {
    throw new RagctlError("CONFIG_INVALID", `answer.model is ${id}, which is a ${entry.task} model`, {
      hint: "`ragctl models list` shows those for task generate",
    });
  }
  const weights = entry.files.find((file) => file.name.endsWith(".gguf"));
  const { default: open } = await import("../drivers/llms/llama.ts");
  const wanted = settings.answer.contextTokens + settings.answer.maxTokens + promptOverheadTokens;
  const contextTokens = Math.min(entry.generate.contextTokens, wanted);
  return open({ id, modelPath: await models.path(id, weights?.name), contextTokens, gpu, threads: 0 });
}

async function answerModel(settings: Settings, models: Models): Promise<string | null> {
  const states = (await models.list()).filter((state) => state.task === "generate" && state.state === "ready");
  if (settings.answer.model !== "auto") {
    models.entry(settings.answer.model);
    return states.some((state) => state.id === settings.answer.model) ? settings.answer.model : null;
  }
  return states.toSorted((a, b) => (b.downloadBytes ?? 0) - (a.downloadBytes ?? 0))[0]?.id ?? null;
}
