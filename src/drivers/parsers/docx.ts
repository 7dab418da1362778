import type { ParsedContent, Parser } from "../../core/document.ts";
import { requireText, squeeze, titleFromName, unreadable } from "./blocks.ts";
import { htmlBlocks } from "./html-blocks.ts";
import { guardZip, readParts } from "./zip.ts";

const styleMap = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Caption'] => figcaption:fresh",
  "p[style-name='caption'] => figcaption:fresh",
];

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  await guardZip(bytes, file.name);
  const [{ default: mammoth }, { load }] = await Promise.all([import("mammoth"), import("cheerio")]);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const noImages = mammoth.images.imgElement(async () => ({ src: "" }));
  let html: string;
  let messages: readonly { readonly type: string; readonly message: string }[];
  try {
    ({ value: html, messages } = await mammoth.convertToHtml({ buffer }, { externalFileAccess: false, convertImage: noImages, styleMap }));
  } catch (error) {
    throw unreadable(file.name, "a Word document", error);
  }
  const $ = load(html);
  const images = $("img").length;
  const element = $("body").get(0);
  const blocks = requireText(element === undefined ? [] : htmlBlocks($, element), file.name);
  const core = (await readParts(bytes, file.name, (part) => part === "docProps/core.xml")).get("docProps/core.xml") ?? "";
  const title = squeeze(load(core, { xml: true })("dc\\:title").text());
  const first = blocks.find((block) => block.kind === "heading" && block.level === 1);
  const warnings = messages.filter((message) => message.type === "error").map((message) => message.message);
  if (images > 0) warnings.push(`${images} ${images === 1 ? "image was" : "images were"} left out; only text is read`);
  return { title: title || first?.text || titleFromName(file.name), blocks, pageCount: 0, pagesWithoutText: [], warnings };
}

/** Word documents by mammoth; nothing outside the file is opened. */
export default (): Parser => ({ id: "mammoth", parse });
