import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isModelPath, type Settings } from "../../config/settings.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import type { CollectionSpec } from "../../core/retrieval.ts";
import type { LlamaModelSettings } from "../../drivers/llms/llama.ts";
import type { EmbedFacts, ModelEntry } from "../../models/manifest-schema.ts";
import type { Models } from "../../models/models.ts";
import {
  findLanguageModel,
  loadCustomEmbedder,
  type OwnEmbedder,
  weightsIdentity,
} from "../../models/own.ts";
import { type Loader, uncachedLoader } from "./loader.ts";
import { contextTokensBy, type ReaderFacts, readerLevel } from "./reader.ts";
import { emptyProbeResults, type Readings } from "./readings.ts";

/** Room in addition to the passages: instructions, question and the tokens of the chat template. */
const promptOverheadTokens = 512;

/**
 * What is known about an embedding model without opening it: enough to decide whether its vectors would be
 * the same.
 */
export interface EmbedderFacts extends Required<Omit<CollectionSpec, "name">> {
  /**
   * Model id of the manifest, a folder with the user's own model, or `embedding:PROVIDER` for that of a row.
   */
  readonly id: string;
  readonly maxTokens: number;
}

/** A text encoder that can be opened: one of the manifest, or a folder of the user's own. */
export interface EncoderFiles {
  /** Model id of the manifest, or the folder. */
  readonly id: string;
  readonly facts: EmbedFacts;
  readonly modelSha256: string;
  /** @throws MODEL_MISSING */
  paths(): Promise<Pick<OwnEmbedder, "modelPath" | "tokenizerPath">>;
}

/**
 * The files of the encoder in the settings. @throws NOT_FOUND, CONFIG_INVALID, and for a folder MODEL_MISSING
 */
export async function encoderFiles(wanted: string, models: Models): Promise<EncoderFiles> {
  if (isModelPath(wanted)) {
    const { facts, sha256, ...paths } = await loadCustomEmbedder(wanted, "embed.model");
    return { id: wanted, facts, modelSha256: sha256, paths: async () => paths };
  }
  const entry = models.entry(wanted);
  if (entry.task !== "embed") {
    throw new RagctlError("CONFIG_INVALID", `embed.model is ${entry.id}, a model for task ${entry.task}`, {
      hint: "`ragctl models list` shows the models for task embed",
    });
  }
  const modelFile = entry.files.find((file) => file.name.endsWith(".onnx"));
  const tokenizerFile = entry.files.find((file) => file.name === "tokenizer.json");
  if (modelFile === undefined || tokenizerFile === undefined) {
    throw new RagctlError(
      "CONFIG_INVALID",
      `the manifest's ${entry.id} names no .onnx file or no tokenizer.json`,
      { hint: "correct models/manifest.yaml" },
    );
  }
  return {
    id: entry.id,
    facts: entry.embed,
    modelSha256: modelFile.sha256 ?? "unpinned",
    async paths() {
      const modelPath = await models.path(entry.id, modelFile.name);
      const tokenizerPath = await models.path(entry.id, tokenizerFile.name);
      // Other weights would give other vectors under the same fingerprint.
      const [altered] = await models.altered([entry.id]);
      if (altered !== undefined) throw alteredModel(altered.id, join(dirname(modelPath), altered.file));
      return { modelPath, tokenizerPath };
    },
  };
}

/** The error for a file of a model whose hash is not the published one. */
const alteredModel = (id: string, path: string): RagctlError =>
  new RagctlError("HASH_MISMATCH", `${path} was altered: it differs from the published file of ${id}`, {
    hint: `run: rm ${path} && ragctl models pull ${id}`,
  });

/**
 * Where a faster form of an encoder is kept: with a model of the manifest, hidden, so that it goes with it
 * and is in no bundle; nothing is written into a folder of the user's own.
 */
const encoderFolder = (id: string, modelPath: string, { home }: Pick<Settings, "home">): string =>
  isModelPath(id) ? join(home, "cache", "encoders") : join(dirname(modelPath), ".encoder");

/**
 * Opens an embedding model, by default the one of the settings. @throws MODEL_MISSING, NOT_FOUND,
 * MODEL_UNREADABLE
 */
export async function openEmbedder(
  settings: Settings,
  models: Models,
  files?: EncoderFiles,
  loader: Pick<Loader, "embedder"> = uncachedLoader,
): Promise<Embedder> {
  const { id, facts: all, modelSha256, paths } = files ?? (await encoderFiles(settings.embed.model, models));
  const { outputs, ...facts } = all;
  const found = await paths();
  return loader.embedder({
    id,
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
    maxTokens:
      settings.embed.maxTokens === 0 ? facts.maxTokens : Math.min(settings.embed.maxTokens, facts.maxTokens),
    ...found,
    modelSha256,
    cacheFolder: encoderFolder(id, found.modelPath, settings),
    device: settings.embed.device,
    batchSize: settings.embed.batchSize,
    threads: settings.embed.threads,
  });
}

/**
 * The facts that decide the level of a model of this machine, with the mark of its file. @throws
 * MODEL_UNREADABLE
 */
export async function fileFacts(
  { id, modelPath }: Pick<LlamaModelSettings, "id" | "modelPath">,
  readings: Pick<Readings, "of">,
): Promise<ReaderFacts & { readonly fingerprint: string }> {
  const fingerprint = await weightsIdentity(modelPath);
  const { size: fileBytes } = await stat(modelPath);
  return { fileBytes, isRemote: false, fingerprint, reading: await readings.of({ id, fingerprint }) };
}

/**
 * The answering model: the one of the settings, or with `auto` the largest that is on this machine. Null where
 * it is not installed: the answer is then made of sentences of the passages.
 * @throws MODEL_MISSING for a path where nothing is, MODEL_UNREADABLE; CONFIG_INVALID for an id of no model that
 *   answers
 */
export async function languageModelSettings(
  settings: Settings,
  models: Models,
  gpu: "auto" | false,
  readings: Pick<Readings, "of"> = emptyProbeResults,
): Promise<LlamaModelSettings | null> {
  const neededTokens = async (id: string, modelPath: string): Promise<number> => {
    const { level } = readerLevel(settings.answer, await fileFacts({ id, modelPath }, readings));
    const contextTokens = settings.answer.contextTokens || contextTokensBy[level];
    return contextTokens + settings.answer.maxTokens + promptOverheadTokens;
  };
  const statesFolder = join(settings.home, "cache", "prompts");
  const { threads } = settings.answer;
  if (isModelPath(settings.answer.model)) {
    const modelPath = await findLanguageModel(settings.answer.model, "answer.model");
    // Distinguishes files of the same name, and recognizes a file that was moved.
    const id = `${basename(modelPath)}@${await weightsIdentity(modelPath)}`;
    // The model's own training length bounds the context too.
    const contextTokens = await neededTokens(id, modelPath);
    return { id, modelPath, contextTokens, gpu, threads, statesFolder };
  }
  const entry = await answerModel(settings, models);
  if (entry === null) return null;
  const { id } = entry;
  const weights = entry.files.find((file) => file.name.endsWith(".gguf"));
  const modelPath = await models.path(id, weights?.name);
  const contextTokens = Math.min(entry.generate.contextTokens, await neededTokens(id, modelPath));
  return { id, modelPath, contextTokens, gpu, threads, statesFolder };
}

type AnsweringModel = Extract<ModelEntry, { readonly task: "generate" }>;

async function answerModel(settings: Settings, models: Models): Promise<AnsweringModel | null> {
  const states = (await models.list()).filter(({ task }) => task === "generate");
  const ready = states.filter(({ state }) => state === "ready");
  const wanted = settings.answer.model;
  if (wanted !== "auto" && !states.some(({ id }) => id === wanted))
    throw new RagctlError("CONFIG_INVALID", `no answering model is called ${wanted}`, {
      hint: `choose ${states.map(({ id }) => id).join(", ")}, or the path of a GGUF file`,
    });
  const largest = ready.toSorted((a, b) => (b.downloadBytes ?? 0) - (a.downloadBytes ?? 0))[0];
  const chosen = wanted === "auto" ? largest : ready.find(({ id }) => id === wanted);
  const entry = chosen === undefined ? undefined : models.entry(chosen.id);
  return entry?.task === "generate" ? entry : null;
}

/**
 * The name of a model for people who do not own it: a folder or file of its owner's is named without its
 * place.
 */
export const publicModelName = (id: string): string => (isModelPath(id) ? basename(id) : id);

/** Name of the embedding model of the settings. @throws NOT_FOUND, CONFIG_INVALID, MODEL_MISSING */
export const embeddingModel = async ({
  embedders,
}: {
  readonly embedders: { facts(): Promise<{ readonly id: string }> };
}): Promise<string> => publicModelName((await embedders.facts()).id);
