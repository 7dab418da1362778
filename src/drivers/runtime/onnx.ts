import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as Ort from "onnxruntime-node";
import { RagctlError } from "../../core/errors.ts";
import type { OneTextModelSettings } from "./graph/one-text-model.ts";
import { disableTelemetry } from "./telemetry.ts";

export type Device = "auto" | "cpu" | "cuda";

export interface OnnxSettings {
  readonly modelPath: string;
  /** `auto` takes CUDA when it can be had; `cuda` too, and says why when it cannot. */
  readonly device: Device;
  /** Threads inside one run. */
  readonly threads: number;
  /** Where a faster form of the model is kept that takes one text a run; none without it. */
  readonly oneText?: OneTextModelSettings;
}

/** A named tensor of a model; a dimension that varies is a name. */
export interface TensorFacts {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

/** Row-major integers going in. */
export interface IntegerTensor {
  readonly data: BigInt64Array;
  readonly dims: readonly number[];
}

/** Row-major floats coming out, whatever float the model computes in. */
export interface FloatTensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

export interface OnnxSession extends AsyncDisposable {
  /** Whether it must be given one text a run. */
  readonly isOneText: boolean;
  readonly provider: "cpu" | "cuda";
  /** Why CUDA was wanted and not had; "" when there is nothing to say. */
  readonly fallback: string;
  readonly inputs: readonly TensorFacts[];
  readonly outputs: readonly TensorFacts[];
  /** Blocks its thread while it computes. Inputs the model does not have are left out. */
  run(
    inputs: Readonly<Record<string, IntegerTensor>>,
    outputs: readonly string[],
  ): Promise<ReadonlyMap<string, FloatTensor>>;
}

export interface ProviderFacts {
  readonly name: string;
  /** Whether its library is on this machine; whether it starts can only be found by trying. */
  readonly installed: boolean;
}

/** The part of the package that is used. */
type Runtime = Pick<typeof Ort, "InferenceSession" | "Tensor" | "env" | "listSupportedBackends">;

async function load(): Promise<Runtime> {
  disableTelemetry();
  const ort = await import("onnxruntime-node");
  ort.env.logLevel = "error";
  return ort;
}

/** The binding looks for the CUDA provider in its own folder. */
function cudaLibrary(): string {
  const root = dirname(createRequire(import.meta.url).resolve("onnxruntime-node/package.json"));
  const name =
    process.platform === "win32" ? "onnxruntime_providers_cuda.dll" : "libonnxruntime_providers_cuda.so";
  return join(root, "bin", "napi-v6", process.platform, process.arch, name);
}

/** Providers this build of the runtime knows. */
export async function listProviders(): Promise<readonly ProviderFacts[]> {
  const ort = await load();
  return ort.listSupportedBackends().map(({ name, bundled }) => ({
    name,
    installed: bundled || (name === "cuda" && existsSync(cudaLibrary())),
  }));
}

function describe(
  names: readonly string[],
  metadata: readonly Ort.InferenceSession.ValueMetadata[],
): TensorFacts[] {
  return names.map((name, index) => {
    const facts = metadata[index];
    return facts?.isTensor === true
      ? { name, type: facts.type, shape: facts.shape }
      : { name, type: "unknown", shape: [] };
  });
}

/** IEEE 754 half to single precision, from raw bits. */
export function halfToFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function toFloats(tensor: Ort.Tensor): FloatTensor {
  const { data, dims } = tensor;
  if (data instanceof Float32Array) return { data, dims };
  if (data instanceof Uint16Array) return { data: Float32Array.from(data, halfToFloat), dims };
  // The outputs fetched are float tensors: float64 or Float16Array here.
  return { data: Float32Array.from(data as ArrayLike<number>), dims };
}

/** A session with what became of the wish for a provider. */
type Created = Pick<OnnxSession, "provider" | "fallback" | "isOneText"> & {
  readonly inner: Ort.InferenceSession;
};

const optionsFor = ({ threads }: OnnxSettings) =>
  ({
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
    // Plans of memory are kept for every length of text: 30 MB a session, and no faster.
    enableMemPattern: false,
  }) as const;

/** A session on CUDA, or why there is none; "" where CUDA was not requested by name and is missing. */
async function onCuda(ort: Runtime, settings: OnnxSettings): Promise<Created | string> {
  if (settings.device === "cpu") return "";
  if (!existsSync(cudaLibrary()))
    return settings.device === "cuda" ? "the CUDA provider of onnxruntime is not installed" : "";
  try {
    const options = { ...optionsFor(settings), executionProviders: ["cuda"] };
    const inner = await ort.InferenceSession.create(settings.modelPath, options);
    return { inner, provider: "cuda", fallback: "", isOneText: false };
  } catch (error) {
    return `CUDA did not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @throws MODEL_UNREADABLE */
async function onCpu(ort: Runtime, settings: OnnxSettings, fallback: string): Promise<Created> {
  const openFile = async (path: string, isOneText: boolean): Promise<Created> => {
    const options = { ...optionsFor(settings), executionProviders: ["cpu"] };
    const inner = await ort.InferenceSession.create(path, options);
    return { inner, provider: "cpu", fallback, isOneText };
  };
  const faster = await fasterModel(ort, settings);
  // A file that does not open is removed, to be written again next time.
  const forget = (): Promise<null> =>
    rm(faster ?? "", { force: true }).then(
      () => null,
      () => null,
    );
  const opened = faster && (await openFile(faster, true).catch(forget));
  if (opened) return opened;
  try {
    return await openFile(settings.modelPath, false);
  } catch (cause) {
    throw new RagctlError("MODEL_UNREADABLE", `onnxruntime cannot run the model ${settings.modelPath}`, {
      hint: "download it again with `ragctl models pull`; keep all files of a model in one folder",
      cause,
    });
  }
}

async function create(ort: Runtime, settings: OnnxSettings): Promise<Created> {
  const created = await onCuda(ort, settings);
  return typeof created === "string" ? onCpu(ort, settings, created) : created;
}

/** The path of a form of the model that takes one text a run; null for none. */
async function fasterModel(ort: Runtime, { oneText }: OnnxSettings): Promise<string | null> {
  if (oneText === undefined) return null;
  const { singleTextModel } = await import("./graph/one-text-model.ts");
  return singleTextModel(oneText, ort);
}

/**
 * Opens a model on the best requested provider that actually starts.
 * @throws MODEL_MISSING, MODEL_UNREADABLE
 */
export async function openOnnx(settings: OnnxSettings): Promise<OnnxSession> {
  if (!existsSync(settings.modelPath)) {
    throw new RagctlError("MODEL_MISSING", `the model file ${settings.modelPath} does not exist`, {
      hint: "`ragctl models list` names what is installed; `ragctl models pull ID` downloads a model",
    });
  }
  const ort = await load();
  const { inner, provider, fallback, isOneText } = await create(ort, settings);
  const inputs = describe(inner.inputNames, inner.inputMetadata);
  return {
    provider,
    fallback,
    isOneText,
    inputs,
    outputs: describe(inner.outputNames, inner.outputMetadata),
    async run(given, outputs) {
      const feeds: Record<string, Ort.Tensor> = {};
      for (const { name, type } of inputs) {
        const tensor = given[name];
        if (tensor === undefined)
          throw new RagctlError(
            "MODEL_UNREADABLE",
            `${settings.modelPath} requires an input "${name}" that no text encoder has`,
          );
        feeds[name] =
          type === "int32"
            ? new ort.Tensor("int32", Int32Array.from(tensor.data, Number), tensor.dims)
            : new ort.Tensor("int64", tensor.data, tensor.dims);
      }
      const results = await inner.run(feeds, [...outputs]);
      return new Map(
        outputs.flatMap((name) =>
          results[name] === undefined ? [] : [[name, toFloats(results[name])] as const],
        ),
      );
    },
    [Symbol.asyncDispose]: () => inner.release(),
  };
}
