import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CosineRange, Embedder, Embedding } from "../../core/documents/embedding.ts";
import { RagctlError } from "../../core/errors.ts";
import { usableCores } from "../runtime/cores.ts";
import type { Device } from "../runtime/onnx.ts";
import { openPool } from "../runtime/threads.ts";
import { type ModelTokenizer, openTokenizer } from "../runtime/tokenizer.ts";
import type { Precision } from "./batch.ts";
import { batchingFor, batchTokens, planBatches } from "./batch.ts";
import type { EncodeInput, EncoderFacts, EncoderSettings } from "./encoder.ts";
import type { OutputNames } from "./heads.ts";
import type { Pooling } from "./pooling.ts";

export interface OnnxEmbedderSettings {
  /** Model id of the manifest, or the absolute path of a model of the user's own. */
  readonly id: string;
  readonly architecture: "bert" | "bge-m3";
  /** How token states become one vector, where the model does not say. */
  readonly pooling: Pooling;
  /** Put before a text of that purpose; "" for none. */
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  /** Longest input, special tokens included. */
  readonly maxTokens: number;
  readonly dimensions: number;
  /** Output names, where the usual ones do not find them. */
  readonly outputs?: OutputNames;
  readonly modelPath: string;
  readonly tokenizerPath: string;
  /** Lowercase hex; becomes part of the fingerprint. */
  readonly modelSha256: string;
  readonly device: Device;
  /** CPU threads; 0 takes every core. */
  readonly threads: number;
  readonly precision: Precision;
  readonly language?: "english" | "multilingual";
  readonly cosineRange?: CosineRange;
  /** Texts that share a run where runs are shared, on a GPU. Default: as many as fit. */
  readonly batchSize?: number;
  /** Folder for an optimized form of the model; none is made without it. */
  readonly cacheFolder?: string;
}

export interface OnnxEmbedder extends Embedder {
  /** Why CUDA was wanted and not had; "" when there is nothing to say. */
  readonly fallback: string;
}

/** Above this size a model is held once, with all threads in one run, instead of once per thread. */
const sharedModelBytes = 256 * 1024 * 1024;

/** Size of the model file and of the data files in its folder that carry its name. */
async function modelBytes(modelPath: string): Promise<number> {
  const folder = dirname(modelPath);
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names
      .filter((name) => name.startsWith(basename(modelPath)))
      .map(async (name) => (await stat(join(folder, name))).size),
  );
  return sizes.reduce((total, size) => total + size, 0);
}

/** The facts that vectors depend on. */
export type FingerprintFacts = Pick<
  OnnxEmbedderSettings,
  "id" | "modelSha256" | "pooling" | "queryPrefix" | "passagePrefix" | "maxTokens" | "precision"
>;

/**
 * Changes whenever vectors would change by more than rounding; the same on every provider. A model at a path
 * is identified by its content, wherever it is.
 */
export function fingerprintOf(settings: FingerprintFacts): string {
  const prefixes = createHash("sha256")
    .update(`${settings.queryPrefix}\0${settings.passagePrefix}`)
    .digest("hex")
    .slice(0, 8);
  const id = isAbsolute(settings.id) ? "own" : settings.id;
  return [
    id,
    settings.modelSha256.slice(0, 8),
    settings.pooling,
    prefixes,
    settings.maxTokens,
    settings.precision,
  ].join(":");
}

/** Opens as many sessions as there are threads, or one with all of them for a large model. */
function openSessions(
  { modelPath, modelSha256, cacheFolder, ...settings }: OnnxEmbedderSettings,
  { padId, specialIds }: Pick<ModelTokenizer, "padId" | "specialIds">,
  bytes: number,
) {
  const { id, architecture, pooling, dimensions, outputs, device } = settings;
  const cores = settings.threads > 0 ? settings.threads : usableCores();
  const isShared = bytes > sharedModelBytes;
  // A large model would need twice its size in memory to be rewritten.
  const isKept = cacheFolder !== undefined && !isShared && /^[0-9a-f]{64}$/.test(modelSha256);
  const oneText = isKept ? { modelPath, modelSha256, cacheFolder } : null;
  const encoder: EncoderSettings = {
    ...{ id, architecture, pooling, dimensions, modelPath, device },
    ...(outputs && { outputs }),
    ...(oneText && { oneText }),
    threads: isShared ? cores : 1,
    padId,
    specialIds: [...specialIds],
  };
  return openPool<EncoderSettings, EncoderFacts, EncodeInput, readonly Embedding[]>({
    name: `embedder ${id}`,
    worker: new URL(`./onnx-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
    settings: encoder,
    size: isShared ? 1 : cores,
  });
}

/**
 * Opens a text encoder in ONNX format: dense models of the BERT family, and BGE-M3 with its three heads.
 * @throws MODEL_MISSING, MODEL_UNREADABLE
 */
export default async function open(settings: OnnxEmbedderSettings): Promise<OnnxEmbedder> {
  const { id, dimensions, modelPath, maxTokens } = settings;
  const [tokenizer, bytes] = await Promise.all([
    openTokenizer(settings.tokenizerPath),
    modelBytes(modelPath),
  ]);
  const pool = await openSessions(settings, tokenizer, bytes);
  const batching = batchingFor(pool.facts.provider, settings.precision);

  return {
    id,
    fingerprint: fingerprintOf(settings),
    dimensions,
    maxTokens,
    ...pool.facts,
    ...(settings.language && { language: settings.language }),
    ...(settings.cosineRange && { cosineRange: settings.cosineRange }),
    tokenizer,
    async embed(texts, { purpose, multi = false }, signal) {
      signal.throwIfAborted();
      const prefix = purpose === "query" ? settings.queryPrefix : settings.passagePrefix;
      const unique = [...new Set(texts)];
      const rows = unique.map((text) =>
        Int32Array.from(tokenizer.encodeForModel(prefix + text, maxTokens).ids),
      );
      const plan = planBatches(
        rows.map((row) => row.length),
        batching,
        batchTokens,
        settings.batchSize,
      );
      const inputs = plan.map((batch) => ({ rows: batch.map((at) => rows[at] ?? new Int32Array()), multi }));
      const results = await pool.run(inputs, signal, purpose === "query");
      const byText = new Map<string, Embedding>();
      for (const [batch, positions] of plan.entries()) {
        for (const [place, at] of positions.entries()) {
          const embedding = results[batch]?.[place];
          if (embedding !== undefined) byText.set(unique[at] ?? "", embedding);
        }
      }
      return texts.map((text) => {
        const embedding = byText.get(text);
        if (embedding === undefined)
          throw new RagctlError("INTERNAL", `${id} gave no vector for a text of ${text.length} characters`);
        return embedding;
      });
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
