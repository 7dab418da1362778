import type { CheerioAPI } from "cheerio";
import type { Unsaid } from "../../blocks.ts";
import type { AnyNode, Element } from "../../dom.ts";
import type { Rise } from "../../raised.ts";
import { symbolText } from "../../symbols.ts";
import { isElement } from "../xml.ts";

type Text = Extract<AnyNode, { readonly data: string }>;

/** What a style says of its text; absent where it says nothing. */
export interface Look {
  readonly struck?: boolean;
  readonly hidden?: boolean;
  readonly font?: string;
  readonly rise?: Rise;
}

/** Attributes that name a style whose text properties hold for the text inside. */
const styleNames = ["text:style-name", "table:style-name", "draw:style-name", "presentation:style-name"];

function lookOf($: CheerioAPI, style: Element): Look {
  const text = $(style).children("style\\:text-properties").attr() ?? {};
  const line = text["style:text-line-through-style"] ?? text["style:text-line-through-type"];
  const display = text["text:display"];
  const place = text["style:text-position"] ?? "";
  const isRaised = place.startsWith("super") || Number.parseFloat(place) > 0;
  const isLowered = place.startsWith("sub") || Number.parseFloat(place) < 0;
  const font = text["style:font-name"] ?? text["fo:font-family"];
  return {
    ...(line === undefined ? {} : { struck: line !== "none" }),
    ...(display === undefined ? {} : { hidden: display === "none" }),
    ...(place === "" ? {} : { rise: isRaised ? "sup" : isLowered ? "sub" : undefined }),
    ...(font === undefined ? {} : { font: font.replaceAll("'", "") }),
  };
}

/** What each style says of its text, with those it is based on; of the parts with styles, common ones first. */
export function resolveTextStyles(documents: readonly CheerioAPI[]): ReadonlyMap<string, Look> {
  const looks = new Map<string, Look>();
  for (const $ of documents)
    for (const style of $("style\\:style").toArray()) {
      const basis = looks.get(style.attribs["style:parent-style-name"] ?? "");
      looks.set(style.attribs["style:name"] ?? "", { ...basis, ...lookOf($, style) });
    }
  return looks;
}

/** Whether a section, or a field inside a paragraph, is hidden. */
const isHidden = ({ name, attribs }: Element): boolean =>
  attribs["text:is-hidden"] === "true" || (name === "text:section" && attribs["text:display"] === "none");

const isParagraph = ({ name }: Element): boolean => name === "text:p" || name === "text:h";

/** A place in a document: what its text is, and the paragraph it is in. */
interface Place extends Look {
  readonly paragraph: Element | undefined;
}

/** The place inside an element. */
function placeIn(element: Element, looks: ReadonlyMap<string, Look>, outer: Place): Place {
  const own = styleNames
    .map((name) => looks.get(element.attribs[name] ?? ""))
    .find((look) => look !== undefined);
  const isGone =
    isHidden(element) ||
    (isParagraph(element) &&
      element.children.some((child) => isElement(child, "text:hidden-paragraph") && isHidden(child)));
  const paragraph = isParagraph(element) ? element : outer.paragraph;
  return { ...outer, ...own, ...(isGone || outer.hidden ? { hidden: true } : {}), paragraph };
}

const kindOf = ({ hidden, struck }: Look): keyof Unsaid | undefined => {
  if (hidden === true) return "hidden";
  return struck === true ? "struck" : undefined;
};

/** Takes a number, date or truth value out of a cell of a spreadsheet. */
function emptyCell(cell: Element): void {
  for (const name of Object.keys(cell.attribs))
    if (/^(?:office|calcext):.*value/.test(name)) delete cell.attribs[name];
}

/**
 * Takes out text that is struck out or hidden by its style, section or field, and counts the passages; text in
 * a symbol font becomes what it shows.
 */
export function removeHiddenOdfText($: CheerioAPI, looks: ReadonlyMap<string, Look>, tally: Unsaid): void {
  let before:
    | { readonly kind: keyof Unsaid | undefined; readonly paragraph: Element | undefined }
    | undefined;
  /** Whether the text of a node was taken out. */
  const takeOut = (node: Text, place: Place): boolean => {
    if (node.data.trim() === "") return false;
    const kind = kindOf(place);
    const goesOn = before?.kind === kind && before?.paragraph === place.paragraph;
    before = { kind, paragraph: place.paragraph };
    if (kind === undefined) {
      if (place.font !== undefined) node.data = symbolText(place.font, node.data) ?? node.data;
      return false;
    }
    tally[kind] += Number(!goesOn);
    $(node).remove();
    return true;
  };
  const visit = (node: AnyNode, outer: Place): boolean => {
    if (node.type === "text") return takeOut(node, outer);
    if (!isElement(node)) return false;
    const place = placeIn(node, looks, outer);
    const taken = [...node.children].map((child) => visit(child, place)).includes(true);
    if (taken && node.name === "table:table-cell" && $(node).text().trim() === "") emptyCell(node);
    return taken;
  };
  for (const root of $("office\\:body").toArray()) visit(root, { paragraph: undefined });
}
