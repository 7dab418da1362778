import type { CheerioAPI } from "cheerio";
import type { Element } from "domhandler";
import type { Block } from "../../../../core/documents/document.ts";
import { squeeze, tableBlock } from "../../blocks.ts";
import { type Cell, layOut } from "../../grid.ts";
import { latexOf } from "../formula.ts";
import { formatNumber } from "../numbering.ts";
import { childElements } from "../xml.ts";
import { type Corner, inReadingOrder } from "./order.ts";

interface Line {
  readonly text: string;
  readonly level: number;
  /** `none` where the paragraph says that it has no mark, `bullet` or a number's scheme where it has one, undefined where it says nothing. */
  readonly mark: string | undefined;
  readonly startAt: number;
}

/** What a slide points at, resolved by the caller. */
export interface SlideParts {
  /** Blocks of a chart by its relation. */
  chart(relation: string): readonly Block[];
  /** Text of a diagram (SmartArt) by its relation, a line a shape. */
  diagram(relation: string): readonly string[];
  /** Corners of the layout's placeholders. */
  readonly layout: ReadonlyMap<string, Corner>;
}

function lineText($: CheerioAPI, paragraph: Element): string {
  let text = "";
  for (const run of childElements(paragraph)) {
    if (run.name === "a:r" || run.name === "a:fld") text += $(run).children("a\\:t").text();
    else if (run.name === "a:br") text += "\n";
    else if (run.name === "mc:AlternateContent" || run.name === "a14:m") {
      const formula = $(run).find("m\\:oMath").get(0);
      text += formula === undefined ? "" : `$${latexOf(formula)}$`;
    }
  }
  return text
    .split(/[\n\u000b]/)
    .map(squeeze)
    .join("\n")
    .trim();
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

/** Lines as blocks: marked ones as lists, the others as paragraphs. `otherwise`: the mark of a line that says nothing. */
function lineBlocks(lines: readonly Line[], pages: readonly number[], otherwise: string): Block[] {
  const blocks: Block[] = [];
  let items: string[] = [];
  let counts: number[] = [];
  const flush = () => {
    if (items.length > 0) blocks.push({ kind: "list", text: items.join("\n"), pages });
    items = [];
    counts = [];
  };
  let before: Line | undefined;
  for (const line of lines) {
    const mark = line.mark ?? otherwise;
    if (mark === "none") {
      flush();
      blocks.push({ kind: "paragraph", text: line.text, pages });
    } else {
      if (before !== undefined && before.level === line.level && (before.mark ?? otherwise) !== mark) flush();
      counts = counts.slice(0, line.level + 1);
      const count = (counts[line.level] ?? line.startAt - 1) + 1;
      counts[line.level] = count;
      const [, scheme = "", side = ""] = /^(alphaLc|alphaUc|romanLc|romanUc|arabic)(\w*)$/.exec(mark) ?? [];
      const number = formatNumber(count, schemes[scheme] ?? "1");
      const label =
        mark === "bullet"
          ? "-"
          : side === "ParenBoth"
            ? `(${number})`
            : side === "ParenR"
              ? `${number})`
              : `${number}.`;
      items.push(`${"  ".repeat(line.level)}${label} ${line.text.replace(/\n/g, " ")}`);
    }
    before = line;
  }
  flush();
  return blocks;
}

function tableOf($: CheerioAPI, frame: Element): Block | undefined {
  const table = $(frame).find("a\\:tbl").first();
  const rows = table.children("a\\:tr").toArray();
  const cells = rows.map((row) =>
    $(row)
      .children("a\\:tc")
      .toArray()
      // The places a merged cell covers are written too; they are marked and carry no text of their own.
      .filter(
        (cell) =>
          !["1", "true"].includes(cell.attribs["hMerge"] ?? "") &&
          !["1", "true"].includes(cell.attribs["vMerge"] ?? ""),
      )
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
  const named = ["1", "true"].includes(table.children("a\\:tblPr").attr("firstRow") ?? "");
  const headerRows = laid.headerRows > 0 ? laid.headerRows : named && laid.rows.length > 1 ? 1 : 0;
  return tableBlock({ ...laid, headerRows }, []);
}

interface Placed {
  readonly blocks: readonly Block[];
  readonly isTitle: boolean;
}

const furniture = new Set(["dt", "ftr", "sldNum", "hdr"]);

/** Blocks of one slide: its title first, then shapes in reading order, groups opened. */
export function slideBlocks(
  $: CheerioAPI,
  parts: SlideParts,
  pages: readonly number[],
): { readonly blocks: readonly Block[]; readonly pictures: number } {
  const placed: Placed[] = [];
  let pictures = 0;
  const put = (blocks: readonly Block[], isTitle = false) => {
    if (blocks.length > 0) placed.push({ blocks: blocks.map((block) => ({ ...block, pages })), isTitle });
  };
  const altText = (shape: Element, selector: string) => {
    const { descr = "", title = "" } = $(shape).find(selector).first().attr() ?? {};
    return squeeze(
      (descr || title).replace(
        /(Description automatically generated|AI-generated content may be incorrect)\.?/gi,
        "",
      ),
    );
  };
  const shape = (element: Element) => {
    const placeholder = $(element).find("p\\:nvPr > p\\:ph").first();
    const type = placeholder.attr("type") ?? (placeholder.length > 0 ? "obj" : "");
    if (furniture.has(type)) return;
    const lines = linesOf($, $(element).children("p\\:txBody").get(0));
    if (type === "title" || type === "ctrTitle") {
      if (lines.length > 0)
        put(
          [{ kind: "heading", text: squeeze(lines.map(({ text }) => text).join(" ")), level: 1, pages }],
          true,
        );
    } else {
      // Body placeholders take their bullets from the layout; a single line is a statement all the same.
      const bulleted = (type === "obj" || type === "body") && lines.length > 1;
      put(lineBlocks(lines, pages, bulleted ? "bullet" : "none"));
    }
  };
  const visit = (element: Element): void => {
    if (element.name === "p:sp") shape(element);
    else if (element.name === "p:graphicFrame") {
      const table = tableOf($, element);
      const chart = $(element).find("c\\:chart").attr("r:id");
      const diagram = $(element).find("dgm\\:relIds").attr("r:dm");
      if (table !== undefined) put([table]);
      else if (chart !== undefined) put(parts.chart(chart));
      else if (diagram !== undefined) {
        const lines = parts.diagram(diagram);
        put(
          lines.length === 0
            ? []
            : [{ kind: "list", text: lines.map((line) => `- ${line}`).join("\n"), pages }],
        );
      }
    } else if (element.name === "p:pic") {
      pictures++;
      const alt = altText(element, "p\\:cNvPr");
      if (alt !== "") put([{ kind: "picture", text: alt, pages }]);
    } else if (element.name === "mc:AlternateContent") {
      const choice =
        $(element).children("mc\\:Choice").first().get(0) ?? $(element).children("mc\\:Fallback").get(0);
      if (choice !== undefined) childElements(choice).forEach(visit);
    } else inReadingOrder($, childElements(element), new Map()).forEach(visit);
  };
  const tree = $("p\\:spTree").first().get(0);
  if (tree !== undefined) inReadingOrder($, childElements(tree), parts.layout).forEach(visit);
  const blocks = [
    ...placed.filter(({ isTitle }) => isTitle),
    ...placed.filter(({ isTitle }) => !isTitle),
  ].flatMap((one) => one.blocks);
  return { blocks, pictures };
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
