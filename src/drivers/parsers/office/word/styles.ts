import type { CheerioAPI } from "cheerio";
import { isOn } from "../numbering.ts";

/** A style of a Word file, as far as it is read. */
export interface WordStyle {
  readonly name: string;
  readonly basedOn: string | undefined;
  readonly outline: number | undefined;
  readonly numId: string | undefined;
  readonly level: string | undefined;
  /** Word's vertical alignment of the text: raised or lowered. */
  readonly rise: string | undefined;
  /** Whether its text is struck out or hidden, by property; those it does not name are absent. */
  readonly toggles: ReadonlyMap<string, boolean>;
}

const toggles = ["w:strike", "w:dstrike", "w:vanish"];

/** Styles by id; that of paragraphs without one is also under "". */
export function readStyles($: CheerioAPI): Map<string, WordStyle> {
  const styles = new Map<string, WordStyle>();
  for (const style of $("w\\:style").toArray()) {
    const value = (selector: string) => $(style).find(selector).first().attr("w:val");
    const outline = value("w\\:pPr > w\\:outlineLvl");
    const own = $(style).children("w\\:rPr").children();
    const read: WordStyle = {
      name: value("w\\:name") ?? "",
      basedOn: value("w\\:basedOn"),
      outline: outline === undefined ? undefined : Number(outline),
      numId: value("w\\:numPr > w\\:numId"),
      level: value("w\\:numPr > w\\:ilvl"),
      rise: value("w\\:rPr > w\\:vertAlign"),
      toggles: new Map(
        own
          .toArray()
          .flatMap((each) => (toggles.includes(each.name) ? [[each.name, isOn($(each))] as const] : [])),
      ),
    };
    styles.set(style.attribs["w:styleId"] ?? "", read);
    const isUsual =
      style.attribs["w:type"] === "paragraph" && /^(?:1|true|on)$/.test(style.attribs["w:default"] ?? "");
    if (isUsual) styles.set("", read);
  }
  return styles;
}

/** The style and those it is based on, nearest first. */
export function styleChain(styles: ReadonlyMap<string, WordStyle>, id: string | undefined): WordStyle[] {
  const ancestry: WordStyle[] = [];
  for (
    let style = id === undefined ? undefined : styles.get(id);
    style !== undefined && !ancestry.includes(style);
    style = style.basedOn === undefined ? undefined : styles.get(style.basedOn)
  )
    ancestry.push(style);
  return ancestry;
}
