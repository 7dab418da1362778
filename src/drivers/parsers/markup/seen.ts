import type { CheerioAPI } from "cheerio";
import { MathMLToLaTeX } from "mathml-to-latex";
import { squeeze, type Unsaid } from "../blocks.ts";
import type { AnyNode, Element } from "../dom.ts";
import { createStyleResolver, type ElementStyle } from "./styles.ts";

const skipped = new Set(
  "script style noscript template svg canvas iframe object embed head nav select textarea dialog".split(" "),
);

const isElement = (node: AnyNode): node is Element => "attribs" in node;

/** Visibility that an element inherits from those around it. */
interface Sight {
  readonly isVisible: boolean;
  readonly hasSize: boolean;
  /** Whether its letters differ in colour from their background. */
  readonly hasContrast: boolean;
}

const isZero = (value = ""): boolean => /^[+-]?(?:0+(?:\.0*)?|\.0+)(?:[a-z%]|$)/.test(value);

/** Whether a length moves something off every page. */
const isFar = (value: string | undefined): boolean =>
  /^-\d{3,}(?:\.\d+)?(?:px|pt|em|rem|%|vw|vh|$)/.test(value ?? "");

/** Whether an element is placed off the page, or clipped to nothing. */
function isOutside(style: ElementStyle): boolean {
  const isPlaced = /^(?:absolute|fixed)$/.test(style.get("position") ?? "");
  const isCut =
    /^rect\(\s*(?:0|1px)/.test(style.get("clip") ?? "") ||
    /^inset\(\s*(?:50|100)%/.test(style.get("clip-path") ?? "");
  const isFlat = ["max-height", "height", "width", "max-width"].some((side) => isZero(style.get(side)));
  return (
    (isPlaced && (isCut || ["left", "top", "right", "bottom"].some((side) => isFar(style.get(side))))) ||
    /^inset\(\s*(?:50|100)%/.test(style.get("clip-path") ?? "") ||
    isFar(style.get("text-indent")) ||
    (isFlat && /hidden|clip/.test(style.get("overflow") ?? ""))
  );
}

/** Whether an element is hidden, whatever it contains. */
function isGone({ name, attribs }: Element, style: ElementStyle): boolean {
  return (
    skipped.has(name) ||
    ("hidden" in attribs && attribs["hidden"] !== "until-found") ||
    attribs["aria-hidden"] === "true" ||
    /(^|\s)(mw-editsection|noprint|sr-only|visually-hidden|screen-reader-text)(\s|$)/.test(
      attribs["class"] ?? "",
    ) ||
    style.get("display") === "none" ||
    style.get("content-visibility") === "hidden" ||
    style.get("mso-hide") === "all" ||
    isZero(style.get("opacity")) ||
    /^scale\(\s*0\s*[,)]/.test(style.get("transform") ?? "")
  );
}

/** Whether the text of an element is struck out, by its name unless a style says otherwise. */
function isStruck({ name, attribs }: Element, style: ElementStyle): boolean {
  const line = style.get("text-decoration-line") ?? style.get("text-decoration");
  if (name === "del" || attribs["role"] === "deletion") return true;
  return line === undefined ? name === "s" || name === "strike" : /(?:^|\s)line-through/.test(line);
}

/** Whether an element is a note, which programs for reading show where it is called even if it is hidden. */
export const isNote = ({ attribs }: Element): boolean =>
  /(?:^|\s)(?:doc-)?(?:foot|end|rear)note(?:\s|$)/.test(attribs["epub:type"] ?? attribs["role"] ?? "");
const callsNote = ({ attribs }: Element): boolean =>
  /(?:^|\s)(?:doc-)?noteref(?:\s|$)/.test(attribs["epub:type"] ?? attribs["role"] ?? "");

const named: Readonly<Record<string, string>> = { white: "#ffffff", black: "#000000" };

/** A colour in one way of writing. */
function colour(written: string | undefined): string | undefined {
  const [, red, green, blue] = /^#([\da-f])([\da-f])([\da-f])$/.exec(written ?? "") ?? [];
  if (red !== undefined) return `#${red}${red}${green}${green}${blue}${blue}`;
  const parts = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(written ?? "");
  if (parts !== null)
    return `#${parts
      .slice(1)
      .map((part) => Number(part).toString(16).padStart(2, "0"))
      .join("")}`;
  return named[written ?? ""] ?? written;
}

/** The state inside an element; its own declarations override inherited ones. */
function sightIn(outer: Sight, style: ElementStyle): Sight {
  const visibility = style.get("visibility");
  const size = style.get("font-size") ?? /^([\d.]+[a-z%]*)(?:\/|\s)/.exec(style.get("font") ?? "")?.[1];
  // A part of nothing is nothing.
  const isPart = /^[\d.]+(?:em|%)$/.test(size ?? "");
  const [ink, ground] = [
    colour(style.get("color")),
    colour(style.get("background-color") ?? style.get("background")),
  ];
  return {
    isVisible: visibility === undefined ? outer.isVisible : !/^(?:hidden|collapse)$/.test(visibility),
    hasSize:
      size === undefined
        ? outer.hasSize
        : !isZero(size) && !/^(?:0?\.\d+|1)(?:px|pt)$/.test(size) && (outer.hasSize || !isPart),
    hasContrast:
      ink === undefined && ground === undefined ? outer.hasContrast : ink === undefined || ink !== ground,
  };
}

/** A formula of MathML as LaTeX, by its author where they gave it; its words alone where it is damaged. */
function latexOf($: CheerioAPI, formula: Element): string {
  const written = $(formula).find('annotation[encoding="application/x-tex"]').first();
  if (written.length > 0) return squeeze(written.text());
  const words = squeeze($(formula).text());
  // Signs that nobody sees (applied, times, comma, plus), and a blank under its name in HTML.
  const xml = $.xml($(formula)).replace(/[\u2061-\u2064]|&nbsp;/g, " ");
  try {
    return squeeze(MathMLToLaTeX.convert(xml)) || words;
  } catch {
    return words;
  }
}

/** Writes formulas in their place as one text, `$E=mc^{2}$`, and returns what holds one. */
function writeFormulas($: CheerioAPI): Set<AnyNode> {
  const holders = new Set<AnyNode>();
  for (const formula of $("math").toArray()) {
    const tex = latexOf($, formula);
    const side = formula.attribs["display"] === "block" ? "$$" : "$";
    for (const holder of $(formula).parents().toArray()) holders.add(holder);
    $(formula).replaceWith(
      $("<span></span>").text(tex === "" ? squeeze(formula.attribs["alttext"] ?? "") : side + tex + side),
    );
  }
  return holders;
}

/** The box of a choice as text: whether it is ticked. */
function choice({ name, attribs }: Element): string | undefined {
  const isBox = name === "input" && /^(?:checkbox|radio)$/i.test(attribs["type"] ?? "");
  const isDrawn = /^(?:checkbox|radio|menuitemcheckbox|switch)$/.test(attribs["role"] ?? "");
  if (!isBox && !(isDrawn && attribs["aria-checked"] !== undefined)) return undefined;
  return (isBox ? "checked" in attribs : attribs["aria-checked"] === "true") ? "[x] " : "[ ] ";
}

/** Writes the mark of a note, which is no exponent. */
function writeMark($: CheerioAPI, element: Element): void {
  const mark = squeeze($(element).text()).replace(/^[[(]|[\])]$/g, "");
  $(element).text(mark === "" ? "" : `[${mark}]`);
  for (const each of [element, element.parent])
    if (each !== null && isElement(each) && /^(?:sup|a)$/.test(each.name)) each.name = "span";
}

/** A page being cleared. */
interface Page {
  readonly $: CheerioAPI;
  readonly styleOf: (element: Element) => ElementStyle;
  /** The elements that hold formulas: programs hide the form of a formula that is read aloud. */
  readonly holders: ReadonlySet<AnyNode>;
  readonly tally: Unsaid;
}

/** Whether an element is not shown, or struck out, which is counted. */
function isLeftOut({ styleOf, holders, tally, $ }: Page, element: Element, outer: Sight): boolean {
  const style = styleOf(element);
  const struck = isStruck(element, style);
  if (struck && $(element).text().trim() !== "") tally.struck++;
  const isHiddenPicture = element.name === "img" && !outer.isVisible;
  const gone = (isGone(element, style) && !isNote(element)) || (isOutside(style) && !holders.has(element));
  return struck || gone || isHiddenPicture;
}

/**
 * Reduces an element to its visible part and returns what applies to the text inside; undefined where the
 * element was removed.
 */
function clearElement(page: Page, element: Element, outer: Sight): Sight | undefined {
  const { $, styleOf } = page;
  const style = styleOf(element);
  if (isLeftOut(page, element, outer)) {
    $(element).remove();
    return undefined;
  }
  const box = choice(element);
  if (box !== undefined && outer.isVisible) $(element).before(box);
  if (element.name === "input") $(element).remove();
  const rise = style.get("vertical-align");
  if (callsNote(element)) writeMark($, element);
  if (element.name === "span" && rise === "super") element.name = "sup";
  if (element.name === "span" && rise === "sub") element.name = "sub";
  return sightIn(outer, style);
}

/**
 * Reduces a page to what a reader sees: removes what markup or style sheets hide or strike out, which is
 * counted, turns select boxes and formulas into text, and wraps text that is raised or lowered in `sup` or
 * `sub`.
 */
export function removeHidden($: CheerioAPI, root: AnyNode, tally: Unsaid): void {
  const page: Page = { $, holders: writeFormulas($), styleOf: createStyleResolver($), tally };
  const waiting: { readonly node: AnyNode; readonly sight: Sight }[] = [
    { node: root, sight: { isVisible: true, hasSize: true, hasContrast: true } },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, sight } = next;
    if (node.type === "text" && !(sight.isVisible && sight.hasSize && sight.hasContrast)) node.data = "";
    if (!("children" in node)) continue;
    const inner = isElement(node) ? clearElement(page, node, sight) : sight;
    if (inner !== undefined) for (const child of node.children) waiting.push({ node: child, sight: inner });
  }
}
