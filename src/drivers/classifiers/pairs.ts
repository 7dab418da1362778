import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { RagctlError } from "../../core/errors.ts";
import { type Precision, planBatches } from "../embedders/batch.ts";
import { usableCores } from "../runtime/cores.ts";
import { openPool } from "../runtime/threads.ts";
import { type EncodedPair, openTokenizer } from "../runtime/tokenizer.ts";
import type { Classifier, ClassifierSettings } from "./classifier.ts";
import { readDescription } from "./description.ts";

export interface PairSettings {
  /** Model id of the manifest, or the absolute path of a folder of the user's own. */
  readonly id: string;
  /** Folder of config.json. */
  readonly folder: string;
  readonly modelPath: string;
  readonly tokenizerPath: string;
  /** Precision of the weights; absent: unknown, which counts as int8. */
  readonly precision?: Precision;
  /** CPU threads; 0 takes every core. */
  readonly threads: number;
}

/** Classifies pairs of texts. */
export interface PairClassifier extends AsyncDisposable {
  /** Names of the outputs, by their position. */
  readonly labels: readonly string[];
  /**
   * One row of logits per pair, same order. A pair longer than the model reads is cut as `encodePair` says.
   * Pairs not begun when the signal aborts are dropped.
   */
  logits(
    pairs: readonly (readonly [first: string, second: string])[],
    signal: AbortSignal,
  ): Promise<readonly Float32Array[]>;
}

/**
 * Padded tokens of one run: eight pairs of the usual 512, so that a stopped search waits for no more than
 * these.
 */
const runTokens = 4096;

/**
 * Opens a cross-encoder in ONNX format in a separate thread, with all its CPU threads in one run. Float
 * models run in batches of similar length and are equal only to rounding. Int8 models run one pair at a time
 * because their scales are computed over the whole batch.
 * @throws MODEL_MISSING, MODEL_UNREADABLE
 */
export async function openPairs(settings: PairSettings): Promise<PairClassifier> {
  const { id, folder, modelPath, threads } = settings;
  const [description, tokenizer] = await Promise.all([
    readDescription(`${folder}/config.json`),
    openTokenizer(settings.tokenizerPath),
  ]);
  const { labels, maxTokens } = description;
  const pool = await openPool<
    ClassifierSettings,
    Classifier["facts"],
    readonly EncodedPair[],
    readonly Float32Array[]
  >({
    name: `classifier ${id}`,
    worker: new URL(`./classifier-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
    settings: {
      ...{ id, folder, modelPath, padId: tokenizer.padId, labels: labels.length },
      threads: threads > 0 ? threads : usableCores(),
    },
    size: 1,
  });
  const batching = (settings.precision ?? "int8") === "int8" ? "single" : "token-budget";
  return {
    labels,
    async logits(pairs, signal) {
      signal.throwIfAborted();
      const encoded = pairs.map(([first, second]) => tokenizer.encodePair(first, second, maxTokens));
      const plan = planBatches(
        encoded.map(({ ids }) => ids.length),
        batching,
        runTokens,
      );
      const inputs = plan.map((batch) => batch.flatMap((at) => encoded[at] ?? []));
      const outputs = await pool.run(inputs, signal);
      const rows = new Map(
        plan.flatMap((batch, run) => batch.map((at, place) => [at, outputs[run]?.[place]] as const)),
      );
      return pairs.map((_, at) => {
        const row = rows.get(at);
        if (row === undefined || !row.every(Number.isFinite))
          throw new RagctlError("MODEL_UNREADABLE", `${id} gave no score for a pair`, {
            hint: "download it again with `ragctl models pull`",
          });
        return row;
      });
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
