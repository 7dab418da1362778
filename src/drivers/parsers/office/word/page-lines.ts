import type { CheerioAPI } from "cheerio";
import { rowText } from "../../../../core/documents/table-text.ts";
import type { Unsaid } from "../../blocks.ts";
import type { Element } from "../../dom.ts";
import { lineParts, type PageLines, pageNumberMark } from "../page-lines.ts";
import type { LoadXml, PackageRelation } from "../xml.ts";
import { normalizePartText } from "./prepare.ts";
import type { WordStyle } from "./styles.ts";

/** Fields that give the number of a page, or how many there are. */
const isPageField = (instruction: string): boolean =>
  /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i.test(instruction);

/** The text of a paragraph of a header or footer; numbers of pages are a sign. */
function lineOf($: CheerioAPI, paragraph: Element): string {
  /** Instructions of the fields that are open, outermost first. */
  const fields: string[] = [];
  /** The text of a field's bound: a sign at the end of a number of pages. */
  const bound = (kind: string | undefined): string => {
    if (kind === "begin") fields.push("");
    return kind === "end" && isPageField(fields.pop() ?? "") ? pageNumberMark : "";
  };
  const textOf = (node: Element): string => {
    if (node.name === "w:fldChar") return bound(node.attribs["w:fldCharType"]);
    if (node.name === "w:instrText") fields.push((fields.pop() ?? "") + $(node).text());
    if (fields.some(isPageField)) return "";
    if (node.name === "w:t") return $(node).text();
    return /^w:(?:tab|br)$/.test(node.name) ? "\t" : "";
  };
  return $(paragraph).find("*").toArray().map(textOf).join("");
}

/** The lines of a header or footer, those of a table row by row. */
function pageLines($: CheerioAPI, styles: ReadonlyMap<string, WordStyle>, tally: Unsaid): readonly string[] {
  for (const field of $("w\\:fldSimple").toArray())
    if (isPageField(field.attribs["w:instr"] ?? ""))
      $(field).replaceWith($("<w:r/>").append($("<w:t/>").text(pageNumberMark)));
  normalizePartText($, styles, tally);
  const rows = $("w\\:tr")
    .toArray()
    .filter((row) => $(row).parents("w\\:tr").length === 0);
  const lines = new Map<Element, string[]>();
  for (const paragraph of $("w\\:p").toArray()) {
    const row = rows.find((each) => $(each).find(paragraph).length > 0);
    lines.set(row ?? paragraph, [...(lines.get(row ?? paragraph) ?? []), ...lineParts(lineOf($, paragraph))]);
  }
  return [...lines]
    .map(([place, parts]) => (place.name === "w:tr" ? rowText(parts) : parts.join(" ")))
    .filter((line) => line !== "");
}

/** What the headers and footers of a Word file are read by. */
interface PageParts {
  readonly parts: ReadonlyMap<string, string>;
  /** Relations of the main story. */
  readonly related: ReadonlyMap<string, PackageRelation>;
  readonly load: LoadXml;
  readonly styles: ReadonlyMap<string, WordStyle>;
  readonly unsaid: Unsaid;
  /** XML of the settings, "" where there are none. */
  readonly settings: string;
}

/** The parts with headers, or footers, that pages of the main story show, in the order of its sections. */
function shownParts($: CheerioAPI, { related, settings }: PageParts, kind: "header" | "footer"): string[] {
  const hasEvenPages = /<w:evenAndOddHeaders\b(?! w:val="(?:0|false)")/.test(settings);
  const shown = $(`w\\:${kind}Reference`)
    .toArray()
    .filter((reference) => {
      const on = reference.attribs["w:type"];
      if (on === "first") return $(reference).siblings("w\\:titlePg").length > 0;
      return on !== "even" || hasEvenPages;
    });
  return [...new Set(shown.flatMap(({ attribs }) => related.get(attribs["r:id"] ?? "")?.target ?? []))];
}

/** The lines of the page headers and footers of a main story, which is not prepared yet. */
export function headerFooterLines($: CheerioAPI, own: PageParts): PageLines {
  const linesOf = (kind: "header" | "footer"): string[] =>
    shownParts($, own, kind).flatMap((name) =>
      pageLines(own.load(own.parts.get(name) ?? ""), own.styles, own.unsaid),
    );
  return { above: linesOf("header"), below: linesOf("footer") };
}
