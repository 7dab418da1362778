import type { CheerioAPI } from "cheerio";
import type { Block } from "../../../core/documents/document.ts";
import { squeeze, tableBlock } from "../blocks.ts";
import type { Element } from "../dom.ts";
import type { LoadXml } from "./xml.ts";

/** Most points of one series that are read. */
const maxPoints = 2000;

/** A stored number without the digits that binary fractions leave behind (4.4000000000000004). */
function rounded(text: string): string {
  const number = Number(text);
  return text === "" || !Number.isFinite(number) || !/\.\d{12,}/.test(text)
    ? text
    : String(Number(number.toPrecision(14)));
}

function points($: CheerioAPI, element: Element, holder: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const point of $(element).children(holder).find("c\\:pt").toArray().slice(0, maxPoints))
    found.set(
      Number(point.attribs["idx"] ?? found.size),
      rounded(squeeze($(point).children("c\\:v").text())),
    );
  return found;
}

/** A chart's title and the figures it draws: one row a category, one column a series. */
export function chartBlocks(text: string, load: LoadXml, pages: readonly number[]): Block[] {
  const $ = load(text);
  const blocks: Block[] = [];
  const title = squeeze(
    $("c\\:chart > c\\:title")
      .find("a\\:t")
      .toArray()
      .map((run) => $(run).text())
      .join(""),
  );
  const kinds = $("c\\:plotArea")
    .children()
    .toArray()
    .map(({ name }) => /^c:(\w+?)(?:3D)?Chart$/.exec(name)?.[1])
    .filter((kind) => kind !== undefined);
  const kind =
    kinds[0] === undefined ? "Chart" : `${kinds[0].charAt(0).toUpperCase()}${kinds[0].slice(1)} chart`;
  blocks.push({ kind: "caption", text: title === "" ? kind : `${title} (${kind.toLowerCase()})`, pages });
  const series = $("c\\:ser")
    .toArray()
    .map((element, index) => {
      const name =
        squeeze($(element).children("c\\:tx").find("c\\:v").first().text()) || `Series ${index + 1}`;
      const labels = points($, element, "c\\:cat, c\\:xVal");
      return { name, labels, values: points($, element, "c\\:val, c\\:yVal") };
    })
    .filter(({ values }) => values.size > 0);
  const [first] = series;
  if (first === undefined) return title === "" ? [] : blocks;
  const indexes = [...new Set(series.flatMap(({ values }) => [...values.keys()]))].sort(
    (one, two) => one - two,
  );
  const rows = [
    ["", ...series.map(({ name }) => name)],
    ...indexes.map((index) => [
      first.labels.get(index) ?? String(index + 1),
      ...series.map(({ values }) => values.get(index) ?? ""),
    ]),
  ];
  blocks.push(tableBlock({ rows, headerRows: 1 }, pages));
  return blocks;
}
