import { basename, dirname, join } from "node:path";
import type * as Library from "@huggingface/transformers";
import { RagctlError } from "../../core/errors.ts";
import { disableTelemetry } from "../runtime/telemetry.ts";
import type { EncodedPair } from "../runtime/tokenizer.ts";

/** Start data of a classifier's thread; plain data. */
export interface ClassifierSettings {
  readonly id: string;
  /** The .onnx file. config.json is in the same folder, or in the parent of a folder named `onnx`. */
  readonly modelPath: string;
  /** Folder of config.json. */
  readonly folder: string;
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

type Runtime = Pick<typeof Library, "AutoModelForSequenceClassification" | "Tensor">;

/** The package without network access: it only loads files of a folder. */
async function load(): Promise<Runtime> {
  disableTelemetry();
  const library = await import("@huggingface/transformers");
  const { env } = library;
  env.allowRemoteModels = false;
  env.localModelPath = "";
  env.fetch = async () => {
    throw new RagctlError("INTERNAL", "a model that is loaded from a folder asked for the network");
  };
  env.logLevel = library.LogLevel.NONE;
  return library;
}

function inputsOf({ Tensor }: Runtime, pairs: readonly EncodedPair[], padId: number) {
  const width = Math.max(...pairs.map(({ ids }) => ids.length));
  const tensor = (fill: number, row: (pair: EncodedPair) => readonly number[]) => {
    const values = new BigInt64Array(pairs.length * width).fill(BigInt(fill));
    for (const [at, pair] of pairs.entries()) values.set(row(pair).map(BigInt), at * width);
    return new Tensor("int64", values, [pairs.length, width]);
  };
  return {
    input_ids: tensor(padId, ({ ids }) => ids),
    attention_mask: tensor(0, ({ ids }) => ids.map(() => 1)),
    token_type_ids: tensor(0, ({ typeIds }) => typeIds),
  };
}

/** Opens a model of the transformers family as a classifier of text pairs. @throws MODEL_UNREADABLE */
export async function openClassifier(settings: ClassifierSettings): Promise<Classifier> {
  const { id, modelPath, folder, labels } = settings;
  const library = await load();
  const unreadable = (what: string, cause?: unknown): RagctlError =>
    new RagctlError("MODEL_UNREADABLE", `${id} ${what}`, {
      hint: "download it again with `ragctl models pull`; keep all files of a model in one folder",
      cause,
    });
  const model = await library.AutoModelForSequenceClassification.from_pretrained(folder, {
    subfolder: dirname(modelPath) === folder ? "" : basename(dirname(modelPath)),
    model_file_name: basename(modelPath, ".onnx"),
    dtype: "fp32", // no suffix after the file's name; the weights are whatever the file holds
    device: "cpu",
    local_files_only: true,
    session_options: { intraOpNumThreads: settings.threads, interOpNumThreads: 1, logSeverityLevel: 3 },
  }).catch((cause: unknown) => {
    throw unreadable(`is not a runnable model (${join(folder, "config.json")}, ${modelPath})`, cause);
  });
  const session: { readonly inputNames: readonly string[] } | undefined = model.sessions["model"];
  const wanted = new Set(session?.inputNames);
  return {
    facts: { provider: "cpu" },
    async classify(pairs) {
      const inputs = Object.entries(inputsOf(library, pairs, settings.padId)).filter(([name]) =>
        wanted.has(name),
      );
      const { logits }: { logits?: Library.Tensor } = await model(Object.fromEntries(inputs));
      if (logits === undefined || logits.dims.length !== 2 || logits.dims[1] !== labels) {
        const shape = logits === undefined ? "no logits" : `logits of ${logits.dims.slice(1).join(" × ")}`;
        throw unreadable(`gives ${shape} for a pair, but its config.json has ${labels} labels`);
      }
      const values = Float32Array.from(logits.data as ArrayLike<number>); // floats of whatever precision
      return pairs.map((_, row) => values.slice(row * labels, (row + 1) * labels));
    },
    async [Symbol.asyncDispose]() {
      await model.dispose();
    },
  };
}
