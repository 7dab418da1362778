import type { Format, Parser } from "../../core/documents/document.ts";
import type { ParserOptions } from "./options.ts";
import { withCheckboxes } from "./symbols.ts";

const loaders: Readonly<
  Record<Format, () => Promise<{ readonly default: (options: ParserOptions) => Parser }>>
> = {
  pdf: () => import("./pdf/pdf.ts"),
  docx: () => import("./office/word/docx.ts"),
  xlsx: () => import("./office/sheets/xlsx.ts"),
  csv: () => import("./office/sheets/csv.ts"),
  pptx: () => import("./office/slides/pptx.ts"),
  html: () => import("./markup/html.ts"),
  markdown: () => import("./markup/markdown.ts"),
  text: () => import("./source/text.ts"),
  ods: () => import("./office/sheets/xlsx.ts"),
  rtf: () => import("./markup/rtf.ts"),
  eml: () => import("./mail/eml.ts"),
  msg: () => import("./mail/msg.ts"),
  epub: () => import("./markup/epub.ts"),
  odt: () => import("./office/odf/odf.ts"),
  odp: () => import("./office/odf/odf.ts"),
  image: () => import("./image/image.ts"),
  docling: () => import("./outside/docling.ts"),
  code: () => import("./source/source.ts"),
  data: () => import("./source/source.ts"),
  notebook: () => import("./source/notebook.ts"),
  records: () => import("./source/records.ts"),
  subtitles: () => import("./source/subtitles.ts"),
  mbox: () => import("./archive/mbox.ts"),
  zip: () => import("./archive/zip.ts"),
};

/** The parser of a format, loaded on first use. */
export async function loadParser(format: Format, options: ParserOptions = {}): Promise<Parser> {
  // A document embedded in another opens nothing further.
  const parserOf = async (inner: Format) => (await loaders[inner]()).default({});
  return withCheckboxes((await loaders[format]()).default({ parserOf, ...options }));
}
