import type { Format, Parser } from "../../core/document.ts";
import type { ParserOptions } from "./ocr.ts";

const loaders: Readonly<Record<Format, () => Promise<{ readonly default: (options: ParserOptions) => Parser }>>> = {
  pdf: () => import("./pdf.ts"),
  docx: () => import("./docx.ts"),
  xlsx: () => import("./xlsx.ts"),
  csv: () => import("./csv.ts"),
  pptx: () => import("./pptx.ts"),
  html: () => import("./html.ts"),
  markdown: () => import("./markdown.ts"),
  text: () => import("./text.ts"),
  ods: () => import("./xlsx.ts"),
  rtf: () => import("./rtf.ts"),
  eml: () => import("./eml.ts"),
  msg: () => import("./msg.ts"),
  epub: () => import("./epub.ts"),
  odt: () => import("./odf.ts"),
  odp: () => import("./odf.ts"),
  image: () => import("./image.ts"),
  docling: () => import("./docling.ts"),
};

/** The parser of a format, loaded on first use. */
export async function loadParser(format: Format, options: ParserOptions = {}): Promise<Parser> {
  return (await loaders[format]()).default(options);
}
