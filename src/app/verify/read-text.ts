import { dirname } from "node:path";
import type { Block, BlockKind } from "../../core/documents/document.ts";
import { isFailure } from "../../core/flow.ts";
import type { Run } from "../../core/run.ts";
import { read } from "../../pipeline/ingest/read.ts";
import type { Home } from "../home.ts";

/** Blocks that state nothing in sentences. */
const wordless: ReadonlySet<BlockKind> = new Set(["heading", "table", "code", "picture"]);

const textOf = (blocks: readonly Block[]): string =>
  blocks
    .filter(({ kind }) => !wordless.has(kind))
    .map(({ text }) => text)
    .join("\n\n");

/**
 * The running text of a file in any format that can be ingested, without headings, tables and code. @throws
 * PERMISSION_DENIED for a file that the run's principal may not ingest, SOURCE_*
 */
export async function readText(path: string, home: Home, run: Run): Promise<string> {
  await home.access.source(run, path);
  const { createSourceReaders, parseCached } = await import("../engines/parsers.ts");
  const { maxBytes } = home.settings.parse;
  await using pool = createSourceReaders(home.settings);
  const texts: string[] = [];
  for await (const file of read([path], { cwd: dirname(path), maxBytes }, run)) {
    if (isFailure(file)) throw file.error;
    const parse = () => pool.parse(file, run.signal);
    const { content } = await parseCached(file, home.settings, await home.cache(), parse);
    texts.push(textOf(content.blocks));
  }
  return texts.join("\n\n");
}
