import type { CheerioAPI } from "cheerio";
import type { Block } from "../../../../core/documents/document.ts";
import { type BlockWriter, blockWriter } from "../../block-writer.ts";
import { squeeze, tableBlock } from "../../blocks.ts";
import type { Element } from "../../dom.ts";
import { type GridCell, layOutGrid } from "../../grid.ts";
import { lineText } from "../drawing.ts";
import { formatNumber } from "../numbering.ts";
import { altText } from "../pictures.ts";
import { childElements } from "../xml.ts";
import { type Corner, inReadingOrder } from "./order.ts";

interface Line {
  readonly text: string;
  readonly level: number;
  /**
   * `none` where the paragraph says that it has no mark, `bullet` or a number's scheme where it has one,
   * undefined where it says nothing.
   */
  readonly mark: string | undefined;
  readonly startAt: number;
}

/** The parts that a slide refers to, resolved by the caller. */
export interface SlideParts {
  /** Blocks of a chart or a diagram by its relation. */
  drawn(relation: string): readonly Block[];
  /** Corners of the layout's placeholders. */
  readonly layout: ReadonlyMap<string, Corner>;
}

function linesOf($: CheerioAPI, body: Element | undefined): Line[] {
  if (body === undefined) return [];
  return childElements(body)
    .filter(({ name }) => name === "a:p")
    .map((paragraph): Line => {
      const properties = $(paragraph).children("a\\:pPr");
      const number = properties.children("a\\:buAutoNum");
      const mark =
        properties.children("a\\:buNone").length > 0
          ? "none"
          : (number.attr("type") ??
            (properties.children("a\\:buChar, a\\:buBlip").length > 0 ? "bullet" : undefined));
      return {
        text: lineText($, paragraph),
        level: Number(properties.attr("lvl") ?? 0),
        mark,
        startAt: Number(number.attr("startAt") ?? 1),
      };
    })
    .filter(({ text }) => text !== "");
}

const schemes: Readonly<Record<string, string>> = {
  alphaLc: "a",
  alphaUc: "A",
  romanLc: "i",
  romanUc: "I",
  arabic: "1",
};

/** A list's label: a dash, or the number in its scheme, e.g. `b)` for `alphaLcParenR`. */
function labelOf(mark: string, count: number): string {
  if (mark === "bullet") return "-";
  const [, scheme = "", side = ""] = /^(alphaLc|alphaUc|romanLc|romanUc|arabic)(\w*)$/.exec(mark) ?? [];
  const number = formatNumber(count, schemes[scheme] ?? "1");
  if (side === "ParenBoth") return `(${number})`;
  return side === "ParenR" ? `${number})` : `${number}.`;
}

/** Adds marked lines as lists, the others as paragraphs. `unmarked`: the mark of a line that says nothing. */
function addLines(out: BlockWriter, lines: readonly Line[], unmarked: string): void {
  let counts: number[] = [];
  let previous: Line | undefined;
  for (const line of lines) {
    const { level, text, mark = unmarked } = line;
    const goesOn = previous?.level !== level || (previous.mark ?? unmarked) === mark;
    if (mark === "none" || !goesOn) {
      out.end();
      counts = [];
    }
    if (mark === "none") out.add("paragraph", text);
    else {
      const count = (counts[level] ?? line.startAt - 1) + 1;
      counts = counts.slice(0, level);
      counts[level] = count;
      out.item(level, labelOf(mark, count), text);
    }
    previous = line;
  }
  out.end();
}

const isSet = (value: string | undefined) => value === "1" || value === "true";

function tableOf($: CheerioAPI, frame: Element, pages: readonly number[]): Block | undefined {
  const table = $(frame).find("a\\:tbl").first();
  const rows = table.children("a\\:tr").toArray();
  const cells = rows.map((row) =>
    $(row)
      .children("a\\:tc")
      .toArray()
      // The places that a merged cell covers are written too; they are marked and have no text.
      .filter((cell) => !isSet(cell.attribs["hMerge"]) && !isSet(cell.attribs["vMerge"]))
      .map((cell): GridCell => {
        const lines = linesOf($, $(cell).children("a\\:txBody").get(0));
        return {
          text: squeeze(lines.map(({ text }) => text).join(" ")),
          rows: Number(cell.attribs["rowSpan"] ?? 1),
          columns: Number(cell.attribs["gridSpan"] ?? 1),
        };
      }),
  );
  const laid = layOutGrid(cells);
  if (laid.rows.length === 0) return undefined;
  const declaresHeader = isSet(table.children("a\\:tblPr").attr("firstRow")) && laid.rows.length > 1;
  const headerRows = laid.headerRows > 0 ? laid.headerRows : Number(declaresHeader);
  return tableBlock({ ...laid, headerRows }, pages);
}

/** A slide being read. */
interface Walk {
  readonly $: CheerioAPI;
  readonly parts: SlideParts;
  readonly pages: readonly number[];
  readonly titles: Block[];
  readonly out: BlockWriter;
  pictures: number;
}

/** Placeholders that repeat on every slide: date, footer, number, header. */
const furniture = new Set(["dt", "ftr", "sldNum", "hdr"]);

function addShape(walk: Walk, shape: Element): void {
  const { $, out, pages, titles } = walk;
  const placeholder = $(shape).find("p\\:nvPr > p\\:ph").first();
  const type = placeholder.attr("type") ?? (placeholder.length > 0 ? "obj" : "");
  if (furniture.has(type)) return;
  const lines = linesOf($, $(shape).children("p\\:txBody").get(0));
  if (type === "title" || type === "ctrTitle") {
    const text = squeeze(lines.map((line) => line.text).join(" "));
    if (lines.length > 0) titles.push({ kind: "heading", text, level: 1, pages });
    return;
  }
  // Body placeholders take their bullets from the layout; a single line is a statement all the same.
  const isBulleted = (type === "obj" || type === "body") && lines.length > 1;
  addLines(out, lines, isBulleted ? "bullet" : "none");
}

/** Adds a table, a chart or a diagram. */
function addFrame({ $, parts, pages, out: { blocks } }: Walk, frame: Element): void {
  const table = tableOf($, frame, pages);
  const drawn = $(frame).find("c\\:chart").attr("r:id") ?? $(frame).find("dgm\\:relIds").attr("r:dm");
  if (table !== undefined) blocks.push(table);
  else if (drawn !== undefined) blocks.push(...parts.drawn(drawn));
}

function addPicture(walk: Walk, picture: Element): void {
  walk.pictures++;
  const { descr, title = "" } = walk.$(picture).find("p\\:cNvPr").first().attr() ?? {};
  walk.out.add("picture", altText(descr || title));
}

/** Reads the first of the forms in which something is written twice, for newer and for older programs. */
function visitAlternative(walk: Walk, element: Element): void {
  const { $ } = walk;
  const choice =
    $(element).children("mc\\:Choice").first().get(0) ?? $(element).children("mc\\:Fallback").get(0);
  if (choice !== undefined) visitAll(walk, childElements(choice));
}

function visit(walk: Walk, element: Element): void {
  const { name } = element;
  if (name === "p:sp") addShape(walk, element);
  else if (name === "p:graphicFrame") addFrame(walk, element);
  else if (name === "p:pic") addPicture(walk, element);
  else if (name === "mc:AlternateContent") visitAlternative(walk, element);
  else visitAll(walk, inReadingOrder(walk.$, childElements(element), new Map()));
}

function visitAll(walk: Walk, elements: readonly Element[]): void {
  for (const element of elements) visit(walk, element);
}

/** Blocks of one slide: its title first, then shapes in reading order, groups opened. */
export function slideBlocks(
  $: CheerioAPI,
  parts: SlideParts,
  pages: readonly number[],
): { readonly blocks: readonly Block[]; readonly pictures: number } {
  const walk: Walk = { $, parts, pages, titles: [], out: blockWriter(pages), pictures: 0 };
  const tree = $("p\\:spTree").first().get(0);
  if (tree !== undefined) visitAll(walk, inReadingOrder($, childElements(tree), parts.layout));
  return { blocks: [...walk.titles, ...walk.out.blocks], pictures: walk.pictures };
}

/** Speaker notes of a notes slide. */
export function notesBlocks($: CheerioAPI, pages: readonly number[]): Block[] {
  const text = $("p\\:sp")
    .toArray()
    .filter((shape) => $(shape).find('p\\:nvPr > p\\:ph[type="body"]').length > 0)
    .flatMap((shape) => linesOf($, $(shape).children("p\\:txBody").get(0)).map((line) => line.text))
    .join("\n");
  return text === "" ? [] : [{ kind: "notes", text, pages }];
}
