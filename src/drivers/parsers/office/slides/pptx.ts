import type { CheerioAPI } from "cheerio";
import type { Block, ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { contentOf, damagedFile, hiddenWarnings, squeeze, type Unsaid } from "../../blocks.ts";
import type { ParserOptions } from "../../options.ts";
import {
  freeTurns,
  type PageTurns,
  reportSkippedPages,
  requirePages,
  type SkippedPages,
} from "../../pages.ts";
import { definedProperties } from "../../properties.ts";
import { chartBlocks } from "../chart.ts";
import { diagramBlocks, struckPassages } from "../drawing.ts";
import { officeProperties, packageWarnings } from "../package.ts";
import { pictureWarnings } from "../pictures.ts";
import { type LoadXml, relations, xmlLoader } from "../xml.ts";
import { checkZip, listParts, readParts } from "../zip.ts";
import { notesBlocks, slideBlocks } from "./blocks.ts";
import { type Corner, layoutCorners } from "./order.ts";

/** Longest first line that is taken for a title, characters. */
const maxTitle = 80;

/** Comments of a slide with their authors; the older and the newer, threaded form. */
function commentBlocks(
  xml: string,
  authors: ReadonlyMap<string, string>,
  load: LoadXml,
  pages: readonly number[],
): Block[] {
  const $ = load(xml);
  return $("p\\:cm, p188\\:cm, p188\\:reply")
    .toArray()
    .flatMap((comment): Block[] => {
      const old = $(comment).children("p\\:text");
      const text = squeeze(
        old.length > 0 ? old.text() : $(comment).children("p188\\:txBody").find("a\\:t").text(),
      );
      const author = authors.get(comment.attribs["authorId"] ?? "");
      const by = author === undefined ? "" : ` by ${author}`;
      return text === "" ? [] : [{ kind: "footnote", text: `Comment${by}: ${text}`, pages }];
    });
}

function authorNames(parts: ReadonlyMap<string, string>, load: LoadXml): Map<string, string> {
  const names = new Map<string, string>();
  for (const part of ["ppt/commentAuthors.xml", "ppt/authors.xml"]) {
    for (const author of load(parts.get(part) ?? "")("p\\:cmAuthor, p188\\:author").toArray())
      names.set(author.attribs["id"] ?? "", author.attribs["name"] ?? "");
  }
  return names;
}

/** A slide without a title placeholder: a short first line is its title. */
function withTitle(blocks: readonly Block[]): readonly Block[] {
  const [first, ...others] = blocks;
  const isTitle =
    first?.kind === "paragraph" &&
    others.length > 0 &&
    first.text.length <= maxTitle &&
    !/[.:;,]$/.test(first.text) &&
    !first.text.includes("\n");
  return isTitle && !blocks.some(({ kind }) => kind === "heading")
    ? [{ ...first, kind: "heading", level: 1 }, ...others]
    : blocks;
}

/** A presentation being read. */
interface Deck {
  /** Text of the package's parts by name. */
  readonly parts: ReadonlyMap<string, string>;
  readonly load: LoadXml;
  /** Names of those who commented, by id. */
  readonly authors: ReadonlyMap<string, string>;
  readonly layoutOf: (part: string) => ReadonlyMap<string, Corner>;
  readonly blocks: Block[];
  readonly warnings: string[];
  readonly pagesWithoutText: number[];
  readonly hidden: number[];
  readonly unsaid: Unsaid;
  pictures: number;
}

function openDeck(parts: ReadonlyMap<string, string>, load: LoadXml): Deck {
  const layouts = new Map<string, ReadonlyMap<string, Corner>>();
  return {
    parts,
    load,
    authors: authorNames(parts, load),
    layoutOf(part) {
      const corners = layouts.get(part) ?? layoutCorners(load(parts.get(part) ?? ""));
      layouts.set(part, corners);
      return corners;
    },
    blocks: [],
    warnings: [],
    pagesWithoutText: [],
    hidden: [],
    unsaid: { struck: 0, hidden: 0 },
    pictures: 0,
  };
}

/** Takes out the shapes of a slide that are hidden; returns how many. */
function dropHidden($: CheerioAPI): number {
  const hidden = $("p\\:cNvPr").filter((_, { attribs }) => /^(?:1|true)$/.test(attribs["hidden"] ?? ""));
  const shapes = hidden.parent().parent();
  const count = shapes.filter((_, shape) => $(shape).text().trim() !== "").length;
  shapes.remove();
  return count;
}

function readSlide(deck: Deck, part: string, number: number): void {
  const { parts, load, authors } = deck;
  const pages = [number];
  const xml = parts.get(part);
  if (xml === undefined) {
    deck.warnings.push(`slide ${number} is missing from the file`);
    return;
  }
  const related = relations(parts, part, load);
  const target = (id: string) => parts.get(related.get(id)?.target ?? "") ?? "";
  const ofType = (type: RegExp) => [...related.values()].filter((relation) => type.test(relation.type));
  const texts = (type: RegExp) => ofType(type).flatMap((relation) => parts.get(relation.target) ?? []);
  const $ = load(xml);
  if (["0", "false"].includes($("p\\:sld").attr("show") ?? "")) deck.hidden.push(number);
  deck.unsaid.struck += struckPassages($);
  deck.unsaid.hidden += dropHidden($);
  const layout = deck.layoutOf(ofType(/^slideLayout$/)[0]?.target ?? "");
  const drawn = (id: string) =>
    related.get(id)?.type === "diagramData"
      ? diagramBlocks(target(id), load, pages)
      : chartBlocks(target(id), load, pages);
  const slide = slideBlocks($, { layout, drawn }, pages);
  const blocks = [
    ...withTitle(slide.blocks),
    ...texts(/^comments?$/).flatMap((text) => commentBlocks(text, authors, load, pages)),
    ...texts(/^notesSlide$/).flatMap((text) => notesBlocks(load(text), pages)),
  ];
  if (blocks.length === 0) deck.pagesWithoutText.push(number);
  deck.pictures += slide.pictures;
  deck.blocks.push(...blocks);
}

/** Names of the slides' parts in order. */
function slideParts(parts: ReadonlyMap<string, string>, load: LoadXml, name: string): string[] {
  const main =
    [...relations(parts, "", load).values()].find(({ type }) => type === "officeDocument")?.target ??
    "ppt/presentation.xml";
  const presentation = parts.get(main);
  if (presentation === undefined) throw damagedFile(name, "a presentation", new Error(`${main} is missing`));
  const targets = relations(parts, main, load);
  return load(presentation)("p\\:sldId")
    .toArray()
    .flatMap((slide) => targets.get(slide.attribs["r:id"] ?? "")?.target ?? []);
}

/** The title of the file's properties, unless it is one that programs write. */
function declaredTitle(parts: ReadonlyMap<string, string>, load: LoadXml): string | undefined {
  const title = squeeze(load(parts.get("docProps/core.xml") ?? "")("dc\\:title").text());
  return title === "" || /^(powerpoint|pptxgenjs) presentation$/i.test(title) ? undefined : title;
}

async function parse(
  bytes: Uint8Array,
  { name }: { readonly name: string },
  turns: PageTurns,
): Promise<ParsedContent> {
  await checkZip(bytes, name);
  const load = await xmlLoader();
  const parts = await readParts(
    bytes,
    name,
    (part) => /\.(xml|rels)$/.test(part) && !/^ppt\/(slideMasters|theme)\//.test(part),
  );
  const slides = slideParts(parts, load, name);
  const deck = openDeck(parts, load);
  turns.expect(slides.length);
  const left: SkippedPages[] = [];
  for (const [index, part] of slides.entries()) {
    const leftOut = await turns.run(index + 1, async () => readSlide(deck, part, index + 1));
    if (leftOut !== undefined) left.push(leftOut);
  }
  if (deck.blocks.length === 0) requirePages(name, left, []);
  const { warnings: limits, ...omitted } = reportSkippedPages(left, [], turns);
  const { blocks, hidden, pictures, pagesWithoutText } = deck;
  const warnings = [
    ...deck.warnings,
    ...limits,
    ...(hidden.length > 0 ? [`hidden slides were also read: ${hidden.join(", ")}`] : []),
    ...hiddenWarnings(deck.unsaid),
    ...pictureWarnings(pictures),
    ...packageWarnings(await listParts(bytes, name)),
  ];
  const title =
    declaredTitle(parts, load) ??
    blocks.find(({ kind, text }) => kind === "heading" && text.trim() !== "")?.text;
  const facts = { pageCount: slides.length, pagesWithoutText, ...omitted };
  return contentOf(name, blocks, {
    title: title ?? "",
    warnings,
    ...facts,
    ...definedProperties(officeProperties(parts, load)),
  });
}

/**
 * Presentations read from their XML: slides in order as pages, with tables, charts, comments and speaker
 * notes.
 */
export default ({ turns = freeTurns }: ParserOptions = {}): Parser => ({
  id: "pptx",
  parse: (bytes, file) => parse(bytes, file, turns),
});
