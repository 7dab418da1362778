import { createHash } from "node:crypto";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { RagctlError } from "../core/errors.ts";
import { z } from "../core/schema.ts";
import { hashFile } from "./catalog.ts";
import { type EmbedFacts, embedFacts } from "./manifest-schema.ts";

/** A text encoder in a folder of the user's own. */
export interface OwnEmbedder {
  readonly facts: EmbedFacts;
  readonly modelPath: string;
  readonly tokenizerPath: string;
  /** sha256 of what vectors depend on: the graph, its external weights and the tokenizer; lowercase hex. */
  readonly sha256: string;
}

const descriptionName = "embed.yaml";
/** `normalize` was required once and never read: a description that still states it stays valid. */
const descriptionSchema = embedFacts.extend({ normalize: z.boolean().optional() });
const descriptionExample =
  "architecture: bert, precision: fp32, language: multilingual, dimensions: 384, pooling: mean, " +
  'queryPrefix: "query: ", passagePrefix: "passage: ", maxTokens: 512';

/**
 * Reads a folder with an encoder: `model.onnx` (external weights in `model.onnx_data`), `tokenizer.json`, and
 * `embed.yaml`, which has the members of `embed` in models/manifest.yaml. `setting` is the setting that
 * errors name.
 * @throws MODEL_MISSING, CONFIG_INVALID naming what is missing
 */
export async function loadCustomEmbedder(folder: string, setting: string): Promise<OwnEmbedder> {
  const stats = await stat(folder).catch(() => undefined);
  if (stats === undefined) throw missing(setting, folder, "does not exist");
  if (!stats.isDirectory()) {
    throw invalid(
      `${setting} is ${folder}, which is not a folder`,
      `use the folder that contains model.onnx, tokenizer.json and ${descriptionName}`,
    );
  }
  const paths = { modelPath: join(folder, "model.onnx"), tokenizerPath: join(folder, "tokenizer.json") };
  const description = join(folder, descriptionName);
  const needed = [paths.modelPath, paths.tokenizerPath, description];
  const absent = (await Promise.all(needed.map(async (path) => ((await isFile(path)) ? [] : [path])))).flat();
  if (absent.length > 0) {
    const hint = absent.includes(description)
      ? `write ${descriptionName} as shown in docs/how-to/choose-models.md, e.g. { ${descriptionExample} }`
      : "add the missing files";
    throw missing(
      setting,
      folder,
      `lacks ${absent.map((path) => path.slice(folder.length + 1)).join(", ")}`,
      hint,
    );
  }
  const facts = await readFacts(description);
  const weights = `${paths.modelPath}_data`;
  const hashed = [paths.modelPath, ...((await isFile(weights)) ? [weights] : []), paths.tokenizerPath];
  const hashes = await Promise.all(hashed.map((path) => hashFile(path)));
  return { facts, ...paths, sha256: createHash("sha256").update(hashes.join("\n")).digest("hex") };
}

/** A classifier of text pairs in a folder. */
export interface ClassifierFiles {
  /** Folder of config.json. */
  readonly folder: string;
  readonly modelPath: string;
  readonly tokenizerPath: string;
}

/**
 * Finds a cross-encoder in a folder with the layout of model hubs: `config.json`, `tokenizer.json`, and
 * `model.onnx` in the same folder or in `onnx`. `setting` is the setting that errors name. @throws
 * MODEL_MISSING naming what is missing, CONFIG_INVALID
 */
export async function findCrossEncoder(folder: string, setting: string): Promise<ClassifierFiles> {
  const stats = await stat(folder).catch(() => undefined);
  if (stats === undefined) throw missing(setting, folder, "does not exist");
  if (!stats.isDirectory()) {
    const hint = "use the folder that contains config.json, tokenizer.json and model.onnx";
    throw invalid(`${setting} is ${folder}, which is not a folder`, hint);
  }
  const models = [join(folder, "model.onnx"), join(folder, "onnx", "model.onnx")];
  const [beside, within] = await Promise.all(models.map(isFile));
  const names = ["config.json", "tokenizer.json"];
  const there = await Promise.all(names.map((name) => isFile(join(folder, name))));
  const absent = names.filter((_, at) => there[at] !== true);
  if (beside !== true && within !== true) absent.push("model.onnx");
  if (absent.length > 0)
    throw missing(setting, folder, `lacks ${absent.join(", ")}`, "add the missing files");
  const modelPath = join(folder, ...(beside === true ? [] : ["onnx"]), "model.onnx");
  return { folder, modelPath, tokenizerPath: join(folder, "tokenizer.json") };
}

async function readFacts(path: string): Promise<EmbedFacts> {
  let content: unknown;
  try {
    content = parse(await readFile(path, "utf8"));
  } catch (cause) {
    throw invalid(
      `${path} is not valid YAML: ${cause instanceof Error ? cause.message.split("\n")[0] : cause}`,
      "correct that line",
      cause,
    );
  }
  const result = descriptionSchema.safeParse(content);
  if (result.success) {
    const { normalize: _, ...facts } = result.data;
    return facts;
  }
  const faults = result.error.issues
    .slice(0, 9)
    .map(({ path: [key], message }) => (key === undefined ? message : `${String(key)}: ${message}`));
  throw invalid(
    `${path} is not valid: ${faults.join("; ")}`,
    `example: { ${descriptionExample} }`,
    result.error,
  );
}

/**
 * The file of a language model at a path; what it holds is checked when it is opened. @throws MODEL_MISSING,
 * CONFIG_INVALID
 */
export async function findLanguageModel(path: string, setting: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw missing(setting, path, "does not exist");
  if (!stats.isFile())
    throw invalid(`${setting} is ${path}, which is not a file`, "use the path of the .gguf file itself");
  return path;
}

/**
 * How much of each end of a file is part of its mark, bytes: names of a GGUF at one, weights at the other.
 */
const markedBytes = 65_536;

/**
 * Identifies a file of weights wherever it is, without reading all of it: by its size and both ends. 8 hex
 * characters. @throws MODEL_UNREADABLE
 */
export async function weightsIdentity(path: string): Promise<string> {
  try {
    return await hashOfEnds(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RagctlError("MODEL_UNREADABLE", `cannot read the model file ${path}: ${reason}`, {
      hint: "grant yourself read access, or choose another model",
      cause,
    });
  }
}

async function hashOfEnds(path: string): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const hash = createHash("sha256").update(String(size));
  for (const position of [0, Math.max(0, size - markedBytes)]) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(markedBytes), 0, markedBytes, position);
    hash.update(buffer.subarray(0, bytesRead));
  }
  return hash.digest("hex").slice(0, 8);
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() === true;

const missing = (
  setting: string,
  path: string,
  why: string,
  hint = "check the path, or choose a model from `ragctl models list`",
): RagctlError => new RagctlError("MODEL_MISSING", `${setting} is ${path}, which ${why}`, { hint });

const invalid = (message: string, hint: string, cause?: unknown): RagctlError =>
  new RagctlError("CONFIG_INVALID", message, { hint, cause });
