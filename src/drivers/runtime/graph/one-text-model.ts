import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type * as Ort from "onnxruntime-node";
import { fuseAttention } from "./fuse-attention.ts";
import { type OnnxFile, readModel, writeModel } from "./onnx-file.ts";

/** A model and where its faster form is kept. */
export interface OneTextModelSettings {
  readonly modelPath: string;
  /** Lowercase hex; of the model's file. */
  readonly modelSha256: string;
  readonly cacheFolder: string;
}

/** Hex digits of a model's hash in the name of its file. */
const hashDigits = 16;

/** Modification time of a kept model, ms since 1970: one that was altered has another, and is made again. */
const madeAtMs = Date.UTC(2000, 0, 1);

/** Writes a file whole or not at all. */
async function place(path: string, write: (partial: string) => Promise<void>): Promise<void> {
  const partial = `${path}.${randomUUID()}.part`;
  try {
    await write(partial);
    await utimes(partial, madeAtMs / 1000, madeAtMs / 1000);
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * A form of a model that computes the same for one text a run, faster: attention is one operation, and the
 * graph is optimized beforehand, which halves the time to open it. Made once for a model and a version of the
 * runtime, and kept; an empty file records that nothing can be gained.
 * @returns its path; null where there is none, or where it cannot be made or kept
 */
export async function singleTextModel(
  { modelPath, modelSha256, cacheFolder }: OneTextModelSettings,
  runtime: Pick<typeof Ort, "InferenceSession" | "Tensor" | "env">,
): Promise<string | null> {
  const hash = modelSha256.slice(0, hashDigits);
  const name = `${hash}-ort${runtime.env.versions.node ?? runtime.env.versions.common}.onnx`;
  const path = join(cacheFolder, name);
  const sizeOf = (): Promise<number | undefined> =>
    stat(path).then(
      ({ size, mtimeMs }) => (size === 0 || mtimeMs === madeAtMs ? size : undefined),
      () => undefined,
    );
  const size = await sizeOf();
  if (size !== undefined) return size === 0 ? null : path;
  try {
    await mkdir(cacheFolder, { recursive: true });
    const model = readModel(await readFile(modelPath));
    const isMade =
      model !== null && fuseAttention(model) > 0 && (await make(model, modelPath, path, runtime));
    if (!isMade) await writeFile(path, "");
    // A draft may be another process's.
    const others = (await readdir(cacheFolder)).filter(
      (file) => file.startsWith(`${hash}-`) && file.endsWith(".onnx") && file !== name,
    );
    await Promise.all(others.map((file) => rm(join(cacheFolder, file), { force: true })));
    return isMade ? path : null;
  } catch {
    // Only time is lost: the model runs without the change. Another process may have written it meanwhile.
    return (await sizeOf()) ? path : null;
  }
}

/**
 * Optimises and keeps a rewritten model, if it opens and computes the same as the one it was made of; whether
 * it does.
 */
async function make(
  model: OnnxFile,
  modelPath: string,
  path: string,
  runtime: Pick<typeof Ort, "InferenceSession" | "Tensor">,
): Promise<boolean> {
  const options = { executionProviders: ["cpu"], logSeverityLevel: 3, intraOpNumThreads: 1 } as const;
  let isSame = false;
  await place(path, async (partial) => {
    const made = { ...options, graphOptimizationLevel: "extended", optimizedModelFilePath: partial } as const;
    const sessions = await Promise.allSettled([
      runtime.InferenceSession.create(modelPath, options),
      runtime.InferenceSession.create(writeModel(model), made),
    ]);
    const open = sessions.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const [before, after] = open;
    isSame =
      before !== undefined && after !== undefined && (await likeness(before, after, runtime)) >= leastCosine;
    await Promise.all(open.map((session) => session.release()));
    if (!isSame) await writeFile(partial, "");
  });
  return isSame;
}

/** Tokens of the text that both forms of a model are tried on; ids that every vocabulary has. */
const trial = { tokens: 48, firstId: 5, ids: 50 } as const;
/** Least cosine between the outputs of both: int8 amplifies differences in the last digit. */
const leastCosine = 0.995;

/** Cosine of the first outputs of two models for one text; 0 where one is not like the other. */
async function likeness(
  before: Ort.InferenceSession,
  after: Ort.InferenceSession,
  { Tensor }: Pick<typeof Ort, "Tensor">,
): Promise<number> {
  const dims = [1, trial.tokens];
  const filled = (value: (at: number) => number): Ort.Tensor =>
    new Tensor(
      "int64",
      BigInt64Array.from({ length: trial.tokens }, (_, at) => BigInt(value(at))),
      dims,
    );
  const given: Readonly<Record<string, Ort.Tensor>> = {
    input_ids: filled((at) => trial.firstId + ((at * 7) % trial.ids)),
    attention_mask: filled(() => 1),
    token_type_ids: filled(() => 0),
  };
  const run = async (session: Ort.InferenceSession): Promise<readonly number[]> => {
    const feeds = Object.fromEntries(
      session.inputNames.flatMap((name) => (given[name] ? [[name, given[name]]] : [])),
    );
    const [name = ""] = session.outputNames;
    const output = (await session.run(feeds, [name]))[name];
    return Array.from((output?.data ?? []) as ArrayLike<number>, Number);
  };
  const [left, right] = [await run(before), await run(after)];
  if (left.length !== right.length) return 0;
  const dot = (one: readonly number[], other: readonly number[]): number =>
    one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}
