import { posix } from "node:path";
import type { CheerioAPI } from "cheerio";
import type { Block, ParsedContent, Parser } from "../../../core/documents/document.ts";
import { contentOf, damagedFile, hiddenWarnings, squeeze, type Unsaid } from "../blocks.ts";
import { decode } from "../decode.ts";
import { packageWarnings } from "../office/package.ts";
import { type LoadXml, withoutDoctype, xmlLoader } from "../office/xml.ts";
import { checkZip, encryptedFileError, listParts, readRawParts } from "../office/zip.ts";
import { definedProperties, xmlProperties } from "../properties.ts";
import { htmlBlocks } from "./html-blocks.ts";

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a bare % in a file name: the name is not encoded
  }
}

interface Book {
  readonly name: string;
  readonly parts: ReadonlyMap<string, string>;
  readonly load: LoadXml;
}

/** Where the package file is, and its XML. */
function packageFile({ name, parts, load }: Book): { readonly place: string; readonly $: CheerioAPI } {
  const container = load(parts.get("META-INF/container.xml") ?? "");
  const place =
    container("rootfile").first().attr("full-path") ??
    [...parts.keys()].find((part) => part.endsWith(".opf")) ??
    "";
  const text = parts.get(place);
  if (text === undefined) throw damagedFile(name, "an e-book", new Error("its package file is missing"));
  return { place, $: load(text.replace(/<(\/?)opf:/g, "<$1")) };
}

/** Whether chapters are locked. Fonts may be scrambled without protecting the text. */
function isLocked({ parts, load }: Book): boolean {
  const encryption = load(parts.get("META-INF/encryption.xml") ?? "");
  return encryption("CipherReference, enc\\:CipherReference")
    .toArray()
    .some((reference) => /\.x?html?$/i.test(reference.attribs["URI"] ?? ""));
}

/** The manifest's entries of the chapters in reading order, navigation left out. */
function chaptersOf($: CheerioAPI): Readonly<Record<string, string>>[] {
  const items = new Map(
    $("manifest > item")
      .toArray()
      .map((item) => [item.attribs["id"] ?? "", item.attribs]),
  );
  return $("spine > itemref")
    .toArray()
    .map((reference) => items.get(reference.attribs["idref"] ?? ""))
    .filter((item) => item !== undefined)
    .filter((item) => !/(^|\s)nav(\s|$)/.test(item["properties"] ?? ""));
}

/** Puts the style sheets that a chapter links to into it. */
function takeSheets(page: CheerioAPI, place: string, parts: ReadonlyMap<string, string>): void {
  for (const { attribs } of page('link[rel~="stylesheet"]').toArray()) {
    const sheet = parts.get(posix.join(posix.dirname(place), decoded(attribs["href"] ?? "")));
    if (sheet !== undefined) page("head").append(page("<style></style>").text(sheet));
  }
}

async function parse(bytes: Uint8Array, { name }: { readonly name: string }): Promise<ParsedContent> {
  await checkZip(bytes, name);
  const [load, { load: loadHtml }] = await Promise.all([xmlLoader(), import("cheerio")]);
  const raw = await readRawParts(bytes, name, (part) => /\.(xml|opf|x?html?|ncx|css)$/i.test(part));
  const parts = new Map<string, string>();
  for (const [part, own] of raw) parts.set(part, (await decode(own, part)).text);
  const book: Book = { name, parts, load };
  const { place: main, $ } = packageFile(book);
  if (isLocked(book)) throw encryptedFileError(name);
  const blocks: Block[] = [];
  const tally: Unsaid = { struck: 0, hidden: 0 };
  const warnings: string[] = [];
  for (const item of chaptersOf($)) {
    const place = posix.join(posix.dirname(main), decoded(item["href"] ?? ""));
    const chapter = parts.get(place);
    if (chapter !== undefined) {
      const page = loadHtml(withoutDoctype(chapter).replace(/^\ufeff?<\?xml[^>]*\?>/, ""));
      takeSheets(page, place, parts);
      const body = page("body").get(0);
      if (body !== undefined) blocks.push(...htmlBlocks(page, body, tally));
    } else if (/html/.test(item["media-type"] ?? "html"))
      warnings.push(`a chapter is missing from the file: ${item["href"] ?? place}`);
  }
  warnings.push(...hiddenWarnings(tally), ...packageWarnings(await listParts(bytes, name)));
  const title = squeeze($("metadata").find("dc\\:title").first().text());
  // A book has the day it was published where other files have the one they were changed.
  const { modified: published, ...facts } = xmlProperties(load($.xml($("metadata"))));
  const heading = blocks.find(({ kind, text }) => kind === "heading" && text.trim() !== "")?.text ?? "";
  return contentOf(name, blocks, {
    title: title || heading,
    warnings,
    ...definedProperties({ ...facts, published }),
  });
}

/** E-books (EPUB 2 and 3): chapters in reading order by the HTML reader. */
export default (): Parser => ({ id: "epub", parse });
