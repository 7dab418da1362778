import type { CheerioAPI } from "cheerio";
import { rowText } from "../../../../core/documents/table-text.ts";
import type { AnyNode, Element } from "../../dom.ts";
import { lineParts, type PageLines, pageNumberMark } from "../page-lines.ts";
import { isElement } from "../xml.ts";

/** The text of a paragraph of a header or footer; numbers of pages are a sign. */
function lineOf(node: AnyNode): string {
  if (node.type === "text") return node.data;
  if (!isElement(node)) return "";
  if (node.name === "text:page-number" || node.name === "text:page-count") return pageNumberMark;
  if (node.name === "text:tab" || node.name === "text:line-break") return "\t";
  return node.name === "text:s" ? " " : node.children.map(lineOf).join("");
}

/** The lines of headers or footers, those of a table row by row. */
function linesIn($: CheerioAPI, places: readonly Element[]): string[] {
  const lines = new Map<Element, string[]>();
  for (const paragraph of places.flatMap((place) => $(place).find("text\\:p, text\\:h").toArray())) {
    const row = $(paragraph).closest("table\\:table-row").get(0);
    const line = isElement(row) ? row : paragraph;
    lines.set(line, [...(lines.get(line) ?? []), ...lineParts(lineOf(paragraph))]);
  }
  return [...lines].map(([{ name }, parts]) =>
    name === "table:table-row" ? rowText(parts) : parts.join(" "),
  );
}

/** The lines of the page headers and footers of a text document, by the part with its styles. */
export function headerFooterLines($: CheerioAPI): PageLines {
  const shown = (kind: "header" | "footer"): Element[] =>
    $(`style\\:${kind}, style\\:${kind}-first, style\\:${kind}-left`)
      .toArray()
      .filter(({ attribs }) => attribs["style:display"] !== "false");
  return { above: linesIn($, shown("header")), below: linesIn($, shown("footer")) };
}
