import type { CheerioAPI } from "cheerio";
import type { Block } from "../../../../core/documents/document.ts";
import { squeeze, tableBlock } from "../../blocks.ts";
import type { Element } from "../../dom.ts";
import { type Cell, layOut } from "../../grid.ts";
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

/**
 * Lines as blocks: marked ones as lists, the others as paragraphs. `unmarked`: the mark of a line that says
 * nothing.
 */
function lineBlocks(lines: readonly Line[], pages: readonly number[], unmarked: string): Block[] {
  const blocks: Block[] = [];
  let items: string[] = [];
  let counts: number[] = [];
  const flush = () => {
    if (items.length > 0) blocks.push({ kind: "list", text: items.join("\n"), pages });
    items = [];
    counts = [];
  };
  let previous: Line | undefined;
  for (const line of lines) {
    const mark = line.mark ?? unmarked;
    const goesOn = previous?.level !== line.level || (previous.mark ?? unmarked) === mark;
    if (mark === "none" || !goesOn) flush();
    if (mark === "none") blocks.push({ kind: "paragraph", text: line.text, pages });
    else {
      counts = counts.slice(0, line.level + 1);
      const count = (counts[line.level] ?? line.startAt - 1) + 1;
      counts[line.level] = count;
      items.push(`${"  ".repeat(line.level)}${labelOf(mark, count)} ${line.text.replace(/\n/g, " ")}`);
    }
    previous = line;
  }
  flush();
  return blocks;
}

const isSet = (value: string | undefined) => value === "1" || value === "true";

function tableOf($: CheerioAPI, frame: Element): Block | undefined {
  const table = $(frame).find("a\\:tbl").first();
  const rows = table.children("a\\:tr").toArray();
  const cells = rows.map((row) =>
    $(row)
      .children("a\\:tc")
      .toArray()
      // The places that a merged cell covers are written too; they are marked and have no text.
      .filter((cell) => !isSet(cell.attribs["hMerge"]) && !isSet(cell.attribs["vMerge"]))
      .map((cell): Cell => {
        const lines = linesOf($, $(cell).children("a\\:txBody").get(0));
        return {
          text: squeeze(lines.map(({ text }) => text).join(" ")),
          rows: Number(cell.attribs["rowSpan"] ?? 1),
          columns: Number(cell.attribs["gridSpan"] ?? 1),
        };
      }),
  );
  const laid = layOut(cells);
  if (laid.rows.length === 0) return undefined;
  const declaresHeader = isSet(table.children("a\\:tblPr").attr("firstRow")) && laid.rows.length > 1;
  const headerRows = laid.headerRows > 0 ? laid.headerRows : Number(declaresHeader);
  return tableBlock({ ...laid, headerRows }, []);
}

/** A slide being read. */
interface Walk {
  readonly $: CheerioAPI;
  readonly parts: SlideParts;
  readonly pages: readonly number[];
  readonly titles: Block[];
  readonly body: Block[];
  pictures: number;
}

/** Placeholders that repeat on every slide: date, footer, number, header. */
const furniture = new Set(["dt", "ftr", "sldNum", "hdr"]);

function addBody({ body, pages }: Walk, blocks: readonly Block[]): void {
  body.push(...blocks.map((block) => ({ ...block, pages })));
}

function addShape(walk: Walk, shape: Element): void {
  const { $, pages, titles } = walk;
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
  addBody(walk, lineBlocks(lines, pages, isBulleted ? "bullet" : "none"));
}

/** Adds a table, a chart or a diagram. */
function addFrame(walk: Walk, frame: Element): void {
  const { $, parts } = walk;
  const table = tableOf($, frame);
  if (table !== undefined) {
    addBody(walk, [table]);
    return;
  }
  const drawn = $(frame).find("c\\:chart").attr("r:id") ?? $(frame).find("dgm\\:relIds").attr("r:dm");
  if (drawn !== undefined) addBody(walk, parts.drawn(drawn));
}

function addPicture(walk: Walk, picture: Element): void {
  walk.pictures++;
  const { descr, title = "" } = walk.$(picture).find("p\\:cNvPr").first().attr() ?? {};
  const text = altText(descr || title);
  if (text !== "") addBody(walk, [{ kind: "picture", text, pages: walk.pages }]);
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
  const walk: Walk = { $, parts, pages, titles: [], body: [], pictures: 0 };
  const tree = $("p\\:spTree").first().get(0);
  if (tree !== undefined) visitAll(walk, inReadingOrder($, childElements(tree), parts.layout));
  return { blocks: [...walk.titles, ...walk.body], pictures: walk.pictures };
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
