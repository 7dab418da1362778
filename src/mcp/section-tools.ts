import { plural } from "../core/plural.ts";
import { z } from "../core/schema.ts";
import { readContent } from "./reading.ts";
import {
  type Outline,
  outlineDocument,
  outlineOf,
  type SectionPiece,
  sectionDocument,
  sectionOf,
} from "./sections.ts";
import { dataNotice, fenceText, inlineName, joinLines, quoteLines } from "./text.ts";
import { type McpTool, tool } from "./tool.ts";

const reference = z.string().min(1).describe("Id or name, as in list_documents or a passage's source_file.");

const outline = tool("outline", {
  title: "Outline of a document",
  description: `List the headings of a document with pages and lengths, and the size of the document. Use it before reading a long document; read_section reads one section. ${dataNotice}`,
  effect: "reads",
  input: z.strictObject({
    document: reference,
    offset: z.int().min(0).default(0).describe("Number of sections to skip."),
    limit: z.int().min(1).max(500).default(200).describe("Number of sections to return."),
  }),
  output: outlineDocument,
  async call({ document, offset, limit }, call) {
    const { summary, content } = await readContent(document, call);
    const data = outlineOf(summary, content, offset, limit);
    return { text: outlineText(data), data };
  },
});

const readSection = tool("read_section", {
  title: "Read a section",
  description: `Read one section of a document as Markdown, including its subsections. A long section is split: call again with the arguments in "next". ${dataNotice}`,
  effect: "reads",
  input: z.strictObject({
    document: reference,
    section: z.string().min(1).max(500).describe("Id from outline, or all or part of the heading."),
    offset: z.int().min(0).default(0).describe("Character offset in the section to start at."),
  }),
  output: sectionDocument,
  async call({ document, section, offset }, call) {
    const { summary, content } = await readContent(document, call);
    const data = sectionOf(summary, content, section, offset);
    return { text: sectionText(data), data };
  },
});

/** The tools that find their way by headings. */
export const sectionTools: readonly McpTool[] = [outline, readSection];

/** ` | page 3`, ` | pages 3–5`; nothing where the format has none. */
const pagesOf = ([first, last]: readonly number[]): string =>
  first === undefined ? "" : ` | ${first === last ? `page ${first}` : `pages ${first}–${last}`}`;

/** An outline for a model to read, a heading a line, indented by its level. */
export function outlineText({
  document,
  page_count,
  characters,
  total,
  sections,
  next_offset,
}: Outline): string {
  const rows = sections.map(({ id, heading, level, pages, characters: length }) => {
    const title = heading === "" ? "(before the first heading)" : inlineName(heading);
    return `${"  ".repeat(Math.max(0, level - 1))}${id} | ${title}${pagesOf(pages)} | ${plural(length, "character")}`;
  });
  const size = `${page_count === 0 ? "" : `${plural(page_count, "page")}, `}${plural(characters, "character")}`;
  return joinLines(
    fenceText(
      joinLines(
        `${inlineName(document.name)} (${document.id}): ${size}, ${plural(total, "section")}`,
        ...rows,
      ),
    ),
    next_offset === null ? "" : `continue with offset ${next_offset}`,
  );
}

/** A section for a model to read: where it is from, its text, how to read on. */
export function sectionText({ document, section, offset, text, note, next }: SectionPiece): string {
  const part =
    offset === 0 && next === null
      ? ""
      : `, characters ${offset}–${offset + text.length} of ${section.characters}`;
  const place = `${inlineName(document.name)} (${document.id}), section ${section.id}${pagesOf(section.pages).replace(" |", ",")}`;
  return joinLines(
    fenceText(
      joinLines(`${place}${part}\n${quoteLines(text)}`, note === "" ? "" : `note: ${inlineName(note)}`),
    ),
    next === null ? "the end of the section" : `continue with section ${next.section}, offset ${next.offset}`,
  );
}
