import type { ToolCall, ToolFinding, ToolResult } from "../../../core/answers/tool.ts";
import type { Chunk, SheetPart } from "../../../core/documents/chunk.ts";
import { headersOf } from "../../../core/documents/table-text.ts";
import { lazy, lazyMap } from "../../../core/lazy.ts";
import type { Run } from "../../../core/run.ts";
import { isWithinOneTypo } from "../../../language/names.ts";
import { alphanumeric, words } from "../../../language/terms.ts";
import { plainWords } from "../../../language/words.ts";
import type { MeasureAnswer } from "../../../pipeline/measures/answer.ts";
import { indexTables } from "../../../pipeline/tables/answer.ts";
import type { Named } from "../../../pipeline/tables/find.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import type { AskHome, SearchedQuestion } from "../question.ts";

/** A document with the chunks and tables of it that a request admits. */
export interface WholeDocument {
  readonly document: DocumentRecord;
  readonly chunks: readonly Chunk[];
  readonly tables: () => readonly Named[];
}

/** A question with the documents that it may read. */
export interface ComputedQuestion extends SearchedQuestion {
  /**
   * Those with these ids that may be read, in this order. Each is read only when the caller advances, and once
   * for the whole question.
   */
  readonly whole: (ids: readonly string[]) => AsyncGenerator<WholeDocument>;
}

/** The calculator under its usual name: a principal needs the permission for it. */
const row = { name: "Calculator", type: "calculator", config: {}, permissions: {} } as const;

/** An answer with the rows that it was computed from. */
type RowsAnswer = Pick<MeasureAnswer, "text"> &
  Partial<Pick<MeasureAnswer, "sums">> & {
    readonly lines: readonly (Pick<MeasureAnswer["lines"][number], "row" | "chunk"> & {
      readonly part?: SheetPart;
    })[];
  };

/** A figure computed from rows of tables, and its derivation. */
export interface Computed {
  readonly answer: RowsAnswer;
  /** Its name and its formula. */
  readonly name: string;
  readonly formula: string;
}

/**
 * A source for the lines of an answer: the first of its chunks with the pages of all, so that they are cited
 * as one document; without pages, with the headings where all lines share them.
 */
function sourceOf({ lines }: RowsAnswer): Chunk | undefined {
  const [first] = lines;
  const pages = [...new Set(lines.flatMap(({ chunk }) => chunk.pages))].toSorted(
    (left, right) => left - right,
  );
  const paths = new Set(lines.map(({ chunk }) => chunk.headings.join("\n")));
  const headings = pages.length === 0 && paths.size === 1 ? (first?.chunk.headings ?? []) : [];
  return first && { ...first.chunk, headings, pages };
}

/**
 * The cells of a spreadsheet that an answer comes from, by the offsets of its rows after the lines in
 * `before`.
 */
function partsOf({ lines }: RowsAnswer, before: readonly string[]): readonly SheetPart[] {
  let start = before.reduce((sum, line) => sum + line.length + 1, 0);
  return lines.flatMap(({ row: line, part }) => {
    const own = start;
    start += line.length + 1;
    return part === undefined ? [] : [{ ...part, rows: part.rows.map(([, row]) => [own, row] as const) }];
  });
}

/** The rows that an answer was read from, without the headers above them where that leaves any. */
function rowsOf({ lines }: RowsAnswer): readonly string[] {
  const below = lines.filter(({ row: line, chunk }) => ![...headersOf(chunk.text).values()].includes(line));
  return (below.length > 0 ? below : lines).map(({ row: line }) => line);
}

/** The figure as a finding, with the rows that it was read from. */
function findingOf(answer: RowsAnswer): ToolFinding {
  const of = sourceOf(answer);
  const before = [answer.text, ...(answer.sums ?? [])];
  const text = [...before, ...answer.lines.map(({ row: line }) => line)].join("\n");
  const finding = { text, source: of?.sourceName ?? "", section: "", contentType: "table" as const };
  const read = of && { of: { ...of, text, sheetParts: partsOf(answer, before) }, rows: rowsOf(answer) };
  return { ...finding, ...read };
}

/**
 * The words of a question that a document is called by: those of its name and title, also where these write
 * several of them as one (`BESTBUY_2023.pdf`).
 */
export function wordsOfName(
  question: string,
  { name, title }: Pick<DocumentRecord, "name" | "title">,
): ReadonlySet<string> {
  const own = new Set(words(`${name} ${title}`.replace(/[_.-]+/g, " ")));
  const written = question.match(/[\p{L}\p{N}&]+/gu) ?? [];
  const joined = [2, 3].flatMap((size) =>
    written.flatMap((_, at) => {
      const run = written.slice(at, at + size);
      return own.has(alphanumeric(run.join(""))) ? run : [];
    }),
  );
  return new Set([...own, ...joined.flatMap(words)]);
}

/** Chunks at the start of a document in which it says whose it is. */
const firstChunks = 3;

/** Whether a document's name or title has a word of a question, mistyped at most. */
export function matchesDocumentName(
  word: string,
  { name, title }: Pick<DocumentRecord, "name" | "title">,
): boolean {
  const nameWords = plainWords(`${name} ${title}`.replace(/[_.-]+/g, " "));
  return (
    nameWords.some((other) => other === word || isWithinOneTypo(other, word)) ||
    (word.length > 2 && alphanumeric(`${name} ${title}`).includes(alphanumeric(word)))
  );
}

/**
 * Whether a document is the subject of the rest of a question: each word is in the document's name or title,
 * at most mistyped, or is capitalized in the question and occurs at the document's start.
 */
export function isAbout(
  rest: readonly string[],
  question: string,
  { document, chunks }: WholeDocument,
): boolean {
  const written = new Set((question.match(/\p{Lu}[\p{L}\p{N}]*/gu) ?? []).flatMap(plainWords));
  const start = chunks.filter(({ ordinal }) => ordinal < firstChunks).map(({ text }) => text);
  const startWords = new Set(plainWords(start.join("\n")));
  return rest.every(
    (word) => matchesDocumentName(word, document) || (written.has(word) && startWords.has(word)),
  );
}

/** Opens the documents of a question. */
export async function toCompute(
  question: SearchedQuestion,
  { documents, retrieval }: Pick<AskHome, "documents" | "retrieval">,
  run: Run,
): Promise<ComputedQuestion> {
  const { agent, request, sight } = question;
  const readable = await sight.readableBy(agent);
  const visible = lazy(() => documents.asOf(readable, request.versions));
  const read = lazyMap(async (document: DocumentRecord) => {
    const chunks = await retrieval.whole(document, request, run, agent);
    return { document, chunks, tables: lazy(() => indexTables(chunks)) };
  });
  return {
    ...question,
    async *whole(ids) {
      const documents = await visible();
      for (const document of ids.flatMap((id) => documents.find((one) => one.id === id) ?? []))
        yield await read(document);
    },
  };
}

/**
 * Gives a computed figure as a result under the calculator's name, if agent and principal may use that tool;
 * the tool itself does not run.
 */
export async function toCalculatorResults(
  { answer, name, formula }: Computed,
  { agent }: ComputedQuestion,
  { access }: Pick<AskHome, "access">,
  run: Run,
): Promise<readonly ToolResult[]> {
  const reason = `it asks for ${name}`;
  const call: ToolCall = { tool: row.name, type: row.type, arguments: { formula }, reason };
  const { effect, reason: why } = await access.toolNow(run, agent, row);
  const base = { call, findings: [], data: {}, durationMs: 0 };
  if (effect === "deny") return [{ ...base, status: "denied", code: "PERMISSION_DENIED", message: why }];
  const data = { measure: name, formula, value: answer.text };
  return [{ ...base, status: "ok", code: "", message: answer.text, findings: [findingOf(answer)], data }];
}
