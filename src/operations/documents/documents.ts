import { named } from "../../app/audit/attempt.ts";
import type { Company } from "../../app/company.ts";
import { renderChunks, renderMarkdown } from "../../app/verify/export-markdown.ts";
import type { DocumentSummary } from "../../core/app.ts";
import { cellsOf } from "../../core/documents/cells.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import { RagctlError } from "../../core/errors.ts";
import { metadataLines } from "../../core/metadata/metadata.ts";
import type { Run } from "../../core/run.ts";
import { z } from "../../core/schema.ts";
import { documentsShape, showShape } from "../../shapes/documents.ts";
import { collections } from "../fields.ts";
import { field, operation } from "../operation.ts";
import { type PrintedTable, type Text, tableOf } from "../result-text.ts";
import { bytes, location, oneLine, plural, singleLine } from "../text.ts";
import { addDocumentArgument, resolveDocumentArgument } from "./reference.ts";

/** The readable documents. */
export const list = operation({
  name: "list",
  input: { collections: collections("list only this collection") },
  document: "list",
  examples: ["ragctl list --collection manuals --format json"],
  attempt: ({ collection }) => [
    {},
    { input: { collections: [collection] }, by: "of its collection", ...named },
  ],
  run: (app, { collections }, { run }) => app.documents(collections, run),
  print: documentsShape,
  text: (documents) =>
    documents.length === 0
      ? "no documents yet; add some with `ragctl ingest PATH`"
      : documentsTable(documents),
});

const forms = ["doc_chunks", "markdown", "json"] as const;

/** A document with its chunks, or as its parser read it. */
export const show = operation({
  name: "show",
  input: {
    ...addDocumentArgument,
    export: field(
      "--export <form>",
      z.enum(forms).optional(),
      "print the parser's output instead: chunks, Markdown, or blocks as JSON",
      { only: "command" },
    ),
  },
  document: "show",
  examples: ["ragctl show policy_handbook.pdf --export markdown"],
  http: {
    route: "GET /v1/documents/{document}",
    tag: "Documents",
    summary: "Show a document with its passages",
    answer: "The document",
  },
  attempt: ({ document: { id }, word, path }) => [
    { input: { document: id }, by: "by id", ...named },
    { input: { document: id.slice(0, 8) }, by: "by beginning of the id", ...named },
    { input: { document: `${word}.md` }, by: "by name", ...named },
    { input: { document: path }, by: "by path", ...named },
  ],
  async run(app, { export: form, ...about }, { run, format }) {
    if (form !== undefined && (format === "jsonl" || (format === "json" && form === "markdown")))
      throw invalidExport(form, format);
    const document = await resolveDocumentArgument(about, app, run);
    return form === undefined ? app.show(document, run) : { raw: await exported(document, form, app, run) };
  },
  print: (shown) => ("raw" in shown ? shown : showShape(shown.document, shown.chunks)),
  text: (shown) => ("raw" in shown ? shown.raw : showText(shown.document, shown.chunks)),
  isRaw: (shown) => "raw" in shown,
});

async function exported(reference: string, form: (typeof forms)[number], app: Company, run: Run) {
  if (form === "markdown") return renderMarkdown(await app.reading(reference, run));
  const read =
    form === "json"
      ? await app.reading(reference, run)
      : renderChunks((await app.show(reference, run)).chunks);
  return `${JSON.stringify(read, null, 2)}\n`;
}

const invalidExport = (form: string, format: string): RagctlError =>
  new RagctlError("USAGE_INVALID", `--export ${form} cannot be combined with --format ${format}`, {
    hint: "--export json prints all blocks as one JSON document; --export doc_chunks prints the chunks",
  });

/** A document with its chunks. */
export const showText = (document: DocumentSummary, chunks: readonly Chunk[]): Text => [
  documentsTable([document]),
  ...copyLine(document, chunks),
  ...metadataLines(document.metadata).map(singleLine),
  "",
  ...chunks.flatMap(({ ordinal, pages, headings, contentType, tokenCount, text, ...chunk }) => [
    `#${ordinal} ${location(document.name, pages, headings.join(" › "), cellsOf(chunk))} (${contentType}, ${plural(tokenCount, "token")})`,
    `    ${oneLine(text, 160)}`,
  ]),
];

/** Which document of the same content was ingested first, where it is another: the two share their chunks. */
function copyLine({ name, path }: DocumentSummary, [chunk]: readonly Chunk[]): readonly string[] {
  if (chunk === undefined || chunk.sourcePath === path) return [];
  return [
    `${singleLine(name)} is a copy of ${singleLine(chunk.sourceName)} (${singleLine(chunk.sourcePath)})`,
  ];
}

/** Documents, a line each. */
export const documentsTable = (documents: readonly DocumentSummary[]): PrintedTable => ({
  ...tableOf(documents, {
    id: ({ id }) => id.slice(0, 8),
    name: ({ name }) => singleLine(name),
    collection: ({ collection }) => collection,
    version: ({ version }) => `v${version}`,
    pages: ({ pages }) => pages || "",
    chunks: ({ chunks }) => chunks,
    size: ({ sizeBytes }) => bytes(sizeBytes),
    title: ({ title }) => oneLine(title, 40),
  }),
  cut: 1,
});
