import type { CheerioAPI } from "cheerio";
import type { AnyNode, Element } from "domhandler";
import type { Block, Table } from "../../core/document.ts";
import { squeeze, tableBlock } from "./blocks.ts";

const inline = new Set(
  "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span strong sub sup time tt u var wbr".split(
    " ",
  ),
);
const skipped = new Set(
  "script style noscript template svg canvas iframe object embed head nav form input select textarea dialog".split(" "),
);

function isElement(node: AnyNode): node is Element {
  return node.type === "tag" || node.type === "script" || node.type === "style";
}

function isHidden(element: Element): boolean {
  return (
    skipped.has(element.name) ||
    "hidden" in element.attribs ||
    element.attribs["aria-hidden"] === "true" ||
    /display\s*:\s*none/i.test(element.attribs["style"] ?? "")
  );
}

/** The text under a node as a reader sees it: hidden elements left out, breaks and block ends as white space. */
function textOf(node: AnyNode): string {
  if (node.type === "text") return node.data;
  if (!isElement(node) || isHidden(node)) return "";
  if (node.name === "br") return "\n";
  const text = node.children.map(textOf).join("");
  return inline.has(node.name) ? text : ` ${text} `;
}

function span(value: string | undefined): number {
  const count = Number.parseInt(value ?? "1", 10);
  return Number.isFinite(count) ? Math.min(Math.max(count, 1), 100) : 1;
}

/** A table's rows; a cell that spans columns or rows stands in each place it covers. */
function readTable($: CheerioAPI, element: Element): Table {
  const rows: string[][] = [];
  const carried = new Map<number, { text: string; left: number }>();
  let headerRows = 0;
  let inHeader = true;
  for (const row of $(element).find("tr").toArray()) {
    if ($(row).closest("table").get(0) !== element) continue;
    const cells: string[] = [];
    const fill = () => {
      for (let below = carried.get(cells.length); below !== undefined && below.left > 0; below = carried.get(cells.length)) {
        below.left--;
        cells.push(below.text);
      }
    };
    const own = $(row).children("td, th").toArray();
    for (const cell of own) {
      fill();
      const text = squeeze(textOf(cell));
      const down = span(cell.attribs["rowspan"]) - 1;
      for (let across = span(cell.attribs["colspan"]); across > 0; across--) {
        if (down > 0) carried.set(cells.length, { text, left: down });
        cells.push(text);
      }
    }
    fill();
    if (cells.every((cell) => cell === "")) continue;
    const isHeader = $(row).parent().is("thead") || (own.length > 0 && own.every((cell) => cell.name === "th"));
    if (inHeader && isHeader) headerRows++;
    else inHeader = false;
    rows.push(cells);
  }
  return { rows, headerRows: Math.min(headerRows, Math.max(0, rows.length - 1)) };
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
    const nested = child.children.filter((node) => isElement(node) && (node.name === "ul" || node.name === "ol"));
    const text = squeeze(
      child.children
        .filter((node) => !nested.includes(node))
        .map(textOf)
        .join(""),
    );
    const mark = element.name === "ol" ? `${number++}.` : element.name === "dl" && child.name === "dt" ? "" : "-";
    if (text !== "") lines.push(`${"  ".repeat(depth)}${mark}${mark === "" ? "" : " "}${text}`);
    for (const list of nested) if (isElement(list)) lines.push(...listLines($, list, depth + 1));
  }
  return lines;
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
    else if (name === "img") return;
    else if (/^h[1-6]$/.test(name)) add("heading", squeeze(textOf(node)), Number(name[1]));
    else if (name === "pre")
      add(
        "code",
        $(node)
          .text()
          .replace(/^\n+|\s+$/g, ""),
      );
    else if (name === "ul" || name === "ol" || name === "dl") add("list", listLines($, node, 0).join("\n"));
    else if (name === "figcaption" || name === "caption") add("caption", squeeze(textOf(node)));
    else if (name === "table") {
      flush();
      const caption = $(node).children("caption").get(0);
      if (caption !== undefined) add("caption", squeeze(textOf(caption)));
      const isLayout = $(node).find("table, h1, h2, h3").length > 0 && $(node).find("th").length === 0 && $(node).find("tr").length <= 2;
      if (isLayout) node.children.forEach(visit);
      else {
        const table = readTable($, node);
        if (table.rows.length > 0) blocks.push(tableBlock(table, pages));
      }
    } else if (inline.has(name) && !node.children.some((child) => isElement(child) && !inline.has(child.name))) loose += textOf(node);
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
