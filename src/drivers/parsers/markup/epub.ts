import { posix } from "node:path";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { requireText, squeeze, titleFromName, unreadable } from "../blocks.ts";
import { packageWarnings } from "../office/package.ts";
import { withoutDoctype, xmlLoader } from "../office/xml.ts";
import { encryptedSource, guardZip, listParts, readParts } from "../office/zip.ts";
import { htmlBlocks } from "./html-blocks.ts";

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a bare % in a file name: the name is meant as it stands
  }
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  await guardZip(bytes, file.name);
  const [load, { load: loadHtml }] = await Promise.all([xmlLoader(), import("cheerio")]);
  const parts = await readParts(bytes, file.name, (part) => /\.(xml|opf|x?html?|ncx)$/i.test(part));
  const container = load(parts.get("META-INF/container.xml") ?? "");
  const main =
    container("rootfile").first().attr("full-path") ??
    [...parts.keys()].find((part) => part.endsWith(".opf")) ??
    "";
  const text = parts.get(main);
  if (text === undefined) throw unreadable(file.name, "an e-book", new Error("its package file is missing"));
  // Fonts may be scrambled without protecting the text; anything else in this list cannot be read.
  const locked = load(parts.get("META-INF/encryption.xml") ?? "")("CipherReference, enc\\:CipherReference")
    .toArray()
    .some((reference) => /\.x?html?$/i.test(reference.attribs["URI"] ?? ""));
  if (locked) throw encryptedSource(file.name);
  const $ = load(text.replace(/<(\/?)opf:/g, "<$1"));
  const items = new Map(
    $("manifest > item")
      .toArray()
      .map((item) => [item.attribs["id"] ?? "", item.attribs]),
  );
  const blocks: Block[] = [];
  const warnings: string[] = [];
  for (const reference of $("spine > itemref").toArray()) {
    const item = items.get(reference.attribs["idref"] ?? "");
    if (item === undefined || /(^|\s)nav(\s|$)/.test(item["properties"] ?? "")) continue;
    const place = posix.join(posix.dirname(main), decoded(item["href"] ?? ""));
    const chapter = parts.get(place);
    if (chapter === undefined) {
      if (/html/.test(item["media-type"] ?? "html"))
        warnings.push(`a chapter is missing from the file: ${item["href"] ?? place}`);
      continue;
    }
    const page = loadHtml(withoutDoctype(chapter).replace(/^\ufeff?<\?xml[^>]*\?>/, ""));
    const body = page("body").get(0);
    if (body !== undefined) blocks.push(...htmlBlocks(page, body));
  }
  warnings.push(...packageWarnings(await listParts(bytes, file.name)));
  const title = squeeze($("metadata").find("dc\\:title").first().text());
  const kept = requireText(blocks, file.name);
  const first = kept.find((block) => block.kind === "heading");
  return {
    title: title || first?.text || titleFromName(file.name),
    blocks: kept,
    pageCount: 0,
    pagesWithoutText: [],
    warnings,
  };
}

/** E-books (EPUB 2 and 3): chapters in reading order by the HTML reader. */
export default (): Parser => ({ id: "epub", parse });
