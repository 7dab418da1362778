import type { ParsedContent, Parser } from "../../../../core/documents/document.ts";
import { damaged, requireText, squeeze, titleFromName } from "../../blocks.ts";
import { chartBlocks } from "../chart.ts";
import { packageWarnings } from "../package.ts";
import { pictureWarnings } from "../pictures.ts";
import { relations, withoutDoctype, xmlLoader } from "../xml.ts";
import { guardZip, listParts, readParts, storeZip } from "../zip.ts";
import { type Node, storyBlocks } from "./blocks.ts";
import { prepareStory } from "./prepare.ts";

/** mammoth's document as handed to its transform: the tree, the notes by key, the comments. */
interface Captured extends Node {
  readonly notes?: { findNoteByKey(key: string): Node | null };
  readonly comments?: readonly Node[];
}

async function parse(bytes: Uint8Array, file: { readonly name: string }): Promise<ParsedContent> {
  await guardZip(bytes, file.name);
  const names = await listParts(bytes, file.name);
  const [{ default: mammoth }, load] = await Promise.all([import("mammoth"), xmlLoader()]);
  const parts = await readParts(bytes, file.name, (part) => /\.(xml|rels)$/.test(part));
  const packageRelations = [...relations(parts, "", load).values()];
  const main = packageRelations.find(({ type }) => type === "officeDocument")?.target ?? "word/document.xml";
  const story = parts.get(main);
  if (story === undefined) throw damaged(file.name, "a Word document", new Error(`${main} is missing`));
  const related = [...relations(parts, main, load)];
  const part = (type: string) =>
    parts.get(related.find(([, relation]) => relation.type === type)?.[1].target ?? "") ?? "";
  const prepared = prepareStory(story, part("styles"), part("numbering"), load);
  const input = new Map<string, string>();
  for (const [name, text] of parts) input.set(name, name === main ? prepared.xml : withoutDoctype(text));
  let captured: Captured | undefined;
  const warnings: string[] = [];
  try {
    const { messages } = await mammoth.convertToHtml(
      { buffer: await storeZip(input) },
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
    warnings.push(...messages.filter(({ type }) => type === "error").map(({ message }) => message));
  } catch (error) {
    throw damaged(file.name, "a Word document", error);
  }
  const root = captured;
  if (root === undefined) throw damaged(file.name, "a Word document", new Error("it has no body"));
  const body = storyBlocks({
    root,
    note: (type, id) => root.notes?.findNoteByKey(`${type}-${id}`) ?? undefined,
    comment: (id) => root.comments?.find(({ commentId }) => commentId === id),
    chart: (id) => {
      const chart = parts.get(related.find(([relation]) => relation === id)?.[1].target ?? "");
      return chart === undefined ? [] : chartBlocks(chart, load, []);
    },
  });
  const blocks = requireText(body.blocks, file.name);
  const title = squeeze(load(parts.get("docProps/core.xml") ?? "")("dc\\:title").text());
  const first = blocks.find((block) => block.kind === "heading" && block.level === 1);
  if (prepared.trackedChanges > 0)
    warnings.push(`${prepared.trackedChanges} tracked changes were read as if accepted`);
  warnings.push(...pictureWarnings(body.pictures), ...packageWarnings(names));
  return {
    title: title || first?.text || titleFromName(file.name),
    blocks,
    pageCount: 0,
    pagesWithoutText: [],
    warnings,
  };
}

/**
 * Word documents by mammoth's tree, with list labels, formulas, charts and text boxes marked beforehand;
 * nothing outside the file is opened.
 */
export default (): Parser => ({ id: "mammoth", parse });
