import type { CheerioAPI } from "cheerio";
import type { Block, ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { contentOf, damagedFile, hiddenWarnings, squeeze, type Unsaid } from "../../blocks.ts";
import type { Element } from "../../dom.ts";
import { definedProperties, xmlProperties } from "../../properties.ts";
import { assertOdfNotEncrypted, packageWarnings } from "../package.ts";
import { withPageLines } from "../page-lines.ts";
import { childElements, xmlLoader } from "../xml.ts";
import { checkZip, listParts, readParts } from "../zip.ts";
import { odfReader } from "./blocks.ts";
import { headerFooterLines } from "./page-lines.ts";
import { removeHiddenOdfText, resolveTextStyles } from "./unsaid.ts";

type Read = (root: Element, pages: readonly number[]) => Block[];

/** Blocks of one slide: its title as a heading, then the rest, the speaker's notes last. */
function slideBlocks(page: Element, number: number, read: Read): Block[] {
  const pages = [number];
  const titles: Block[] = [];
  const body: Block[] = [];
  const notes: Block[] = [];
  for (const part of childElements(page)) {
    const kind = part.attribs["presentation:class"] ?? "";
    if (["header", "footer", "date-time", "page-number"].includes(kind)) continue;
    if (part.name === "presentation:notes") {
      const said = childElements(part).filter((frame) => frame.attribs["presentation:class"] === "notes");
      const text = said.flatMap((frame) => read(frame, pages).map((block) => block.text)).join("\n");
      if (text !== "") notes.push({ kind: "notes", text, pages });
    } else if (kind === "title") {
      const text = squeeze(
        read(part, pages)
          .map((block) => block.text)
          .join(" "),
      );
      if (text !== "") titles.push({ kind: "heading", level: 1, text, pages });
    } else body.push(...read(part, pages));
  }
  return [...titles, ...body, ...notes];
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  await checkZip(bytes, file.name);
  await assertOdfNotEncrypted(bytes, file.name);
  const load = await xmlLoader();
  const parts = await readParts(bytes, file.name, (part) => /^(content|styles|meta)\.xml$/.test(part));
  const content = parts.get("content.xml");
  if (content === undefined)
    throw damagedFile(file.name, "an OpenDocument file", new Error("content.xml is missing"));
  const $: CheerioAPI = load(content);
  const styles = load(parts.get("styles.xml") ?? "");
  const unsaid: Unsaid = { struck: 0, hidden: 0 };
  const looks = resolveTextStyles([styles, $]);
  removeHiddenOdfText($, looks, unsaid);
  const read = odfReader([styles, $], looks);
  const warnings = packageWarnings(await listParts(bytes, file.name));
  const slides = $("office\\:presentation > draw\\:page").toArray();
  const body = $("office\\:text, office\\:drawing").get(0);
  const blocks: Block[] = slides.flatMap((page, index) => slideBlocks(page, index + 1, read));
  if (slides.length === 0 && body !== undefined)
    blocks.push(...withPageLines(read(body, []), headerFooterLines(styles)));
  warnings.push(...hiddenWarnings(unsaid));
  if ($("text\\:tracked-changes > *").length > 0)
    warnings.push(`${$("text\\:changed-region").length} tracked changes were read as accepted`);
  if ($("text\\:table-of-content").length > 0)
    warnings.push("the table of contents was skipped; its headings are read in place");
  const pagesWithoutText = slides.flatMap((_, index) =>
    blocks.some(({ pages }) => pages[0] === index + 1) ? [] : [index + 1],
  );
  const meta = load(parts.get("meta.xml") ?? "");
  const title = squeeze(meta("dc\\:title").first().text());
  const facts = { pageCount: slides.length, pagesWithoutText, ...definedProperties(xmlProperties(meta)) };
  return contentOf(file.name, blocks, { title, warnings, ...facts });
}

/** OpenDocument text and presentations (ODT, ODP) read from their XML. */
export default (): Parser => ({ id: "odf", parse });
