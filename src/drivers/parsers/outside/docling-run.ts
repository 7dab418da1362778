import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { SourceFile } from "../../../core/documents/document.ts";
import { formatsWhere } from "../../../core/documents/formats.ts";
import { RagctlError } from "../../../core/errors.ts";
import { copyVerifiedFile, readBytes } from "../process/read-bytes.ts";
import { outputLimitError, runCommand, timeoutError } from "./command.ts";

export interface DoclingOptions {
  /**
   * Address of a docling-serve, e.g. `http://127.0.0.1:5001`; the installed `docling` command where it is
   * left out.
   */
  readonly url?: string;
  /** The command and its leading arguments. Default `["docling"]`. */
  readonly command?: readonly string[];
  /** Most time one document may take, milliseconds. */
  readonly timeoutMs: number;
  /** Most bytes of the answer. */
  readonly maxOutputBytes: number;
}

/** Formats that docling reads and that are worth handing over. */
export const doclingFormats: ReadonlySet<string> = formatsWhere((facts) => facts.byDocling === true);

async function byCommand(
  file: SourceFile,
  options: DoclingOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  await using copy = await copyVerifiedFile(file);
  const folder = await mkdtemp(join(tmpdir(), "ragctl-docling-"));
  try {
    const [program = "docling", ...leading] = options.command ?? ["docling"];
    const how = "--to json --image-export-mode placeholder --output".split(" ");
    const { timeoutMs, maxOutputBytes } = options;
    const argv = [program, ...leading, ...how, folder, copy.path];
    await runCommand(argv, file.name, { timeoutMs, maxOutputBytes, signal });
    const written = (await readdir(folder)).find((entry) => entry.endsWith(".json"));
    if (written === undefined) throw new Error("docling wrote no JSON");
    const path = join(folder, written);
    if ((await stat(path)).size > maxOutputBytes) throw outputLimitError(program, file.name, maxOutputBytes);
    return new Uint8Array(await readFile(path));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function byServer(
  file: SourceFile,
  url: string,
  options: DoclingOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const form = new FormData();
  form.append("files", new Blob([await readBytes(file)]), basename(file.name));
  form.append("to_formats", "json");
  form.append("image_export_mode", "placeholder");
  const response = await fetch(new URL("/v1/convert/file", url), {
    method: "POST",
    body: form,
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the server responded with status ${response.status}`);
  }
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > options.maxOutputBytes)
      throw outputLimitError(`docling at ${url}`, file.name, options.maxOutputBytes);
    pieces.push(piece);
  }
  const answer: unknown = JSON.parse(Buffer.concat(pieces).toString("utf8"));
  const document =
    answer !== null && typeof answer === "object" && "document" in answer ? answer.document : undefined;
  const content =
    document !== null && typeof document === "object" && "json_content" in document
      ? document.json_content
      : undefined;
  if (content === undefined || content === null)
    throw new Error("the server's response contains no document");
  return new TextEncoder().encode(JSON.stringify(content));
}

/**
 * A document as DoclingDocument JSON, by an installed docling or a docling-serve. @throws SOURCE_UNREADABLE,
 * PARSER_TIMEOUT, PARSER_MEMORY
 */
export async function runDocling(
  file: SourceFile,
  options: DoclingOptions,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    return await (options.url === undefined
      ? byCommand(file, options, signal)
      : byServer(file, options.url, options, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RagctlError) throw error;
    if (error instanceof Error && error.name === "TimeoutError")
      throw timeoutError(`docling at ${options.url}`, file.name, options.timeoutMs);
    const reason =
      error instanceof Error
        ? error.cause instanceof Error
          ? error.cause.message
          : error.message
        : String(error);
    throw new RagctlError(
      "SOURCE_UNREADABLE",
      `docling${options.url === undefined ? "" : ` at ${options.url}`} could not read ${file.name}: ${reason}`,
      {
        hint: "check that docling is installed or running, or set parse.parser to builtin",
        cause: error,
      },
    );
  }
}
