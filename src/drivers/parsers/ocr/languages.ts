import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { RagctlError } from "../../../core/errors.ts";

/** A folder with `<code>.traineddata`, packed or not, for every requested language. */
export interface LanguageFolder {
  readonly path: string;
  readonly gzip: boolean;
}

const unpack = promisify<Uint8Array, Uint8Array>(gunzip);

/**
 * Files that may hold a language, best first: the folder of the settings, then the installed data package.
 */
function* candidates(code: string, folder: string): Generator<string> {
  for (const end of ["", ".gz"]) if (folder !== "") yield join(folder, `${code}.traineddata${end}`);
  try {
    const entry = createRequire(import.meta.url).resolve(`@tesseract.js-data/${code}/package.json`);
    for (const variant of ["4.0.0_best_int", "4.0.0"])
      yield join(dirname(entry), variant, `${code}.traineddata.gz`);
  } catch (error) {
    // Not installed: only the folder may hold the language.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

async function findLanguage(code: string, folder: string): Promise<string> {
  if (!/^[A-Za-z0-9_]{2,40}$/.test(code)) {
    throw new RagctlError("CONFIG_INVALID", `"${code}" is not a tesseract language code`, {
      hint: "use codes such as eng, deu or vie",
    });
  }
  for (const path of candidates(code, folder)) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === true) return path;
  }
  throw new RagctlError("RUNTIME_MISSING", `no OCR data for the language "${code}" is installed`, {
    hint: `run npm install @tesseract.js-data/${code}, or put ${code}.traineddata into a folder and set parse.ocrFolder to it`,
  });
}

/** The data files of the languages, local files only. @throws RUNTIME_MISSING, CONFIG_INVALID */
export async function findLanguages(codes: readonly string[], folder: string): Promise<readonly string[]> {
  return await Promise.all(codes.map((code) => findLanguage(code, folder)));
}

/**
 * Runs `use` with one folder that holds all the files: their own where they share one, else a temporary copy.
 */
export async function withLanguageFolder<T>(
  files: readonly string[],
  use: (folder: LanguageFolder) => Promise<T>,
): Promise<T> {
  const [first = ""] = files;
  const gzip = first.endsWith(".gz");
  if (files.every((file) => dirname(file) === dirname(first) && file.endsWith(".gz") === gzip))
    return await use({ path: dirname(first), gzip });
  const path = await mkdtemp(join(tmpdir(), "ragctl-ocr-"));
  try {
    for (const file of files) {
      const name = /(?<![^\\/])([^\\/]+\.traineddata)(?:\.gz)?$/.exec(file)?.[1] ?? "";
      if (file.endsWith(".gz")) await writeFile(join(path, name), await unpack(await readFile(file)));
      else await copyFile(file, join(path, name));
    }
    return await use({ path, gzip: false });
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
