import type { ParsedDocument } from "../../core/documents/document.ts";
import { asRagctlError, RagctlError } from "../../core/errors.ts";
import { type DoclingOptions, doclingFormats, runDocling } from "./outside/docling-run.ts";
import { type LoaderOptions, loaderOf, runLoader } from "./outside/loader.ts";
import type { ParserPool } from "./process/pool.ts";

export interface ReaderOptions {
  /** Commands of the user by extension; they go before everything else. */
  readonly loaders?: LoaderOptions;
  /** Let docling read what it can; what it fails on is read by the built-in parser, and a warning says so. */
  readonly docling?: DoclingOptions;
}

/** The pool with the user's loaders and docling before it. Disposing it disposes the pool. */
export function createParserChain(pool: ParserPool, { loaders, docling }: ReaderOptions): ParserPool {
  if (loaders === undefined && docling === undefined) return pool;
  return {
    async parse(file, signal): Promise<ParsedDocument> {
      const argv = loaders === undefined ? undefined : loaderOf(loaders.loaders, file.name);
      if (loaders !== undefined && argv !== undefined) return await runLoader(file, argv, loaders, signal);
      if (docling === undefined || !doclingFormats.has(file.format)) return await pool.parse(file, signal);
      try {
        const { default: parser } = await import("./outside/docling.ts");
        const content = await parser().parse(await runDocling(file, docling, signal), { name: file.name });
        return { file, content, method: "docling" };
      } catch (error) {
        signal.throwIfAborted();
        const reason = asRagctlError(error).message;
        const read = await pool.parse(file, signal).catch((own: unknown) => {
          signal.throwIfAborted();
          const { code, message, hint } = asRagctlError(own);
          throw new RagctlError(code, `${message}; before that, ${reason}`, {
            ...(hint === undefined ? {} : { hint }),
            cause: own,
          });
        });
        const warnings = [`${reason}; the built-in parser read it instead`, ...read.content.warnings];
        return { ...read, content: { ...read.content, warnings } };
      }
    },
    workers: pool.workers,
    counts: pool.counts,
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}
