import { extname } from "node:path";
import type { ParsedDocument, SourceFile } from "../../../core/documents/document.ts";
import { copyVerifiedFile, readBytes } from "../process/read-bytes.ts";
import { runCommand } from "./command.ts";

export interface LoaderOptions {
  /**
   * Extension without its dot, in lower case → program and arguments. `{file}` in an argument becomes the
   * path of a copy of the file; where no argument has it, the file is given on standard input. Only from
   * settings the user trusts: it runs with the user's rights.
   */
  readonly loaders: Readonly<Record<string, readonly string[]>>;
  readonly timeoutMs: number;
  /** Most bytes a loader may print. */
  readonly maxOutputBytes: number;
}

/** The loader declared for a file's extension, undefined where there is none. */
export function loaderOf(loaders: LoaderOptions["loaders"], name: string): readonly string[] | undefined {
  const extension = extname(name).slice(1).toLowerCase();
  return Object.hasOwn(loaders, extension) ? loaders[extension] : undefined;
}

// Kept outside the function that uses it: the compiler does not rewrite the extension of an import inside a
// function with `await using`.
const loadMarkdown = () => import("../markup/markdown.ts");

/**
 * Reads a file by the user's own command, which prints text or Markdown. @throws RagctlError of scope
 * "document"
 */
export async function runLoader(
  file: SourceFile,
  argv: readonly string[],
  options: LoaderOptions,
  signal: AbortSignal,
): Promise<ParsedDocument> {
  const limits = { timeoutMs: options.timeoutMs, maxOutputBytes: options.maxOutputBytes, signal };
  await using copy = argv.some((word) => word.includes("{file}")) ? await copyVerifiedFile(file) : null;
  const printed =
    copy === null
      ? await runCommand(argv, file.name, { ...limits, input: await readBytes(file) })
      : await runCommand(
          argv.map((word) => word.replaceAll("{file}", copy.path)),
          file.name,
          limits,
        );
  const { default: markdown } = await loadMarkdown();
  const content = await markdown().parse(printed, { name: file.name });
  return { file, content, method: `loader:${argv[0] ?? ""}` };
}
