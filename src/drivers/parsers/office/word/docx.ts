import { extname } from "node:path";
import type { Block, ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { formatOfExtension } from "../../../../core/documents/formats.ts";
import { asRagctlError } from "../../../../core/errors.ts";
import { blockWithin, contentOf, damagedFile, hiddenWarnings, squeeze, type Unsaid } from "../../blocks.ts";
import type { ParserOptions } from "../../options.ts";
import { definedProperties } from "../../properties.ts";
import { chartBlocks } from "../chart.ts";
import { diagramBlocks } from "../drawing.ts";
import { officeProperties, packageWarnings } from "../package.ts";
import { withPageLines } from "../page-lines.ts";
import { pictureWarnings } from "../pictures.ts";
import { relations, withoutDoctype, xmlLoader } from "../xml.ts";
import { checkZip, createZip, listParts, readParts, readRawParts } from "../zip.ts";
import { storyBlocks, type WordNode } from "./blocks.ts";
import { headerFooterLines } from "./page-lines.ts";
import { prepareNotes, prepareStory } from "./prepare.ts";
import { readStyles } from "./styles.ts";

/** mammoth's document as handed to its transform: the tree, the notes by key, the comments. */
interface Captured extends WordNode {
  readonly notes?: { findNoteByKey(key: string): WordNode | null };
  readonly comments?: readonly WordNode[];
}

/**
 * Documents inserted whole (`w:altChunk`), by part name. One inside another is not opened, and one that can't
 * be read is named in a warning.
 */
async function readChunks(
  bytes: Uint8Array,
  file: string,
  names: readonly string[],
  { parserOf }: ParserOptions,
): Promise<{ readonly blocks: ReadonlyMap<string, readonly Block[]>; readonly warnings: readonly string[] }> {
  const blocks = new Map<string, readonly Block[]>();
  const warnings: string[] = [];
  for (const [name, raw] of await readRawParts(bytes, file, (part) => names.includes(part))) {
    // A saved web page is a message of one part for each of its files.
    const format = /\.mht(?:ml)?$/i.test(name) ? "eml" : formatOfExtension(extname(name).toLowerCase());
    try {
      const content = await (format && parserOf && (await parserOf(format)))?.parse(raw, { name });
      if (content === undefined) throw new Error("unsupported format");
      blocks.set(
        name,
        content.blocks.map((block) => blockWithin(block, name, 0)),
      );
      warnings.push(...content.warnings.map((warning) => `${name}: ${warning}`));
    } catch (error) {
      warnings.push(`cannot read the inserted document ${name}: ${asRagctlError(error).message}`);
    }
  }
  return { blocks, warnings };
}

/** The tree that mammoth makes of a package. @throws SOURCE_DAMAGED */
async function treeOf(
  input: ReadonlyMap<string, string>,
  name: string,
): Promise<{ readonly root: Captured; readonly warnings: readonly string[] }> {
  const { default: mammoth } = await import("mammoth");
  let captured: Captured | undefined;
  try {
    const { messages } = await mammoth.convertToHtml(
      { buffer: await createZip(input) },
      {
        externalFileAccess: false,
        convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
        transformDocument: (document: Captured) => {
          captured = document;
          // The blocks are made from the tree; the library need not render it too.
          return { ...document, children: [] };
        },
      },
    );
    if (captured === undefined) throw new Error("it has no body");
    const errors = messages.filter(({ type }) => type === "error");
    return { root: captured, warnings: errors.map(({ message }) => message) };
  } catch (error) {
    throw damagedFile(name, "a Word document", error);
  }
}

async function parse(
  bytes: Uint8Array,
  file: { readonly name: string },
  options: ParserOptions,
): Promise<ParsedContent> {
  await checkZip(bytes, file.name);
  const names = await listParts(bytes, file.name);
  const load = await xmlLoader();
  const parts = await readParts(bytes, file.name, (part) => /\.(xml|rels)$/.test(part));
  const packageRelations = [...relations(parts, "", load).values()];
  const main = packageRelations.find(({ type }) => type === "officeDocument")?.target ?? "word/document.xml";
  const story = parts.get(main);
  if (story === undefined) throw damagedFile(file.name, "a Word document", new Error(`${main} is missing`));
  const related = [...relations(parts, main, load)];
  const part = (type: string) =>
    parts.get(related.find(([, relation]) => relation.type === type)?.[1].target ?? "") ?? "";
  const unsaid: Unsaid = { struck: 0, hidden: 0 };
  const styles = readStyles(load(part("styles")));
  const $ = load(story);
  const page = headerFooterLines($, {
    parts,
    related: new Map(related),
    load,
    styles,
    unsaid,
    settings: part("settings"),
  });
  const prepared = prepareStory($, styles, load(part("numbering")), unsaid);
  const targets = (type: RegExp) => related.flatMap(([, to]) => (type.test(to.type) ? [to.target] : []));
  const chunks = await readChunks(bytes, file.name, targets(/^aFChunk$/), options);
  const notes = targets(/^(?:footnotes|endnotes|comments)$/);
  const input = new Map<string, string>();
  for (const [name, text] of parts) {
    if (chunks.blocks.has(name)) continue;
    const plain = notes.includes(name) ? prepareNotes(text, styles, load, unsaid) : withoutDoctype(text);
    input.set(name, name === main ? prepared.xml : plain);
  }
  const { root, warnings: errors } = await treeOf(input, file.name);
  const warnings = [...errors];
  const body = storyBlocks({
    root,
    note: (type, id) => root.notes?.findNoteByKey(`${type}-${id}`) ?? undefined,
    comment: (id) => root.comments?.find(({ commentId }) => commentId === id),
    part: (id) => {
      const { type, target = "" } = related.find(([relation]) => relation === id)?.[1] ?? {};
      if (type === "aFChunk") return chunks.blocks.get(target) ?? [];
      const xml = parts.get(target);
      if (xml === undefined) return [];
      return type === "diagramData" ? diagramBlocks(xml, load, []) : chartBlocks(xml, load, []);
    },
  });
  const title = squeeze(load(parts.get("docProps/core.xml") ?? "")("dc\\:title").text());
  if (prepared.trackedChanges > 0)
    warnings.push(`${prepared.trackedChanges} tracked changes were read as accepted`);
  warnings.push(...hiddenWarnings(unsaid));
  warnings.push(...chunks.warnings, ...pictureWarnings(body.pictures), ...packageWarnings(names));
  return contentOf(file.name, withPageLines(body.blocks, page), {
    title,
    warnings,
    ...definedProperties(officeProperties(parts, load)),
  });
}

/**
 * Word documents by mammoth's tree, with list labels, formulas, charts, diagrams and text boxes marked
 * beforehand; nothing outside the file is opened.
 */
export default (options: ParserOptions = {}): Parser => ({
  id: "mammoth",
  parse: (bytes, file) => parse(bytes, file, options),
});
