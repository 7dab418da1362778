import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type * as Ort from "onnxruntime-node";
import { fuseAttention } from "./fuse-attention.ts";
import { readModel, writeModel } from "./onnx-file.ts";

/** A model and where its faster form is kept. */
export interface OneTextModelSettings {
  readonly modelPath: string;
  /** Lowercase hex; of the model's file. */
  readonly modelSha256: string;
  readonly cacheFolder: string;
}

/** Hex digits of a model's hash in the name of its file. */
const hashDigits = 16;

/** Writes a file whole or not at all. */
async function place(path: string, write: (partial: string) => Promise<void>): Promise<void> {
  const partial = `${path}.${randomUUID()}.part`;
  try {
    await write(partial);
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * A form of a model that computes the same for one text a run, faster: attention is one operation, and the graph
 * is optimised beforehand, which saves half of the time to open it. Made once for a model and a version of the
 * runtime, and kept; an empty file says that nothing can be gained.
 * @returns its path; null where there is none, or where it cannot be made or kept
 */
export async function oneTextModel(
  { modelPath, modelSha256, cacheFolder }: OneTextModelSettings,
  runtime: Pick<typeof Ort, "InferenceSession" | "env">,
): Promise<string | null> {
  const hash = modelSha256.slice(0, hashDigits);
  const name = `${hash}-ort${runtime.env.versions.node ?? runtime.env.versions.common}.onnx`;
  const path = join(cacheFolder, name);
  const sizeOf = (): Promise<number | undefined> =>
    stat(path).then(
      ({ size }) => size,
      () => undefined,
    );
  const size = await sizeOf();
  if (size !== undefined) return size === 0 ? null : path;
  try {
    await mkdir(cacheFolder, { recursive: true });
    const model = readModel(await readFile(modelPath));
    const fused = model === null ? 0 : fuseAttention(model);
    if (model === null || fused === 0) await writeFile(path, "");
    else
      await place(path, async (partial) => {
        const session = await runtime.InferenceSession.create(writeModel(model), {
          executionProviders: ["cpu"],
          graphOptimizationLevel: "extended",
          logSeverityLevel: 3,
          optimizedModelFilePath: partial,
        });
        await session.release();
      });
    const others = (await readdir(cacheFolder)).filter(
      (file) => file.startsWith(`${hash}-`) && file !== name,
    );
    await Promise.all(others.map((file) => rm(join(cacheFolder, file), { force: true })));
    return fused === 0 ? null : path;
  } catch {
    // Nothing but time is lost: the model runs as it is.
    return null;
  }
}
