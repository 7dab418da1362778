import type { CheerioAPI } from "cheerio";
import type { Unsaid } from "../../blocks.ts";
import type { Element } from "../../dom.ts";
import { symbolText } from "../../symbols.ts";
import { latexOf } from "../formula.ts";
import { createListNumberer } from "../numbering.ts";
import type { LoadXml } from "../xml.ts";
import { styleChain, type WordStyle } from "./styles.ts";
import { removeHiddenText } from "./unsaid.ts";

/** Prefix of bookmark names, which pass information through to the blocks that the library would drop. */
export const markPrefix = "ragctl:";

function headingLevel(direct: number | undefined, ancestry: readonly WordStyle[]): number | undefined {
  if (direct !== undefined) return direct < 9 ? direct + 1 : undefined;
  for (const { name, outline } of ancestry) {
    if (/^title$/i.test(name)) return 1;
    const level = /^heading (\d)$/i.exec(name)?.[1];
    if (level !== undefined) return Number(level);
    if (outline !== undefined) return outline < 9 ? outline + 1 : undefined;
  }
  return undefined;
}

/** A bookmark that carries a word to the blocks. */
const bookmark = ($: CheerioAPI, name: string) =>
  $("<w:bookmarkStart/>").attr("w:id", "0").attr("w:name", `${markPrefix}${name}`);

/** What the story contains in addition to its text. */
export interface Prepared {
  readonly xml: string;
  /** Insertions, deletions and moves that were not yet accepted. */
  readonly trackedChanges: number;
}

/** Rewrites text boxes that lack the older form to that form, which the library reads. */
function liftTextBoxes($: CheerioAPI): void {
  for (const choice of $("mc\\:AlternateContent").toArray()) {
    const fallback = $(choice).children("mc\\:Fallback");
    if (fallback.length > 0 && fallback.children().length > 0) $(choice).children("mc\\:Choice").remove();
    else $(choice).replaceWith($(choice).children("mc\\:Choice").first().contents());
  }
  for (const drawing of $("w\\:drawing").toArray()) {
    const boxes = $(drawing)
      .find("w\\:txbxContent")
      .toArray()
      .filter((box) => $(box).parentsUntil(drawing, "w\\:txbxContent").length === 0);
    for (const box of boxes)
      $(drawing).after($("<w:pict/>").append($("<v:textbox/>").append($(box).remove())));
  }
}

/** Elements that the library reads, or leaves out for a reason; any other one that holds text is opened. */
const known = new Set(
  (
    "w:document w:body w:footnotes w:footnote w:endnotes w:endnote w:comments w:comment w:p w:r w:t w:tbl w:tr w:tc w:hyperlink " +
    "w:sdt w:sdtContent w:customXml w:ins w:del w:moveFrom w:moveTo w:object w:smartTag w:drawing w:pict w:txbxContent " +
    "v:roundrect v:shape v:textbox v:group v:rect wp:inline wp:anchor"
  ).split(" "),
);

/** The entry that a drop-down list of an old form shows. */
function chosenEntry($: CheerioAPI, list: Element): string {
  const place = (name: string) => $(list).children(name).attr("w:val");
  const entry = $(list)
    .children("w\\:listEntry")
    .get(Number(place("w\\:result") ?? place("w\\:default") ?? 0));
  return entry?.attribs["w:val"] ?? "";
}

/** Writes what symbol fonts show as text. */
function readSymbols($: CheerioAPI): void {
  const text = (shown: string) => $("<w:t/>").attr("xml:space", "preserve").text(shown);
  for (const symbol of $("w\\:sym").toArray()) {
    const { "w:font": font = "", "w:char": code = "" } = symbol.attribs;
    const shown = symbolText(font, String.fromCodePoint(Number.parseInt(code, 16) & 0xffff || 0x20));
    if (shown !== undefined) $(symbol).replaceWith(text(shown));
  }
  for (const fonts of $("w\\:rPr > w\\:rFonts").toArray())
    for (const written of $(fonts).closest("w\\:r").children("w\\:t").toArray()) {
      const shown = symbolText(fonts.attribs["w:ascii"] ?? "", $(written).text());
      if (shown !== undefined) $(written).replaceWith(text(shown));
    }
}

/**
 * Rewrites a part of the document so that the library reads all of its text and no other: shapes, fields,
 * formulas and readings, without what is struck out or hidden.
 */
export function normalizePartText(
  $: CheerioAPI,
  styles: ReadonlyMap<string, WordStyle>,
  tally: Unsaid,
): void {
  const run = (text: string) => $("<w:r/>").append($("<w:t/>").attr("xml:space", "preserve").text(text));
  liftTextBoxes($);
  removeHiddenText($, styles, tally);
  readSymbols($);
  for (const block of $("m\\:oMathPara").toArray()) {
    const formulas = $(block).children("m\\:oMath").toArray().map(latexOf);
    $(block).replaceWith(run(formulas.map((formula) => `$$${formula}$$`).join("\n")));
  }
  for (const formula of $("m\\:oMath").toArray()) $(formula).replaceWith(run(`$${latexOf(formula)}$`));
  for (const drawn of $("c\\:chart, dgm\\:relIds").toArray())
    $(drawn)
      .closest("w\\:drawing")
      .before(bookmark($, `part:${drawn.attribs["r:id"] ?? drawn.attribs["r:dm"] ?? ""}`));
  for (const chunk of $("w\\:altChunk").toArray())
    $(chunk).replaceWith($("<w:p/>").append(bookmark($, `part:${chunk.attribs["r:id"] ?? ""}`)));
  for (const list of $("w\\:ddList").toArray())
    $(list)
      .closest("w\\:r")
      .before(run(chosenEntry($, list)));
  for (const ruby of $("w\\:ruby").toArray()) {
    const reading = $(ruby).children("w\\:rt").text();
    $(ruby)
      .children("w\\:rt")
      .replaceWith(run(`(${reading})`));
    // The base text goes before its reading.
    $(ruby).prepend($(ruby).children("w\\:rubyBase"));
  }
  $("w\\:cr").replaceWith("<w:br/>");
  $("w\\:ptab").replaceWith("<w:tab/>");
  const unknown = new Set(
    $("w\\:t")
      .parents()
      .toArray()
      .filter(({ name }) => !known.has(name)),
  );
  for (const element of unknown) $(element).replaceWith($(element).contents());
  // The library reads raised text only from a run's own properties.
  for (const style of $("w\\:rPr > w\\:rStyle").toArray()) {
    const rise = styleChain(styles, style.attribs["w:val"]).find((each) => each.rise !== undefined)?.rise;
    if (rise !== undefined && $(style).siblings("w\\:vertAlign").length === 0)
      $(style).after($("<w:vertAlign/>").attr("w:val", rise));
  }
}

/** A part of notes or comments with all text that the library would drop. */
export function prepareNotes(
  xml: string,
  styles: ReadonlyMap<string, WordStyle>,
  load: LoadXml,
  tally: Unsaid,
): string {
  const $ = load(xml);
  normalizePartText($, styles, tally);
  return $.xml();
}

/**
 * The main story with marks the library carries through: list labels, heading levels, places of charts,
 * diagrams and inserted documents.
 */
export function prepareStory(
  $: CheerioAPI,
  styles: ReadonlyMap<string, WordStyle>,
  numbering: CheerioAPI,
  tally: Unsaid,
): Prepared {
  const next = createListNumberer(numbering);
  normalizePartText($, styles, tally);
  // Rows that begin after the first column: the library would move their cells to the left.
  for (const before of $("w\\:trPr > w\\:gridBefore").toArray()) {
    const count = Math.min(63, Number(before.attribs["w:val"] ?? 0));
    for (let index = 0; index < count; index++)
      $(before)
        .parent()
        .after($("<w:tc/>").append($("<w:p/>")));
  }
  for (const paragraph of $("w\\:p").toArray()) markParagraph($, paragraph, styles, next);
  const trackedChanges = $("w\\:ins, w\\:del, w\\:moveFrom, w\\:moveTo").length;
  return { xml: $.xml(), trackedChanges };
}

function markParagraph(
  $: CheerioAPI,
  paragraph: Element,
  styles: ReadonlyMap<string, WordStyle>,
  next: ReturnType<typeof createListNumberer>,
): void {
  const properties = $(paragraph).children("w\\:pPr");
  const value = (selector: string) => properties.find(selector).first().attr("w:val");
  const styleId = value("w\\:pStyle");
  const ancestry = styleChain(styles, styleId);
  const outline = value("w\\:outlineLvl");
  const level = headingLevel(outline === undefined ? undefined : Number(outline), ancestry);
  const marks: string[] = level === undefined ? [] : [`head:${level}`];
  const code = ancestry.some(({ name }) =>
    /^(source code|code|code block|html preformatted|plain code|macro text)$/i.test(name.trim()),
  );
  if (code) marks.push("code");
  const styled = ancestry.find(({ numId }) => numId !== undefined);
  const numId = value("w\\:numPr > w\\:numId") ?? styled?.numId;
  const hasText = $(paragraph).find("w\\:t, w\\:sym, w\\:drawing, w\\:pict").length > 0;
  if (numId !== undefined && numId !== "0" && hasText) {
    const numbered = next(numId, value("w\\:numPr > w\\:ilvl") ?? styled?.level, styleId);
    marks.push(`item:${numbered.level}:${numbered.label}`);
  }
  const nodes = marks.map((name) => bookmark($, name));
  for (const node of nodes.reverse()) {
    if (properties.length > 0) properties.after(node);
    else $(paragraph).prepend(node);
  }
}
