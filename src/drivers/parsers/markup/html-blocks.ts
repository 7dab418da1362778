import type { CheerioAPI } from "cheerio";
import type { Block } from "../../../core/documents/document.ts";
import { type BlockWriter, blockWriter } from "../block-writer.ts";
import { squeeze, type Unsaid } from "../blocks.ts";
import type { AnyNode, Element } from "../dom.ts";
import type { GridCell } from "../grid.ts";
import { isElement } from "../office/xml.ts";
import { markRaised, resolveMarks } from "../raised.ts";
import { isNote, removeHidden } from "./seen.ts";

const inline = new Set(
  "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span strong sub sup time tt u var wbr".split(
    " ",
  ),
);

/**
 * The description of a picture, if its author gives one; file names and bare words for "picture" do not
 * count.
 */
function altText(element: Element): string {
  const text = squeeze(element.attribs["alt"] ?? "");
  return /^(image|img|picture|photo|logo|icon|spacer)?$|^\S+\.(png|jpe?g|gif|svg|webp|bmp|tiff?)$/i.test(text)
    ? ""
    : text;
}

/**
 * The text under a node as a reader sees it, breaks and block ends as white space.
 */
function textOf(node: AnyNode): string {
  if (node.type === "text") return node.data;
  if (!isElement(node)) return "";
  if (node.name === "br") return "\n";
  if (node.name === "img") return altText(node) === "" ? "" : ` ${altText(node)} `;
  const text = node.children.map(textOf).join("");
  if (node.name === "sup" || node.name === "sub") return markRaised(node.name, text);
  return inline.has(node.name) ? text : ` ${text} `;
}

function span(value: string | undefined): number {
  const count = Number.parseInt(value ?? "1", 10);
  return Number.isFinite(count) ? Math.min(Math.max(count, 1), 1000) : 1;
}

/** A cell's text. List items keep their marks so that they remain distinct on one line. */
function cellText($: CheerioAPI, cell: Element): string {
  if ($(cell).find("li").length === 0) return squeeze(textOf(cell));
  const walk = (node: AnyNode): string => {
    if (!isElement(node) || $(node).find("li").length === 0) return ` ${textOf(node)} `;
    if (isList(node)) return ` ${listLines($, node, 0).join(" ")} `;
    return node.children.map(walk).join("");
  };
  return squeeze(walk(cell));
}

function addRows({ $, out }: Walk, element: Element): void {
  const rows: GridCell[][] = [];
  let headerRows = 0;
  let inHeader = true;
  for (const row of $(element).find("tr").toArray()) {
    if ($(row).closest("table").get(0) !== element) continue;
    const cells = $(row).children("td, th").toArray();
    const isHeader =
      $(row).parent().is("thead") || (cells.length > 0 && cells.every((cell) => cell.name === "th"));
    rows.push(
      cells.map((cell) => ({
        text: cellText($, cell),
        rows: span(cell.attribs["rowspan"]),
        columns: span(cell.attribs["colspan"]),
      })),
    );
    if (inHeader && isHeader) headerRows++;
    else inHeader = false;
  }
  out.table(rows, headerRows);
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

type List = Element & { readonly name: "ul" | "ol" };

function isList(node: AnyNode): node is List {
  return isElement(node) && (node.name === "ul" || node.name === "ol");
}

function listMark(list: Element, item: Element, number: number): string {
  if (list.name === "ol") return `${number}. `;
  return list.name === "dl" && item.name === "dt" ? "" : "- ";
}

function listLines($: CheerioAPI, list: Element, depth: number): string[] {
  const lines: string[] = [];
  let number = span(list.attribs["start"]);
  for (const child of list.children) {
    if (!isElement(child)) continue;
    if (isList(child)) {
      lines.push(...listLines($, child, depth + 1));
      continue;
    }
    const parts = child.children.filter((node) => !isList(node));
    const text = squeeze(parts.map(textOf).join(""));
    if (text !== "") lines.push(`${"  ".repeat(depth)}${listMark(list, child, number)}${text}`);
    number++;
    for (const nested of child.children.filter(isList)) lines.push(...listLines($, nested, depth + 1));
  }
  return lines;
}

/** A list of links in a header is navigation; it says nothing about the page. */
function isNavigation($: CheerioAPI, list: Element): boolean {
  if ($(list).closest("header").length === 0) return false;
  const links = $(list).find("a").text().replace(/\s+/g, "").length;
  return links > 0 && links >= $(list).text().replace(/\s+/g, "").length * 0.9;
}

/** A page being read. */
interface Walk {
  readonly $: CheerioAPI;
  readonly out: BlockWriter;
  /** The texts of links by the place in the page to which they lead. */
  readonly calls: ReadonlyMap<string, string>;
  /** Text since the last block that is not inside a block element. */
  loose: string;
}

/** Makes a paragraph of the loose text. */
function flush(walk: Walk): void {
  const text = squeeze(walk.loose);
  walk.loose = "";
  walk.out.add("paragraph", text);
}

function add(walk: Walk, kind: Block["kind"], text: string, level?: number): void {
  flush(walk);
  walk.out.add(kind, text, level);
}

function addTable(walk: Walk, element: Element): void {
  const { $ } = walk;
  flush(walk);
  const caption = $(element).children("caption").get(0);
  if (caption !== undefined) add(walk, "caption", squeeze(textOf(caption)));
  if (isLayout($, element)) visitAll(walk, element.children);
  else addRows(walk, element);
}

/** Whether an inline element holds pictures and no text. */
function holdsPictures({ $ }: Walk, element: Element): boolean {
  return $(element).find("img").length > 0 && $(element).text().trim() === "";
}

/** Whether an inline element holds nothing that begins a block. */
function isText(element: Element): boolean {
  return element.children.every((child) => !isElement(child) || inline.has(child.name));
}

/** Reads an element that does not make a block. */
function visitInside(walk: Walk, element: Element): void {
  if (inline.has(element.name)) {
    if (holdsPictures(walk, element)) {
      visitAll(walk, element.children);
      return;
    }
    if (isText(element)) {
      walk.loose += textOf(element);
      return;
    }
  }
  flush(walk);
  visitAll(walk, element.children);
  flush(walk);
}

/** Adds a note under the number by which the page calls it. */
function addNote(walk: Walk, element: Element): void {
  const mark = walk.calls.get(`#${element.attribs["id"] ?? ""}`) ?? "";
  const text = squeeze(textOf(element));
  const own =
    mark !== "" && text.startsWith(mark) ? text.slice(mark.length).replace(/^[.):\]\s]+/, "") : text;
  add(walk, "footnote", mark === "" ? own : `[${mark}] ${own}`);
}

function visitElement(walk: Walk, element: Element): void {
  const { $ } = walk;
  if (isNote(element) && $(element).find("table, ul, ol, pre, h1, h2, h3").length === 0) {
    addNote(walk, element);
    return;
  }
  const { name } = element;
  if (name === "br") walk.loose += "\n";
  else if (name === "img") add(walk, "picture", altText(element));
  else if (/^h[1-6]$/.test(name)) add(walk, "heading", squeeze(textOf(element)), Number(name[1]));
  else if (name === "pre")
    add(walk, "code", resolveMarks(element.children.map(textOf).join("")).replace(/^\n+/, "").trimEnd());
  else if (isList(element) && isNavigation($, element)) return;
  else if (isList(element) || name === "dl") add(walk, "list", listLines($, element, 0).join("\n"));
  else if (/^(?:fig)?caption$/.test(name)) add(walk, "caption", squeeze(textOf(element)));
  else if (name === "table") addTable(walk, element);
  else visitInside(walk, element);
}

function visit(walk: Walk, node: AnyNode): void {
  if (node.type === "text") walk.loose += node.data;
  else if (node.type === "root") visitAll(walk, node.children);
  else if (isElement(node)) visitElement(walk, node);
}

function visitAll(walk: Walk, nodes: readonly AnyNode[]): void {
  for (const node of nodes) visit(walk, node);
}

/** Blocks of an element's content in document order; what is struck out is counted in `tally`. */
export function htmlBlocks($: CheerioAPI, root: AnyNode, tally: Unsaid): Block[] {
  removeHidden($, root, tally);
  const links = $('[href^="#"]').toArray();
  const calls = new Map(
    links.map((link) => [link.attribs["href"] ?? "", squeeze($(link).text()).replace(/^\[|\]$/g, "")]),
  );
  const walk: Walk = { $, out: blockWriter(), calls, loose: "" };
  visit(walk, root);
  flush(walk);
  return walk.out.blocks;
}
