import type { CheerioAPI } from "cheerio";
import type { Block } from "../../../../core/documents/document.ts";
import { type BlockWriter, blockWriter } from "../../block-writer.ts";
import { squeeze } from "../../blocks.ts";
import type { AnyNode, Element } from "../../dom.ts";
import type { GridCell } from "../../grid.ts";
import { markRaised, resolveMarks } from "../../raised.ts";
import { formatNumber } from "../numbering.ts";
import { childElements, isElement } from "../xml.ts";
import type { Look } from "./unsaid.ts";

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
  readonly start: number;
  /** How many levels the label shows, its own included. */
  readonly shown: number;
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
        "text:start-value": start = "1",
        "text:display-levels": shown = "1",
      } = level.attribs;
      levels.set(
        Number(number),
        level.name === "text:list-level-style-number" && format !== ""
          ? { format, before, after, start: Number(start), shown: Number(shown) }
          : undefined,
      );
    }
    styles.set(style.attribs["style:name"] ?? "", { levels });
  }
  return styles;
}

/** State of the whole document while its parts are read. */
interface Story {
  readonly looks: ReadonlyMap<string, Look>;
  readonly styles: ReadonlyMap<string, ListStyle>;
  /**
   * The numbers that lists had at their end, by their id and by their style, from the outermost level
   * inwards.
   */
  readonly ends: Map<string, readonly number[]>;
  noteCount: number;
}

/** One part of the document being read. */
interface Walk {
  readonly story: Story;
  readonly out: BlockWriter;
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

/** Elements inside a paragraph that add no text to it. */
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
  const { name, attribs } = node;
  if (name === "text:s") return " ".repeat(repetition(attribs["text:c"]));
  if (name === "text:tab") return "\t";
  if (name === "text:line-break") return "\n";
  if (name === "text:note") return noteMark(story, node, aside);
  if (name === "text:span")
    return markRaised(story.looks.get(attribs["text:style-name"] ?? "")?.rise, children());
  if (name === "office:annotation") takeComment(story, node, aside);
  else if (name === "svg:title" || name === "svg:desc") aside.pictures.push(squeeze(children()));
  else if (name === "draw:text-box") aside.boxes.push(node);
  else return children();
  return "";
}

function paragraphText(story: Story, paragraph: Element, aside: Aside): string {
  return resolveMarks(inlineText(story, paragraph, aside))
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .trim();
}

/** Adds the pictures, boxes and notes of a paragraph or a table. */
function addAside(walk: Walk, aside: Aside): void {
  for (const text of new Set(aside.pictures)) walk.out.add("picture", text);
  for (const box of aside.boxes) visitAll(walk, childElements(box));
  for (const note of aside.notes) walk.out.add("footnote", note);
}

/** A list being read, with those within it. */
interface ListWalk {
  readonly story: Story;
  readonly aside: Aside;
  /** The number of the last item of each level, from the outermost inwards. */
  readonly counts: number[];
  readonly lines: string[];
}

function listMark(levels: ListStyle["levels"] | undefined, counts: readonly number[]): string {
  const depth = counts.length - 1;
  const level = levels?.get(depth + 1);
  if (level === undefined) return "-";
  const numbers = counts.slice(Math.max(0, depth + 1 - level.shown)).map((number, index, { length }) => {
    const format = levels?.get(depth + 2 - length + index)?.format ?? level.format;
    return formatNumber(number, format);
  });
  return `${level.before}${numbers.join(".")}${level.after || "."}`;
}

/** Whether a list continues the numbers of the one before it. */
const goesOn = ({ attribs }: Element): boolean =>
  attribs["text:continue-numbering"] === "true" || attribs["text:continue-list"] !== undefined;

/** Counts an item of a list and resets the counts of deeper levels. */
function countItem(counts: number[], depth: number, item: Element, start: number): void {
  const number = Number(item.attribs["text:start-value"] ?? (counts[depth] ?? start - 1) + 1);
  while (counts.length < depth) counts.push(1);
  counts[depth] = number;
  counts.length = depth + 1;
}

/** The text of an item of a list on one line, without the lists in it. */
function itemText({ story, aside }: ListWalk, item: Element): string {
  return childElements(item)
    .filter(({ name }) => name !== "text:list")
    .map((part) => paragraphText(story, part, aside).replace(/\n/g, " "))
    .filter((line) => line !== "")
    .join(" ");
}

/** A list at its depth; `style` is its own or that of the list around it. */
interface ListPlace {
  readonly depth: number;
  readonly style: string;
  readonly continues: boolean;
}

function readItem(walk: ListWalk, item: Element, { depth, style, continues }: ListPlace): void {
  const { story, counts, lines } = walk;
  const levels = story.styles.get(style)?.levels;
  const text = itemText(walk, item);
  // An item without text only leads to the level below, which may continue.
  const isCounted = text !== "" && item.name === "text:list-item";
  if (isCounted) countItem(counts, depth, item, levels?.get(depth + 1)?.start ?? 1);
  const mark = isCounted ? `${listMark(levels, counts)} ` : "";
  if (text !== "") lines.push(`${"  ".repeat(depth)}${mark}${text}`);
  for (const inner of childElements(item).filter(({ name }) => name === "text:list")) {
    const innerGoesOn = goesOn(inner) || (continues && !isCounted);
    readList(walk, inner, { depth: depth + 1, style, continues: innerGoesOn });
  }
}

/** Reads the items of a list; numbering restarts unless the list continues another. */
function readList(walk: ListWalk, list: Element, { depth, style: outer, continues }: ListPlace): void {
  if (!continues) walk.counts.length = Math.min(walk.counts.length, depth);
  const place = { depth, style: list.attribs["text:style-name"] ?? outer, continues };
  for (const item of childElements(list))
    if (item.name === "text:list-item" || item.name === "text:list-header") readItem(walk, item, place);
}

/** The lines of a list, whose numbers may continue those of another. */
function listLines(story: Story, list: Element, aside: Aside): string[] {
  const {
    "text:style-name": style = "",
    "text:continue-list": earlier,
    "text:continue-numbering": same,
    "xml:id": id = "",
  } = list.attribs;
  const before = earlier ?? (same === "true" ? `style ${style}` : "");
  const counts = [...(story.ends.get(before) ?? [])];
  const lines: string[] = [];
  readList({ story, aside, counts, lines }, list, { depth: 0, style: "", continues: goesOn(list) });
  for (const key of [id, `style ${style}`]) if (key !== "") story.ends.set(key, counts);
  return lines;
}

/** The rows of a table, each marked as header or not. */
function* tableRows(parent: Element, isHeader = false): Generator<{ row: Element; isHeader: boolean }> {
  for (const part of childElements(parent)) {
    if (part.name === "table:table-header-rows") yield* tableRows(part, true);
    else if (part.name === "table:table-rows" || part.name === "table:table-row-group")
      yield* tableRows(part);
    else if (part.name === "table:table-row") yield { row: part, isHeader };
  }
}

/** A cell, repeated as often as the file says. */
function repeatedCell(story: Story, element: Element, aside: Aside): GridCell[] {
  const texts = childElements(element).map((child) =>
    child.name === "text:list"
      ? listLines(story, child, aside).join(" ")
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
  const rows: GridCell[][] = [];
  let headerRows = 0;
  for (const { row, isHeader } of tableRows(element)) {
    const cells = childElements(row).filter(({ name }) => name === "table:table-cell");
    rows.push(cells.flatMap((cell) => repeatedCell(walk.story, cell, aside)));
    if (isHeader) headerRows++;
  }
  walk.out.table(rows, headerRows > 0 ? headerRows : undefined);
  addAside(walk, aside);
}

function addParagraph(walk: Walk, element: Element, aside: Aside): void {
  const text = paragraphText(walk.story, element, aside);
  const style = element.attribs["text:style-name"] ?? "";
  if (style === "Title") walk.out.add("heading", text, 1);
  else walk.out.add(/caption|^Illustration|^Figure$/i.test(style) ? "caption" : "paragraph", text);
}

function addHeading(walk: Walk, element: Element, aside: Aside): void {
  const level = Math.min(6, Number(element.attribs["text:outline-level"] ?? 1));
  walk.out.add("heading", squeeze(paragraphText(walk.story, element, aside)), level);
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
  const { name } = element;
  if (name === "text:h") addHeading(walk, element, aside);
  else if (name === "text:p") addParagraph(walk, element, aside);
  else if (name === "text:list") walk.out.add("list", listLines(walk.story, element, aside).join("\n"));
  else if (name === "table:table") addTable(walk, element);
  else if (/^draw:(?:frame|custom-shape|rect)$/.test(name)) addShape(walk, element, aside);
  else if (name === "office:annotation") takeComment(walk.story, element, aside);
  else if (!/^(?:text:tracked-changes|text:table-of-content|office:forms)$/.test(name))
    visitAll(walk, childElements(element));
  addAside(walk, aside);
}

/**
 * Opens a reader of OpenDocument text: an element's blocks in order. Notes are counted over the whole
 * document.
 */
export function odfReader(
  documents: readonly CheerioAPI[],
  looks: ReadonlyMap<string, Look>,
): (root: Element, pages: readonly number[]) => Block[] {
  const story: Story = {
    looks,
    styles: new Map(documents.flatMap(($) => [...listStyles($)])),
    ends: new Map(),
    noteCount: 0,
  };
  return (root, pages) => {
    const walk: Walk = { story, out: blockWriter(pages) };
    visit(walk, root);
    return walk.out.blocks;
  };
}
