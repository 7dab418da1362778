import type { CheerioAPI } from "cheerio";
import type { AnyNode, Element } from "domhandler";
import type { Block, Table } from "../../../core/documents/document.ts";
import { squeeze, tableBlock } from "../blocks.ts";
import { type Cell, layOut } from "../grid.ts";

const inline = new Set(
  "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span strong sub sup time tt u var wbr".split(
    " ",
  ),
);
const skipped = new Set(
  "script style noscript template svg canvas iframe object embed head nav form input select textarea dialog".split(
    " ",
  ),
);

function isElement(node: AnyNode): node is Element {
  return node.type === "tag" || node.type === "script" || node.type === "style";
}

function isHidden(element: Element): boolean {
  return (
    skipped.has(element.name) ||
    "hidden" in element.attribs ||
    element.attribs["aria-hidden"] === "true" ||
    /display\s*:\s*none/i.test(element.attribs["style"] ?? "") ||
    /(^|\s)(mw-editsection|noprint|sr-only|visually-hidden|screen-reader-text)(\s|$)/.test(
      element.attribs["class"] ?? "",
    )
  );
}

/** What a picture shows, where its author says so; file names and bare words for "picture" say nothing. */
function altText(element: Element): string {
  const text = squeeze(element.attribs["alt"] ?? "");
  return /^(image|img|picture|photo|logo|icon|spacer)?$|^\S+\.(png|jpe?g|gif|svg|webp|bmp|tiff?)$/i.test(text)
    ? ""
    : text;
}

/** The text under a node as a reader sees it: hidden elements left out, breaks and block ends as white space. */
function textOf(node: AnyNode): string {
  if (node.type === "text") return node.data;
  if (!isElement(node) || isHidden(node)) return "";
  if (node.name === "br") return "\n";
  if (node.name === "img") return altText(node) === "" ? "" : ` ${altText(node)} `;
  const text = node.children.map(textOf).join("");
  return inline.has(node.name) ? text : ` ${text} `;
}

function span(value: string | undefined): number {
  const count = Number.parseInt(value ?? "1", 10);
  return Number.isFinite(count) ? Math.min(Math.max(count, 1), 1000) : 1;
}

/** A cell's text: items of lists keep their marks, so that they stay apart on one line. */
function cellText($: CheerioAPI, cell: Element): string {
  if ($(cell).find("li").length === 0) return squeeze(textOf(cell));
  const walk = (node: AnyNode): string => {
    if (!isElement(node) || isHidden(node) || $(node).find("li").length === 0) return ` ${textOf(node)} `;
    if (node.name === "ul" || node.name === "ol") return ` ${listLines($, node, 0).join(" ")} `;
    return node.children.map(walk).join("");
  };
  return squeeze(walk(cell));
}

function readTable($: CheerioAPI, element: Element): Table {
  const rows: Cell[][] = [];
  let headerRows = 0;
  let inHeader = true;
  for (const row of $(element).find("tr").toArray()) {
    if ($(row).closest("table").get(0) !== element) continue;
    const own = $(row).children("td, th").toArray();
    const isHeader =
      $(row).parent().is("thead") || (own.length > 0 && own.every((cell) => cell.name === "th"));
    rows.push(
      own.map((cell) => ({
        text: cellText($, cell),
        rows: span(cell.attribs["rowspan"]),
        columns: span(cell.attribs["colspan"]),
      })),
    );
    if (inHeader && isHeader) headerRows++;
    else inHeader = false;
  }
  return layOut(rows, headerRows);
}

/** Whether a table only places things on the page: it holds blocks of text in one row or one column. */
function isLayout($: CheerioAPI, element: Element): boolean {
  if ($(element).find("th").length > 0 || $(element).children("caption").length > 0) return false;
  if (["presentation", "none"].includes(element.attribs["role"] ?? "")) return true;
  const rows = $(element)
    .find("tr")
    .toArray()
    .filter((row) => $(row).closest("table").get(0) === element)
    .map((row) => $(row).children("td").length);
  const widest = Math.max(0, ...rows);
  if (rows.length * widest <= 1) return true;
  return (rows.length === 1 || widest === 1) && $(element).find("table, h1, h2, h3, p, ul, ol").length > 0;
}

function listLines($: CheerioAPI, element: Element, depth: number): string[] {
  const lines: string[] = [];
  let number = span(element.attribs["start"]);
  for (const child of element.children) {
    if (!isElement(child) || isHidden(child)) continue;
    if (child.name === "ul" || child.name === "ol") {
      lines.push(...listLines($, child, depth + 1));
      continue;
    }
    const nested = child.children.filter(
      (node) => isElement(node) && (node.name === "ul" || node.name === "ol"),
    );
    const text = squeeze(
      child.children
        .filter((node) => !nested.includes(node))
        .map(textOf)
        .join(""),
    );
    const mark =
      element.name === "ol" ? `${number++}.` : element.name === "dl" && child.name === "dt" ? "" : "-";
    if (text !== "") lines.push(`${"  ".repeat(depth)}${mark}${mark === "" ? "" : " "}${text}`);
    for (const list of nested) if (isElement(list)) lines.push(...listLines($, list, depth + 1));
  }
  return lines;
}

/** A list in a header that is made of links leads elsewhere; it says nothing about the page. */
function isNavigation($: CheerioAPI, list: Element): boolean {
  if ($(list).closest("header").length === 0) return false;
  const links = $(list).find("a").text().replace(/\s+/g, "").length;
  return links > 0 && links >= $(list).text().replace(/\s+/g, "").length * 0.9;
}

/** Blocks of an element's content in document order; `pages` are given to each. */
export function htmlBlocks($: CheerioAPI, root: AnyNode, pages: readonly number[] = []): Block[] {
  const blocks: Block[] = [];
  let loose = "";
  const flush = () => {
    const text = squeeze(loose);
    loose = "";
    if (text !== "") blocks.push({ kind: "paragraph", text, pages });
  };
  const add = (kind: Block["kind"], text: string, level?: number) => {
    flush();
    if (text.trim() !== "") blocks.push({ kind, text, pages, ...(level === undefined ? {} : { level }) });
  };
  const visit = (node: AnyNode): void => {
    if (node.type === "text") {
      loose += node.data;
      return;
    }
    if (node.type === "root") {
      node.children.forEach(visit);
      return;
    }
    if (!isElement(node) || isHidden(node)) return;
    const { name } = node;
    if (name === "br") loose += "\n";
    else if (name === "img") add("picture", altText(node));
    else if (/^h[1-6]$/.test(name)) add("heading", squeeze(textOf(node)), Number(name[1]));
    else if (name === "pre") add("code", $(node).text().replace(/^\n+/, "").trimEnd());
    else if ((name === "ul" || name === "ol") && isNavigation($, node)) return;
    else if (name === "ul" || name === "ol" || name === "dl") add("list", listLines($, node, 0).join("\n"));
    else if (name === "figcaption" || name === "caption") add("caption", squeeze(textOf(node)));
    else if (name === "table") {
      flush();
      const caption = $(node).children("caption").get(0);
      if (caption !== undefined) add("caption", squeeze(textOf(caption)));
      if (isLayout($, node)) node.children.forEach(visit);
      else {
        const table = readTable($, node);
        if (table.rows.length > 0) blocks.push(tableBlock(table, pages));
      }
    } else if (
      name !== "img" &&
      inline.has(name) &&
      $(node).find("img").length > 0 &&
      $(node).text().trim() === ""
    )
      node.children.forEach(visit);
    else if (inline.has(name) && !node.children.some((child) => isElement(child) && !inline.has(child.name)))
      loose += textOf(node);
    else {
      flush();
      node.children.forEach(visit);
      flush();
    }
  };
  visit(root);
  flush();
  return blocks;
}
