import { posix } from "node:path";
import type { CheerioAPI } from "cheerio";
import type { Element } from "domhandler";
import type { Block, ParsedContent, Parser } from "../../core/document.ts";
import { requireText, squeeze, tableBlock, titleFromName, unreadable } from "./blocks.ts";
import { guardZip, readParts } from "./zip.ts";

type Load = (text: string) => CheerioAPI;

function paragraphs($: CheerioAPI, element: Element): { text: string; level: number }[] {
  return $(element)
    .find("a\\:p")
    .toArray()
    .map((paragraph) => {
      const text = $(paragraph)
        .find("a\\:t, a\\:br")
        .toArray()
        .map((run) => (run.name === "a:br" ? "\n" : $(run).text()))
        .join("");
      return { text: text.split("\n").map(squeeze).join("\n").trim(), level: Number($(paragraph).children("a\\:pPr").attr("lvl") ?? 0) };
    })
    .filter(({ text }) => text !== "");
}

function tableRows($: CheerioAPI, element: Element): string[][] {
  return $(element)
    .find("a\\:tr")
    .toArray()
    .map((row) =>
      $(row)
        .children("a\\:tc")
        .toArray()
        .map((cell) =>
          paragraphs($, cell)
            .map(({ text }) => squeeze(text))
            .join(" "),
        ),
    )
    .filter((row) => row.some((cell) => cell !== ""));
}

/** Blocks of one slide: title, then shapes and tables in the order of the file. */
function slideBlocks($: CheerioAPI, pages: readonly number[]): Block[] {
  const blocks: Block[] = [];
  for (const shape of $("p\\:sp, p\\:graphicFrame").toArray()) {
    if (shape.name === "p:graphicFrame") {
      const rows = tableRows($, shape);
      if (rows.length > 0) blocks.push(tableBlock({ rows, headerRows: rows.length > 1 ? 1 : 0 }, pages));
      continue;
    }
    const placeholder = $(shape).find("p\\:nvPr > p\\:ph").first();
    const type = placeholder.attr("type") ?? "";
    if (["dt", "ftr", "sldNum"].includes(type)) continue;
    const lines = paragraphs($, shape);
    if (lines.length === 0) continue;
    if (type === "title" || type === "ctrTitle") {
      blocks.unshift({ kind: "heading", text: squeeze(lines.map(({ text }) => text).join(" ")), level: 1, pages });
    } else if (lines.length > 1) {
      blocks.push({ kind: "list", text: lines.map(({ text, level }) => `${"  ".repeat(level)}- ${squeeze(text)}`).join("\n"), pages });
    } else for (const { text } of lines) blocks.push({ kind: "paragraph", text, pages });
  }
  const [first] = blocks;
  // A slide without a title placeholder: a short first line is its title.
  if (first?.kind === "paragraph" && blocks.length > 1 && first.text.length <= 80 && !/[.:;,]$/.test(first.text)) {
    blocks[0] = { kind: "heading", text: squeeze(first.text), level: 1, pages };
  }
  return blocks;
}

function notesBlocks($: CheerioAPI, pages: readonly number[]): Block[] {
  const bodies = $("p\\:sp")
    .toArray()
    .filter((shape) => $(shape).find('p\\:nvPr > p\\:ph[type="body"]').length > 0);
  const text = bodies.flatMap((shape) => paragraphs($, shape).map((line) => line.text)).join("\n");
  return text === "" ? [] : [{ kind: "notes", text, pages }];
}

/** Targets of a part's relationships, by id, with their type's last word. */
function relations(parts: ReadonlyMap<string, string>, part: string, load: Load): Map<string, { type: string; target: string }> {
  const folder = posix.dirname(part);
  const $ = load(parts.get(`${folder}/_rels/${posix.basename(part)}.rels`) ?? "");
  const found = new Map<string, { type: string; target: string }>();
  for (const relation of $("Relationship").toArray()) {
    const { Id: id = "", Type: type = "", Target: target = "" } = relation.attribs;
    found.set(id, { type: type.split("/").at(-1) ?? "", target: target.startsWith("/") ? target.slice(1) : posix.join(folder, target) });
  }
  return found;
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  await guardZip(bytes, file.name);
  const cheerio = await import("cheerio");
  const load: Load = (text) => cheerio.load(text, { xml: true });
  const parts = await readParts(bytes, file.name, (part) =>
    /^(ppt\/(slides|notesSlides)\/|ppt\/presentation|ppt\/_rels\/|docProps\/core)/.test(part),
  );
  const presentation = parts.get("ppt/presentation.xml");
  if (presentation === undefined) throw unreadable(file.name, "a presentation", new Error("ppt/presentation.xml is missing"));
  const targets = relations(parts, "ppt/presentation.xml", load);
  const slides = load(presentation)("p\\:sldId")
    .toArray()
    .flatMap((slide) => targets.get(slide.attribs["r:id"] ?? "")?.target ?? []);
  const blocks: Block[] = [];
  const warnings: string[] = [];
  const pagesWithoutText: number[] = [];
  slides.forEach((part, index) => {
    const pages = [index + 1];
    const slide = parts.get(part);
    if (slide === undefined) {
      warnings.push(`slide ${index + 1} is missing from the file`);
      return;
    }
    const found = slideBlocks(load(slide), pages);
    for (const { type, target } of relations(parts, part, load).values()) {
      const notes = type === "notesSlide" ? parts.get(target) : undefined;
      if (notes !== undefined) found.push(...notesBlocks(load(notes), pages));
    }
    if (found.length === 0) pagesWithoutText.push(index + 1);
    blocks.push(...found);
  });
  const kept = requireText(blocks, file.name);
  const named = squeeze(load(parts.get("docProps/core.xml") ?? "")("dc\\:title").text());
  const first = kept.find((block) => block.kind === "heading");
  const title = named !== "" && !/^(powerpoint|pptxgenjs) presentation$/i.test(named) ? named : (first?.text ?? titleFromName(file.name));
  return { title, blocks: kept, pageCount: slides.length, pagesWithoutText, warnings };
}

/** Presentations read from their XML: slides in order as pages, with tables and speaker notes. */
export default (): Parser => ({ id: "pptx", parse });
