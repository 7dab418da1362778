import type { CheerioAPI } from "cheerio";
import type { Block } from "../../../../core/documents/document.ts";
import { squeeze, tableBlock } from "../../blocks.ts";
import type { AnyNode, Element } from "../../dom.ts";
import { type Cell, layOut } from "../../grid.ts";
import { type Rise, risen, settle } from "../../raised.ts";
import { formatNumber } from "../numbering.ts";
import { childElements, isElement } from "../xml.ts";

/** Most cells or spaces one repetition attribute may add: a file of a few bytes may claim a million. */
const maxRepeat = 64;

/** Where the reader keeps what it meets inside a paragraph. */
interface Aside {
  readonly notes: string[];
  readonly pictures: string[];
  readonly boxes: Element[];
}

interface ListLevel {
  readonly format: string;
  readonly before: string;
  readonly after: string;
}

interface ListStyle {
  /** How each level is numbered, undefined for bullets. */
  readonly levels: ReadonlyMap<number, ListLevel | undefined>;
}

function listStyles($: CheerioAPI): Map<string, ListStyle> {
  const styles = new Map<string, ListStyle>();
  for (const style of $("text\\:list-style").toArray()) {
    const levels = new Map<number, ListLevel | undefined>();
    for (const level of childElements(style)) {
      const {
        "text:level": number = "1",
        "style:num-format": format = "",
        "style:num-prefix": before = "",
        "style:num-suffix": after = "",
      } = level.attribs;
      levels.set(
        Number(number),
        level.name === "text:list-level-style-number" && format !== ""
          ? { format, before, after }
          : undefined,
      );
    }
    styles.set(style.attribs["style:name"] ?? "", { levels });
  }
  return styles;
}

/** How the text of each style stands to its line, where a style says so. */
function textRises($: CheerioAPI): Map<string, Rise> {
  const rises = new Map<string, Rise>();
  for (const style of $("style\\:style").toArray()) {
    const place = $(style).children("style\\:text-properties").attr("style:text-position") ?? "";
    const [, word, percent = "0"] = /^(?:(super|sub)|(-?\d+))/.exec(place) ?? [];
    const rise = word === "super" || Number(percent) > 0 ? "sup" : "sub";
    const basis = rises.get(style.attribs["style:parent-style-name"] ?? "");
    const own = word === undefined && Number(percent) === 0 ? (place === "" ? basis : undefined) : rise;
    rises.set(style.attribs["style:name"] ?? "", own);
  }
  return rises;
}

/** What holds for the whole document while its parts are read. */
interface Story {
  readonly rises: ReadonlyMap<string, Rise>;
  readonly styles: ReadonlyMap<string, ListStyle>;
  noteCount: number;
}

/** One part of the document being read. */
interface Walk {
  readonly story: Story;
  readonly pages: readonly number[];
  readonly blocks: Block[];
}

const newAside = (): Aside => ({ notes: [], pictures: [], boxes: [] });

function noteMark(story: Story, note: Element, aside: Aside): string {
  story.noteCount++;
  const mark = `[${story.noteCount}]`;
  const body = childElements(note).find(({ name }) => name === "text:note-body");
  const parts = body === undefined ? [] : childElements(body);
  const text = squeeze(parts.map((part) => inlineText(story, part, aside)).join(" "));
  if (text !== "") aside.notes.push(`${mark} ${text}`);
  return mark;
}

function takeComment(story: Story, comment: Element, aside: Aside): void {
  const author = childElements(comment).find(({ name }) => name === "dc:creator");
  const parts = childElements(comment).filter(({ name }) => name === "text:p" || name === "text:list");
  const text = squeeze(parts.map((part) => inlineText(story, part, aside)).join(" "));
  if (text === "") return;
  const by = author === undefined ? "" : ` by ${squeeze(inlineText(story, author, aside))}`;
  aside.notes.push(`Comment${by}: ${text}`);
}

/** Elements inside a paragraph that have no text of their own there. */
const withoutText = new Set([
  "text:tracked-changes",
  "text:note-citation",
  "office:annotation-end",
  "office:event-listeners",
  "draw:object",
  "draw:object-ole",
]);

/** How often something is repeated, 1 to `maxRepeat`; 1 where the file says nothing or nonsense. */
function repetition(count: string | undefined): number {
  const times = Number(count ?? 1);
  return Number.isSafeInteger(times) && times > 1 ? Math.min(maxRepeat, times) : 1;
}

/** The text of a node inside a paragraph; notes, comments, pictures and boxes go to `aside`. */
function inlineText(story: Story, node: AnyNode, aside: Aside): string {
  if (node.type === "text") return node.data.replace(/\s+/g, " ");
  if (!isElement(node) || withoutText.has(node.name)) return "";
  const children = () => node.children.map((child) => inlineText(story, child, aside)).join("");
  switch (node.name) {
    case "text:s":
      return " ".repeat(repetition(node.attribs["text:c"]));
    case "text:tab":
      return "\t";
    case "text:line-break":
      return "\n";
    case "text:note":
      return noteMark(story, node, aside);
    case "office:annotation":
      takeComment(story, node, aside);
      return "";
    case "svg:title":
    case "svg:desc":
      aside.pictures.push(squeeze(children()));
      return "";
    case "draw:text-box":
      aside.boxes.push(node);
      return "";
    case "text:span":
      return risen(story.rises.get(node.attribs["text:style-name"] ?? ""), children());
    default:
      return children();
  }
}

function paragraphText(story: Story, paragraph: Element, aside: Aside): string {
  return settle(inlineText(story, paragraph, aside))
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
}

function add({ blocks, pages }: Walk, kind: Block["kind"], text: string, level?: number): void {
  if (text.trim() !== "") blocks.push({ kind, text, pages, ...(level === undefined ? {} : { level }) });
}

/** Adds what a paragraph or a table points at. */
function addAside(walk: Walk, aside: Aside): void {
  for (const text of new Set(aside.pictures)) add(walk, "picture", text);
  for (const box of aside.boxes) visitAll(walk, childElements(box));
  for (const note of aside.notes) add(walk, "footnote", note);
}

function listMark(level: ListLevel | undefined, number: number): string {
  return level === undefined
    ? "-"
    : `${level.before}${formatNumber(number, level.format)}${level.after || "."}`;
}

function listLines(story: Story, list: Element, depth: number, outerStyle: string, aside: Aside): string[] {
  const style = list.attribs["text:style-name"] ?? outerStyle;
  const level = story.styles.get(style)?.levels.get(depth + 1);
  const lines: string[] = [];
  let number = 0;
  for (const item of childElements(list)) {
    if (item.name !== "text:list-item" && item.name !== "text:list-header") continue;
    number = Number(item.attribs["text:start-value"] ?? number + 1);
    const mark = listMark(level, number);
    const texts: string[] = [];
    const nested: string[] = [];
    for (const part of childElements(item)) {
      if (part.name === "text:list") nested.push(...listLines(story, part, depth + 1, style, aside));
      else texts.push(paragraphText(story, part, aside).replace(/\n/g, " "));
    }
    const text = texts.filter((line) => line !== "").join(" ");
    if (text !== "") lines.push(`${"  ".repeat(depth)}${mark} ${text}`);
    lines.push(...nested);
  }
  return lines;
}

/** The rows of a table and whether they stand in its header. */
function* tableRows(parent: Element, isHeader = false): Generator<{ row: Element; isHeader: boolean }> {
  for (const part of childElements(parent)) {
    if (part.name === "table:table-header-rows") yield* tableRows(part, true);
    else if (part.name === "table:table-rows" || part.name === "table:table-row-group")
      yield* tableRows(part);
    else if (part.name === "table:table-row") yield { row: part, isHeader };
  }
}

/** A cell as often as it is repeated. */
function repeatedCell(story: Story, element: Element, aside: Aside): Cell[] {
  const texts = childElements(element).map((child) =>
    child.name === "text:list"
      ? listLines(story, child, 0, "", aside).join(" ")
      : paragraphText(story, child, aside),
  );
  const cell = {
    text: squeeze(texts.join(" ")),
    rows: Number(element.attribs["table:number-rows-spanned"] ?? 1),
    columns: Number(element.attribs["table:number-columns-spanned"] ?? 1),
  };
  const length = repetition(element.attribs["table:number-columns-repeated"]);
  return Array.from({ length }, () => cell);
}

function addTable(walk: Walk, element: Element): void {
  const aside = newAside();
  const rows: Cell[][] = [];
  let headerRows = 0;
  for (const { row, isHeader } of tableRows(element)) {
    const cells = childElements(row).filter(({ name }) => name === "table:table-cell");
    rows.push(cells.flatMap((cell) => repeatedCell(walk.story, cell, aside)));
    if (isHeader) headerRows++;
  }
  const table = layOut(rows, headerRows > 0 ? headerRows : undefined);
  if (table.rows.length > 0) walk.blocks.push(tableBlock(table, walk.pages));
  addAside(walk, aside);
}

function addParagraph(walk: Walk, element: Element, aside: Aside): void {
  const text = paragraphText(walk.story, element, aside);
  const style = element.attribs["text:style-name"] ?? "";
  if (style === "Title") add(walk, "heading", text, 1);
  else add(walk, /caption|^Illustration|^Figure$/i.test(style) ? "caption" : "paragraph", text);
}

function addHeading(walk: Walk, element: Element, aside: Aside): void {
  const level = Math.min(6, Number(element.attribs["text:outline-level"] ?? 1));
  add(walk, "heading", squeeze(paragraphText(walk.story, element, aside)), level);
}

/** Adds the texts of a frame or a drawn shape. */
function addShape(walk: Walk, element: Element, aside: Aside): void {
  for (const part of childElements(element)) {
    if (part.name === "table:table") addTable(walk, part);
    else if (part.name === "draw:text-box") visitAll(walk, childElements(part));
    else if (part.name === "text:p" || part.name === "text:list") visit(walk, part);
    else inlineText(walk.story, part, aside);
  }
}

function visitAll(walk: Walk, elements: readonly Element[]): void {
  for (const element of elements) visit(walk, element);
}

function visit(walk: Walk, element: Element): void {
  const aside = newAside();
  switch (element.name) {
    case "text:h":
      addHeading(walk, element, aside);
      break;
    case "text:p":
      addParagraph(walk, element, aside);
      break;
    case "text:list":
      add(walk, "list", listLines(walk.story, element, 0, "", aside).join("\n"));
      break;
    case "table:table":
      addTable(walk, element);
      break;
    case "text:tracked-changes":
    case "text:table-of-content":
    case "office:forms":
      break;
    case "draw:frame":
    case "draw:custom-shape":
    case "draw:rect":
      addShape(walk, element, aside);
      break;
    case "office:annotation":
      takeComment(walk.story, element, aside);
      break;
    default:
      visitAll(walk, childElements(element));
  }
  addAside(walk, aside);
}

/**
 * Opens a reader of OpenDocument text: an element's blocks in order. Notes are counted over the whole
 * document.
 */
export function odfReader(
  documents: readonly CheerioAPI[],
): (root: Element, pages: readonly number[]) => Block[] {
  const story: Story = {
    rises: new Map(documents.flatMap(($) => [...textRises($)])),
    styles: new Map(documents.flatMap(($) => [...listStyles($)])),
    noteCount: 0,
  };
  return (root, pages) => {
    const walk: Walk = { story, pages, blocks: [] };
    visit(walk, root);
    return walk.blocks;
  };
}
