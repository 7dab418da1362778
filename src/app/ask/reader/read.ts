import type { Chunk } from "../../../core/documents/chunk.ts";
import { RagctlError } from "../../../core/errors.ts";
import { didYouMean } from "../../../core/nearest.ts";
import { plural } from "../../../core/plural.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { z } from "../../../core/schema.ts";
import { type ReaderTool, readerTool, type ToolOutcome } from "../../../pipeline/answer/tools/tool.ts";
import type { AskHome } from "../question.ts";
import { documentNamed, type ReaderScope } from "./scope.ts";

const page = z.int().min(1);
const input = z.strictObject({
  document: z.string().min(1).max(500).describe("Name of the document, as above its passages."),
  page: page.describe("First page or slide to read.").optional(),
  to_page: page.describe("Last page to read; default: the first.").optional(),
  section: z.string().min(1).max(300).describe("Heading of the section to read, or a part of it.").optional(),
});
type Given = z.output<typeof input>;

/** Pages that one call reads, at most. */
const mostPages = 5;
/** Headings that an outline lists, at most. */
const mostHeadings = 80;
/** Tokens up to which a document is shown whole instead of its outline, as its chunks count them. */
const wholeTokens = 1500;

const folded = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();

/** The headings that a chunk stands below or has in it. */
const headingsOf = ({ headings, innerHeadings = [] }: Chunk): readonly string[] => [
  ...headings,
  ...innerHeadings.map(({ text }) => text),
];

/** Chunks in reading order as one hit for each group that follows without a gap. */
function hitsOf(chunks: readonly Chunk[], keyOf: (chunk: Chunk) => string): readonly Hit[] {
  const groups: [Chunk, ...Chunk[]][] = [];
  for (const chunk of chunks) {
    const group = groups.at(-1);
    if (group !== undefined && keyOf(group[0]) === keyOf(chunk)) group.push(chunk);
    else groups.push([chunk]);
  }
  return groups.map((around) => ({ chunk: around[0], score: 1, via: "fused", around }));
}

const notFound = (message: string, hint: string): RagctlError =>
  new RagctlError("NOT_FOUND", message, { hint });

function pagesOf(name: string, chunks: readonly Chunk[], { page: from = 1, to_page: to = from }: Given) {
  const last = Math.min(to, from + mostPages - 1);
  const found = chunks.filter(({ pages }) => pages.some((each) => each >= from && each <= last));
  const numbers = chunks.flatMap(({ pages }) => pages);
  if (found.length === 0) {
    const hint =
      numbers.length === 0
        ? "it has no pages: read a section, or its outline by its name alone"
        : `pages with text: ${Math.min(...numbers)} to ${Math.max(...numbers)}`;
    throw notFound(`${name} has no text on page ${from}`, hint);
  }
  const range = last > from ? `pages ${from} to ${last}` : `page ${from}`;
  return {
    decided: `reading ${range} of ${name}`,
    hits: hitsOf(found, ({ pages }) => String(pages[0])),
    ...(to > last ? { note: `Pages ${from} to ${last} only: at most ${mostPages} are read at once.` } : {}),
  };
}

function sectionOf(name: string, chunks: readonly Chunk[], section: string): ToolOutcome {
  const wanted = folded(section);
  const named = (matches: (heading: string) => boolean): readonly Chunk[] =>
    chunks.filter((chunk) => headingsOf(chunk).some((heading) => matches(folded(heading))));
  const exact = named((heading) => heading === wanted);
  const found = exact.length > 0 ? exact : named((heading) => heading.includes(wanted));
  if (found.length === 0) {
    const all = [...new Set(chunks.flatMap(headingsOf))];
    throw notFound(
      `${name} has no section “${section}”${didYouMean(section, all)}`,
      "read its outline by its name alone",
    );
  }
  return {
    decided: `reading “${section}” in ${name}`,
    hits: hitsOf(found, ({ headings, pages }) => JSON.stringify([headings, pages[0]])),
  };
}

/** The headings of a document, each once, with the page it is on. */
function outlineOf(name: string, chunks: readonly Chunk[], total: number): ToolOutcome {
  const lines = new Map<string, string>();
  for (const chunk of chunks)
    for (const heading of headingsOf(chunk)) {
      const where = chunk.pages.length === 0 ? "" : ` (page ${chunk.pages[0]})`;
      if (!lines.has(heading)) lines.set(heading, `${heading}${where}`);
    }
  const listed = [...lines.values()].slice(0, mostHeadings);
  const more = lines.size > listed.length ? `\n… ${lines.size - listed.length} more` : "";
  return {
    decided: `reading the outline of ${name}`,
    hits: [],
    quoted: `${listed.join("\n")}${more}`,
    note: `${plural(total, "page")}, ${plural(lines.size, "heading")}: read one by page or section.`,
  };
}

/** The tool that reads a page, a section or the outline of a document. */
export function readTool(scope: ReaderScope, home: Pick<AskHome, "retrieval" | "documents">): ReaderTool {
  const work = async (given: Given, run: Run): Promise<ToolOutcome> => {
    const document = await documentNamed(given.document, scope, home);
    const { request, agent } = scope;
    const whole = await home.retrieval.whole(document, request, run, agent);
    const chunks = whole.toSorted((one, other) => one.ordinal - other.ordinal);
    const { name, pages } = document;
    if (given.section !== undefined) return sectionOf(name, chunks, given.section);
    if (given.page !== undefined) return pagesOf(name, chunks, given);
    const tokens = chunks.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
    if (tokens > wholeTokens) return outlineOf(name, chunks, pages);
    return { decided: `reading ${name}`, hits: hitsOf(chunks, ({ pages: own }) => String(own[0])) };
  };
  const description =
    "Read pages or a section of a document; with its name alone, its outline, or all of a short one.";
  return readerTool("read", description, input, work);
}
