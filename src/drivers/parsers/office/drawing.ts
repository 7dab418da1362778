import type { CheerioAPI } from "cheerio";
import type { Block } from "../../../core/documents/document.ts";
import { squeeze } from "../blocks.ts";
import type { Element } from "../dom.ts";
import { markRaised, resolveMarks } from "../raised.ts";
import { symbolText } from "../symbols.ts";
import { latexOf } from "./formula.ts";
import { childElements, isElement, type LoadXml } from "./xml.ts";

const isStruck = ($: CheerioAPI, run: Element): boolean =>
  /^(?:sng|dbl)Strike$/.test($(run).children("a\\:rPr").attr("strike") ?? "");

/** Passages of DrawingML that are struck out; neighbouring runs are one. */
export const struckPassages = ($: CheerioAPI): number =>
  $("a\\:r")
    .toArray()
    .filter((run) => isStruck($, run) && $(run).children("a\\:t").text().trim() !== "")
    .filter(
      (run) =>
        !$(run)
          .prev("a\\:r")
          .is((_, before) => isElement(before) && isStruck($, before)),
    ).length;

/** The text of a run; in a symbol font, what it shows. */
function shownText($: CheerioAPI, run: Element): string {
  const text = $(run).children("a\\:t").text();
  const fonts = $(run).children("a\\:rPr").children("a\\:sym, a\\:latin").toArray();
  const shown = fonts.map(({ attribs }) => symbolText(attribs["typeface"] ?? "", text));
  return shown.find((each) => each !== undefined) ?? text;
}

function runText($: CheerioAPI, run: Element): string {
  if (run.name === "a:br") return "\n";
  if (/^a:(?:r|fld)$/.test(run.name)) {
    if (isStruck($, run)) return "";
    const baseline = Number.parseInt($(run).children("a\\:rPr").attr("baseline") ?? "0", 10);
    const rise = baseline > 0 ? "sup" : baseline < 0 ? "sub" : undefined;
    return markRaised(rise, shownText($, run));
  }
  const isOther = run.name !== "mc:AlternateContent" && run.name !== "a14:m";
  const formula = isOther ? undefined : $(run).find("m\\:oMath").get(0);
  return formula === undefined ? "" : `$${latexOf(formula)}$`;
}

/** The text of a paragraph of DrawingML, as slides, diagrams and text boxes have it. */
export function lineText($: CheerioAPI, paragraph: Element): string {
  const runs = childElements(paragraph).map((run) => runText($, run));
  return resolveMarks(runs.join(""))
    .split(/[\n\u000b]/)
    .map(squeeze)
    .join("\n")
    .trim();
}

/** The text of each body of shapes (`txBody`) in a drawing, under whatever prefix. */
export function boxBlocks(xml: string, load: LoadXml): Block[] {
  const $ = load(xml);
  return $("*")
    .toArray()
    .filter((node) => isElement(node))
    .filter(({ name }) => /(?:^|:)txBody$/.test(name))
    .map((body) =>
      childElements(body)
        .filter(({ name }) => name === "a:p")
        .map((paragraph) => lineText($, paragraph))
        .filter((line) => line !== "")
        .join("\n"),
    )
    .filter((text) => text !== "")
    .map((text): Block => ({ kind: "paragraph", text, pages: [] }));
}

/** The children of a point in a diagram, in order, each with the point of the arrow that leads there. */
type Below = ReadonlyMap<string, readonly { readonly to: string; readonly arrow: string }[]>;

/** The connections that form the outline of a diagram; others only concern its layout. */
function outlineOf($: CheerioAPI): Below {
  const below = new Map<string, { to: string; arrow: string; place: number }[]>();
  for (const { attribs } of $("dgm\\:cxn").toArray()) {
    if ((attribs["type"] ?? "parOf") !== "parOf") continue;
    const from = attribs["srcId"] ?? "";
    const list = below.get(from) ?? [];
    below.set(from, list);
    list.push({
      to: attribs["destId"] ?? "",
      arrow: attribs["sibTransId"] ?? "",
      place: Number(attribs["srcOrd"] ?? 0),
    });
  }
  for (const list of below.values()) list.sort((one, two) => one.place - two.place);
  return below;
}

/** Most levels of a diagram that are indented. */
const deepest = 8;

/** The texts of a diagram (SmartArt) as a list, in the order and with the levels of its connections. */
export function diagramBlocks(xml: string, load: LoadXml, pages: readonly number[]): Block[] {
  const $ = load(xml);
  const texts = new Map<string, string>();
  for (const point of $("dgm\\:pt").toArray()) {
    const lines = $(point).find("a\\:p").toArray();
    texts.set(point.attribs["modelId"] ?? "", squeeze(lines.map((line) => lineText($, line)).join(" ")));
  }
  const below = outlineOf($);
  const lines: string[] = [];
  const take = (point: string, depth: number): void => {
    const text = texts.get(point) ?? "";
    // A point that was met is not met again: connections may lead back.
    texts.delete(point);
    if (text !== "") lines.push(`${"  ".repeat(Math.min(depth, deepest))}- ${text}`);
  };
  const waiting = [{ point: $('dgm\\:pt[type="doc"]').attr("modelId") ?? "", depth: -1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { point, depth } = next;
    if (!texts.has(point)) continue;
    take(point, depth);
    for (const { to, arrow } of (below.get(point) ?? []).toReversed())
      waiting.push({ point: arrow, depth: depth + 1 }, { point: to, depth: depth + 1 });
  }
  for (const point of [...texts.keys()]) take(point, 0);
  return lines.length === 0 ? [] : [{ kind: "list", text: lines.join("\n"), pages }];
}
