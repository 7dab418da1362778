import { isOn } from "../numbering.ts";
import type { LoadXml } from "../xml.ts";

/** Numbers of the cell styles of an XLSX file whose text is struck out; `xml`: the part with its styles. */
export function struckStyles(xml: string, load: LoadXml): ReadonlySet<string> {
  if (!/<strike\b/.test(xml)) return new Set();
  const $ = load(xml);
  const fonts = $("fonts > font")
    .toArray()
    .map((font) => isOn($(font).children("strike"), "val"));
  const styles = $("cellXfs > xf").toArray();
  return new Set(
    styles.flatMap(({ attribs }, at) => (fonts[Number(attribs["fontId"] ?? 0)] === true ? [String(at)] : [])),
  );
}

/** Addresses of the cells of a sheet that have one of these styles. */
export function struckCells(xml: string, styles: ReadonlySet<string>): ReadonlySet<string> {
  if (styles.size === 0) return new Set();
  const cells = [...xml.matchAll(/<c\s([^<>]*)>/g)].flatMap(([, attributes = ""]) => {
    const style = /(?:^|\s)s="(\d+)"/.exec(attributes)?.[1] ?? "0";
    return styles.has(style) ? [/(?:^|\s)r="([A-Z]+\d+)"/.exec(attributes)?.[1] ?? ""] : [];
  });
  return new Set(cells);
}
