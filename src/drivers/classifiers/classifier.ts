import { RagctlError } from "../../core/errors.ts";
import { openOnnx } from "../runtime/onnx.ts";
import type { EncodedPair } from "../runtime/tokenizer.ts";

/** What a classifier's thread needs to know; plain data. */
export interface ClassifierSettings {
  readonly id: string;
  readonly modelPath: string;
  /** Threads inside one run. */
  readonly threads: number;
  readonly padId: number;
  /** Outputs of the model. */
  readonly labels: number;
}

/** Token ids of pairs in, one row of logits per pair out: one run of the model, in the calling thread. */
export interface Classifier extends AsyncDisposable {
  readonly facts: { readonly provider: "cpu" };
  /** @param pairs of unequal length are padded to the longest */
  classify(pairs: readonly EncodedPair[]): Promise<readonly Float32Array[]>;
}

function inputsOf(pairs: readonly EncodedPair[], padId: number) {
  const width = Math.max(...pairs.map(({ ids }) => ids.length));
  const tensor = (fill: number, row: (pair: EncodedPair) => readonly number[]) => {
    const data = new BigInt64Array(pairs.length * width).fill(BigInt(fill));
    for (const [at, pair] of pairs.entries()) data.set(row(pair).map(BigInt), at * width);
    return { data, dims: [pairs.length, width] };
  };
  return {
    input_ids: tensor(padId, ({ ids }) => ids),
    attention_mask: tensor(0, ({ ids }) => ids.map(() => 1)),
    token_type_ids: tensor(0, ({ typeIds }) => typeIds),
  };
}

/** Opens a model of the transformers family as a classifier of text pairs. @throws MODEL_MISSING, MODEL_UNREADABLE */
export async function openClassifier(settings: ClassifierSettings): Promise<Classifier> {
  const { id, modelPath, threads, padId, labels } = settings;
  const session = await openOnnx({ modelPath, threads, device: "cpu" });
  return {
    facts: { provider: "cpu" },
    async classify(pairs) {
      const logits = (await session.run(inputsOf(pairs, padId), ["logits"])).get("logits");
      if (logits === undefined || logits.dims.length !== 2 || logits.dims[1] !== labels) {
        const shape = logits === undefined ? "no logits" : `logits of ${logits.dims.slice(1).join(" × ")}`;
        throw new RagctlError(
          "MODEL_UNREADABLE",
          `${id} gives ${shape} for a pair, and its config.json names ${labels} labels`,
          { hint: "fetch it again with `ragctl models pull`" },
        );
      }
      return pairs.map((_, row) => logits.data.slice(row * labels, (row + 1) * labels));
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}
