import type { CheerioAPI } from "cheerio";
import type { Element } from "../../dom.ts";
import { childElements, isElement } from "../xml.ts";

/** Top left corner of a shape in English metric units (914 400 an inch). */
export interface Corner {
  readonly left: number;
  readonly top: number;
}

/** Position of a body placeholder when neither it nor its layout gives one: that of the default master. */
const usualBody: Corner = { left: 838_200, top: 1_825_625 };

function ownCorner(shape: Element): Corner | undefined {
  const holder = childElements(shape).find(
    ({ name }) => name === "p:spPr" || name === "p:grpSpPr" || name === "p:xfrm",
  );
  const frame =
    holder?.name === "p:xfrm" ? holder : holder?.children.find((child) => isElement(child, "a:xfrm"));
  const offset = isElement(frame) ? frame.children.find((child) => isElement(child, "a:off")) : undefined;
  if (!isElement(offset)) return undefined;
  const [left, top] = [Number(offset.attribs["x"]), Number(offset.attribs["y"])];
  return Number.isFinite(left) && Number.isFinite(top) ? { left, top } : undefined;
}

/** Corners of a layout's placeholders by index and by type. */
export function layoutCorners($: CheerioAPI): ReadonlyMap<string, Corner> {
  const corners = new Map<string, Corner>();
  for (const shape of $("p\\:sp").toArray()) {
    const placeholder = $(shape).find("p\\:nvPr > p\\:ph").first();
    const corner = ownCorner(shape);
    if (corner === undefined || placeholder.length === 0) continue;
    for (const key of [`idx ${placeholder.attr("idx") ?? ""}`, `type ${placeholder.attr("type") ?? "obj"}`])
      if (!corners.has(key)) corners.set(key, corner);
  }
  return corners;
}

/**
 * Shapes of a slide in the order they are read: from the top down and, on one height, from the left.
 * Placeholders keep among themselves the order of the file, which is the author's (two columns are read one
 * after the other).
 */
export function inReadingOrder(
  $: CheerioAPI,
  shapes: readonly Element[],
  layout: ReadonlyMap<string, Corner>,
): readonly Element[] {
  let before: Corner = { left: 0, top: 0 };
  const placed = shapes.map((shape) => {
    const placeholder = $(shape)
      .children("p\\:nvSpPr, p\\:nvGraphicFramePr, p\\:nvPicPr")
      .find("p\\:nvPr > p\\:ph")
      .first();
    const isPlaceholder = placeholder.length > 0;
    const known =
      layout.get(`idx ${placeholder.attr("idx") ?? ""}`) ??
      layout.get(`type ${placeholder.attr("type") ?? "obj"}`);
    const corner = ownCorner(shape) ?? (isPlaceholder ? (known ?? usualBody) : before);
    before = corner;
    return { shape, corner, isPlaceholder };
  });
  const sorted = [...placed].sort(
    (one, two) => one.corner.top - two.corner.top || one.corner.left - two.corner.left,
  );
  const placeholders = placed.filter(({ isPlaceholder }) => isPlaceholder);
  return sorted.map((one) => (one.isPlaceholder ? (placeholders.shift() ?? one) : one).shape);
}
