import type { Command } from "commander";
import type { DocumentSummary } from "../../core/app.ts";
import { cellsOf } from "../../core/documents/cells.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import { RagctlError } from "../../core/errors.ts";
import { metadataLines } from "../../core/metadata/metadata.ts";
import { z } from "../../core/schema.ts";
import { addDocumentArgument, resolveDocumentArgument } from "../../operations/documents/reference.ts";
import { textFlags } from "../../operations/fields.ts";
import { field, type InputOf } from "../../operations/operation.ts";
import {
  bytes,
  cutMiddle,
  displayWidth,
  location,
  oneLine,
  plural,
  singleLine,
} from "../../operations/text.ts";
import { documentsShape, showShape } from "../../shapes/documents.ts";
import { declare } from "../commands.ts";
import { defineCommand } from "../operations.ts";
import { table, terminalColumns } from "../shell/output.ts";
import { createProgress } from "../shell/progress.ts";
import type { Session } from "../shell/session.ts";
import { renderChunks, renderMarkdown } from "./export.ts";

const exportForms = ["doc_chunks", "markdown", "json"] as const;

/** Prints a document as its parser read it; always raw on stdout, whatever the format of results. */
async function exportDocument(
  reference: string,
  form: (typeof exportForms)[number],
  session: Session,
): Promise<void> {
  const app = await session.app();
  if (form === "doc_chunks") {
    const chunks = renderChunks((await app.show(reference, session.run)).chunks);
    session.output.stream(`${JSON.stringify(chunks, null, 2)}\n`);
    return;
  }
  const content = await app.reading(reference, session.run);
  session.output.stream(
    form === "markdown" ? renderMarkdown(content) : `${JSON.stringify(content, null, 2)}\n`,
  );
}

/** `ragctl list`, `show`, `forget`: the stored documents. */
export function registerDocuments(program: Command): void {
  const listed = {
    input: {
      collections: textFlags("-c, --collection <name>", "list only this collection; may be repeated"),
    },
    examples: ["ragctl list --collection manuals --format json"],
  };
  defineCommand(declare(program, "list"), listed, async ({ app, output, run }, { collections = [] }) => {
    const documents = await (await app()).documents(collections, run);
    output.result({ text: listText(documents), data: documentsShape(documents) });
  });
  const shown = { input: showInput, examples: ["ragctl show policy_handbook.pdf --export markdown"] };
  defineCommand(declare(program, "show"), shown, show);
}

const showInput = {
  ...addDocumentArgument,
  export: field(
    "--export <form>",
    z.enum(exportForms).optional(),
    "print the parser's output instead: chunks, Markdown, or blocks as JSON",
  ),
};
async function show(session: Session, { export: form, ...about }: InputOf<typeof showInput>): Promise<void> {
  const { output, run } = session;
  const app = await session.app();
  if (form !== undefined) {
    if (output.format === "jsonl" || (output.format === "json" && form === "markdown"))
      throw invalidExport(form, output.format);
    using progress = createProgress("", "", output);
    progress.stage(`reading ${about.document}`);
    return exportDocument(await resolveDocumentArgument(about, app, run), form, session);
  }
  const { document, chunks } = await app.show(await resolveDocumentArgument(about, app, run), run);
  output.result({ text: showText(document, chunks), data: showShape(document, chunks) });
}

const invalidExport = (form: string, format: string): RagctlError =>
  new RagctlError("USAGE_INVALID", `--export ${form} cannot be combined with --format ${format}`, {
    hint: "--export json prints all blocks as one JSON document; --export doc_chunks prints the chunks",
  });

/** A document with its chunks, for a terminal. */
export const showText = (document: DocumentSummary, chunks: readonly Chunk[]): string =>
  [
    listText([document]),
    ...copyLine(document, chunks),
    ...metadataLines(document.metadata).map(singleLine),
    "",
    ...chunkLines(document, chunks),
  ].join("\n");

/** Which document of the same content was ingested first, where it is another: the two share their chunks. */
function copyLine({ name, path }: DocumentSummary, [chunk]: readonly Chunk[]): readonly string[] {
  if (chunk === undefined || chunk.sourcePath === path) return [];
  return [
    `${singleLine(name)} is a copy of ${singleLine(chunk.sourceName)} (${singleLine(chunk.sourcePath)})`,
  ];
}

/** The place of each chunk, and the beginning of its text. */
const chunkLines = ({ name }: DocumentSummary, chunks: readonly Chunk[]): readonly string[] =>
  chunks.flatMap(({ ordinal, pages, headings, contentType, tokenCount, text, ...chunk }) => [
    `#${ordinal} ${location(name, pages, headings.join(" › "), cellsOf(chunk))} (${contentType}, ${plural(tokenCount, "token")})`,
    `    ${oneLine(text, 160)}`,
  ]);

/** Fewest columns that a name is cut to. */
const shortestName = 20;

/** The documents as a table; on a terminal long names are cut so that a row fits its line. */
export function listText(documents: readonly DocumentSummary[], columns = terminalColumns()): string {
  if (documents.length === 0) return "no documents yet; add some with `ragctl ingest PATH`";
  const rows = documents.map((d) => [
    d.id.slice(0, 8),
    singleLine(d.name),
    d.collection,
    `v${d.version}`,
    d.pages || "",
    d.chunks,
    bytes(d.sizeBytes),
    oneLine(d.title, 40),
  ]);
  const header = ["id", "name", "collection", "version", "pages", "chunks", "size", "title"];
  const others = header
    .map((title, at) =>
      at === 1 ? 0 : Math.max(...[title, ...rows.map((row) => String(row[at]))].map(displayWidth)) + 2,
    )
    .reduce((sum, width) => sum + width, 0);
  const room = Math.max(shortestName, columns - others);
  return table(
    header,
    rows.map((row) => row.with(1, cutMiddle(String(row[1]), room))),
    columns,
  );
}
