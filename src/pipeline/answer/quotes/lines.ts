import type { Chunk } from "../../../core/documents/chunk.ts";
import { sectionsOf } from "../../../core/documents/sections.ts";
import { hasRow, headersOf } from "../../../core/documents/table-text.ts";
import type { Hit } from "../../../core/retrieval.ts";
import { omission, splitUntilFits } from "../../../core/text.ts";
import { formatRowOnOneLine, spreadsheetRows, stripSpreadsheetRows } from "../../../language/records.ts";
import { sentences } from "../../../language/sentences.ts";
import { words } from "../../../language/terms.ts";
import { cleanLine } from "../clean.ts";
import { isPromptInjection, stripInjections } from "../injection/injection.ts";

/** Most items of a list that is quoted whole because of one of them. */
const mostItems = 8;

/** A line of a document that may be quoted: a sentence, a list item or a row of a table. */
export interface QuotableLine {
  /** As it stands in the document. */
  readonly quote: string;
  /** As it is compared and shown. */
  readonly text: string;
  /** First row of its table, or the line that introduces its list; absent for other lines. */
  readonly header?: string;
  /** Headings above it, outermost first, after the title of the document. */
  readonly path: readonly string[];
  /** Place of its hit among the hits, from 0. */
  readonly hit: number;
  /** Place among all lines. */
  readonly place: number;
  /** Its section of the chunk that has it. */
  readonly chunk: Chunk;
}

/** Longest line, in characters; longer text, such as one without full stops, is split. */
const longest = 400;
/** Fewest words of a line: a single one says nothing out of its context. */
const leastWords = 2;
/** Shortest line of text that was wrapped at its end and goes on in the next, in characters. */
const leastWrapped = 50;

/** A number, letter or dash that begins an item of a list. */
const item = /^\s{0,12}(?:[-*•▪●–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)/;

/** Whether a line of a text ends in the middle of a sentence, which the next one continues. */
function isWrapped(line: string, next: string): boolean {
  if (line.trim() === "" || next.trim() === "" || hasRow(line) || hasRow(next) || item.test(next))
    return false;
  if (/[.!?:;。！？]["”’)]?\s*$/u.test(line)) return false;
  return line.length >= leastWrapped || /^\s*\p{Ll}/u.test(next);
}

/** The lines of a text; those that were wrapped are joined, with the line breaks in them. */
function paragraphsOf(text: string): readonly string[] {
  const paragraphs: string[] = [];
  let last = "";
  for (const line of text.split("\n")) {
    if (isWrapped(last, line)) paragraphs.push(`${paragraphs.pop() ?? ""}\n${line}`);
    else paragraphs.push(line);
    last = line;
  }
  return paragraphs.filter((paragraph) => paragraph.trim() !== "");
}

/** The lines of a paragraph as they stand there: an item of a list, like a row, is one of them. */
function linesOf(paragraph: string): readonly string[] {
  if (hasRow(paragraph) || (item.test(paragraph) && paragraph.length <= longest)) return [paragraph.trim()];
  const unwrapped = paragraph.replaceAll("\n", " ");
  let from = 0;
  return sentences(unwrapped)
    .flatMap((sentence) => splitUntilFits(sentence, (part) => part.length <= longest))
    .map((sentence) => {
      const at = unwrapped.indexOf(sentence, from);
      if (at < 0) return sentence;
      from = at + sentence.length;
      return paragraph.slice(at, from);
    });
}

/** A question answers nothing, and neither does a mark of omission. */
const isTelling = (text: string): boolean =>
  text !== omission && !/[?？]["”’')]*$/.test(text) && words(text).length >= leastWords;

/** Lines without those that are shown above others: the header of a table, what introduces a list. */
function withoutHeaders(lines: readonly SectionLine[], headers: ReadonlySet<string>): readonly SectionLine[] {
  const leads = new Set(lines.map(({ header }) => header));
  return lines.filter(({ quote }) => !headers.has(quote) && !leads.has(quote));
}

/** A line of a section before its place among all is known. */
interface SectionLine extends Pick<QuotableLine, "quote" | "text"> {
  readonly header?: string | undefined;
}

/**
 * The lines of a text: rows under the header of their table, items of a list under the line with a colon that
 * introduces it.
 */
function textLines(text: string): readonly SectionLine[] {
  const headers = headersOf(text);
  const isHeader = new Set(headers.values());
  let lead: string | undefined;
  return withoutHeaders(
    paragraphsOf(stripSpreadsheetRows(text)).flatMap((paragraph) => {
      const lines = linesOf(paragraph);
      if (!item.test(paragraph)) lead = undefined;
      const found = lines.map((quote) => ({
        quote,
        text: quote,
        header: hasRow(quote) ? headers.get(quote) : lead,
      }));
      const last = lines.at(-1);
      if (last?.endsWith(":") === true) lead = last;
      return found;
    }),
    isHeader,
  );
}

/** The lines of a section, without headings and those that address an assistant. */
function linesOfSection(
  section: Chunk,
  hit: number,
  isAboutOrders: boolean,
): readonly Omit<QuotableLine, "place">[] {
  const { text } = stripInjections(section.text, isAboutOrders);
  const path = [...new Set([section.title, ...section.headings])]
    .map(cleanLine)
    .filter((each) => each !== "");
  const rows = spreadsheetRows(text).map((row) => ({ quote: row, text: formatRowOnOneLine(row) }));
  return [...textLines(text), ...rows].flatMap(({ header, ...line }: SectionLine) => {
    const shown = cleanLine(line.text);
    const said = header === undefined ? shown : `${header}\n${shown}`;
    if (!isTelling(shown) || path.includes(shown) || (!isAboutOrders && isPromptInjection(said))) return [];
    const above = header === undefined ? {} : { header: cleanLine(header) };
    return [{ quote: line.quote, text: shown, ...above, path, hit, chunk: section }];
  });
}

/**
 * The lines of the first hits that may be quoted, in their order, each once: of the chunks that a hit is read
 * with, but for headings, questions and orders to an assistant.
 */
export function linesIn(
  hits: readonly Pick<Hit, "chunk" | "around">[],
  isAboutOrders: boolean,
): readonly QuotableLine[] {
  const seen = new Set<string>();
  return hits
    .flatMap(({ chunk, around = [chunk] }, hit) =>
      around.flatMap((each) =>
        sectionsOf(each).flatMap((section) => linesOfSection(section, hit, isAboutOrders)),
      ),
    )
    .filter((line) => {
      const key = `${line.chunk.documentId}\n${line.header ?? ""}\n${line.text.toLowerCase()}`;
      return !seen.has(key) && seen.add(key);
    })
    .map((line, place) => ({ ...line, place }));
}

/** A line with the rest of its list, which says only as a whole what it is about; a long list is not added. */
export function withList(line: QuotableLine, all: readonly QuotableLine[]): readonly QuotableLine[] {
  if (line.header === undefined || hasRow(line.text)) return [line];
  const list = all.filter(({ header, chunk }) => chunk === line.chunk && header === line.header);
  return list.length > mostItems ? [line] : list;
}
