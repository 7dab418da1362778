import type { Block, ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { requireText, squeeze, titleFromName, unreadable } from "../../blocks.ts";
import type { ParserOptions } from "../../options.ts";
import { freeTurns, type LeftOut, type PageTurns, requirePages, tellLeftOut } from "../../pages.ts";
import { chartBlocks } from "../chart.ts";
import { packageWarnings } from "../package.ts";
import { type LoadXml, type Relation, relations, xmlLoader } from "../xml.ts";
import { guardZip, listParts, readParts } from "../zip.ts";
import { notesBlocks, slideBlocks } from "./blocks.ts";
import { type Corner, layoutCorners } from "./order.ts";

const furthest = 80;

/** Comments of a slide with their authors; the older and the newer, threaded form. */
function commentBlocks(
  text: string,
  authors: ReadonlyMap<string, string>,
  load: LoadXml,
  pages: readonly number[],
): Block[] {
  const $ = load(text);
  return $("p\\:cm, p188\\:cm, p188\\:reply")
    .toArray()
    .flatMap((comment): Block[] => {
      const old = $(comment).children("p\\:text");
      const said = squeeze(
        old.length > 0 ? old.text() : $(comment).children("p188\\:txBody").find("a\\:t").text(),
      );
      const author = authors.get(comment.attribs["authorId"] ?? "");
      const by = author === undefined ? "" : ` by ${author}`;
      return said === "" ? [] : [{ kind: "footnote", text: `Comment${by}: ${said}`, pages }];
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
    first.text.length <= furthest &&
    !/[.:;,]$/.test(first.text) &&
    !first.text.includes("\n");
  return isTitle && !blocks.some(({ kind }) => kind === "heading")
    ? [{ ...first, kind: "heading", level: 1 }, ...others]
    : blocks;
}

async function parse(
  bytes: Uint8Array,
  file: { readonly name: string },
  turns: PageTurns,
): Promise<ParsedContent> {
  await guardZip(bytes, file.name);
  const names = await listParts(bytes, file.name);
  const load = await xmlLoader();
  const parts = await readParts(
    bytes,
    file.name,
    (part) => /\.(xml|rels)$/.test(part) && !/^ppt\/(slideMasters|theme)\//.test(part),
  );
  const main =
    [...relations(parts, "", load).values()].find(({ type }) => type === "officeDocument")?.target ??
    "ppt/presentation.xml";
  const presentation = parts.get(main);
  if (presentation === undefined)
    throw unreadable(file.name, "a presentation", new Error(`${main} is missing`));
  const targets = relations(parts, main, load);
  const slides = load(presentation)("p\\:sldId")
    .toArray()
    .flatMap((slide) => targets.get(slide.attribs["r:id"] ?? "")?.target ?? []);
  const authors = authorNames(parts, load);
  const layouts = new Map<string, ReadonlyMap<string, Corner>>();
  const layoutOf = (part: string) => {
    const known = layouts.get(part) ?? layoutCorners(load(parts.get(part) ?? ""));
    layouts.set(part, known);
    return known;
  };
  const blocks: Block[] = [];
  const warnings: string[] = [];
  const pagesWithoutText: number[] = [];
  const hidden: number[] = [];
  let pictures = 0;
  const readSlide = (part: string, index: number): void => {
    const pages = [index + 1];
    const slide = parts.get(part);
    if (slide === undefined) {
      warnings.push(`slide ${index + 1} is missing from the file`);
      return;
    }
    const beside = relations(parts, part, load);
    const target = (id: string) => parts.get(beside.get(id)?.target ?? "");
    const $ = load(slide);
    if (["0", "false"].includes($("p\\:sld").attr("show") ?? "")) hidden.push(index + 1);
    const found = slideBlocks(
      $,
      {
        layout: layoutOf([...beside.values()].find(({ type }) => type === "slideLayout")?.target ?? ""),
        chart: (id) => chartBlocks(target(id) ?? "", load, pages),
        diagram: (id) => {
          const data = load(target(id) ?? "");
          const lines = data("dgm\\:pt")
            .toArray()
            .map((point) => squeeze(data(point).find("a\\:t").text()));
          return lines.filter((line) => line !== "");
        },
      },
      pages,
    );
    pictures += found.pictures;
    const own: Block[] = [...withTitle(found.blocks)];
    const besides = (kind: RegExp) =>
      [...beside.values()]
        .filter(({ type }: Relation) => kind.test(type))
        .flatMap((relation) => parts.get(relation.target) ?? []);
    for (const text of besides(/^comments?$/)) own.push(...commentBlocks(text, authors, load, pages));
    for (const text of besides(/^notesSlide$/)) own.push(...notesBlocks(load(text), pages));
    if (own.length === 0) pagesWithoutText.push(index + 1);
    blocks.push(...own);
  };
  turns.expect(slides.length);
  const left: LeftOut[] = [];
  for (const [index, part] of slides.entries()) {
    const none = await turns.run(index + 1, async () => readSlide(part, index));
    if (none !== undefined) left.push(none);
  }
  if (blocks.length === 0) requirePages(file.name, left, []);
  const { warnings: limited, ...omitted } = tellLeftOut(left, [], turns);
  warnings.push(...limited);
  const kept = requireText(blocks, file.name);
  if (hidden.length > 0) warnings.push(`hidden slides were read too: ${hidden.join(", ")}`);
  if (pictures > 0)
    warnings.push(
      `${pictures} ${pictures === 1 ? "image was" : "images were"} left out; only alternative text is read`,
    );
  warnings.push(...packageWarnings(names));
  const named = squeeze(load(parts.get("docProps/core.xml") ?? "")("dc\\:title").text());
  const first = kept.find((block) => block.kind === "heading");
  const title =
    named !== "" && !/^(powerpoint|pptxgenjs) presentation$/i.test(named)
      ? named
      : (first?.text ?? titleFromName(file.name));
  return { title, blocks: kept, pageCount: slides.length, pagesWithoutText, warnings, ...omitted };
}

/** Presentations read from their XML: slides in order as pages, with tables, charts, comments and speaker notes. */
export default ({ turns = freeTurns }: ParserOptions = {}): Parser => ({
  id: "pptx",
  parse: (bytes, file) => parse(bytes, file, turns),
});
