import type { Format, Parser } from "../../core/document.ts";

const loaders: Readonly<Record<Format, () => Promise<{ readonly default: () => Parser }>>> = {
  pdf: () => import("./pdf.ts"),
  docx: () => import("./docx.ts"),
  xlsx: () => import("./xlsx.ts"),
  csv: () => import("./xlsx.ts"),
  pptx: () => import("./pptx.ts"),
  html: () => import("./html.ts"),
  markdown: () => import("./markdown.ts"),
  text: () => import("./text.ts"),
};

/** The parser of a format, loaded on first use. */
export async function loadParser(format: Format): Promise<Parser> {
  return (await loaders[format]()).default();
}
