import type { ToolResult } from "../../../core/answers/tool.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { fiscalShift, saysFiscal } from "../../../pipeline/measures/fiscal-years.ts";
import { answerRow, rowAsked } from "../../../pipeline/measures/rows.ts";
import { answerCells, mayName, namedTables } from "../../../pipeline/tables/answer.ts";
import { cellsAsked } from "../../../pipeline/tables/asked.ts";
import type { CellAnswer } from "../../../pipeline/tables/cells.ts";
import type { SearchedQuestion } from "../question.ts";
import { type ComputingHome, giveComputed, wholeDocuments, wordsOfName } from "./computed.ts";

/** Hits on whose pages to look for tables, and number of their documents to read whole. */
const limits = { hits: 10, documents: 5 } as const;

/** Distinctive words of a question that are enough to trust a match. */
const fewestTokens = 3;

/** What one document says. */
interface Found {
  readonly answer: CellAnswer;
  /** Whether it may be meant though the question does not name its document. */
  readonly isPlain: boolean;
}

/**
 * Answers from the documents of these ids: of the one that the question names, else of one that is meant
 * without a name. Empty where two of them say different things. `read`: null where a document says nothing.
 */
async function fromDocuments(
  ids: Iterable<string>,
  kind: "row" | "cell",
  [question, home, run]: readonly [SearchedQuestion, ComputingHome, Run],
  read: (chunks: readonly Chunk[], called: ReadonlySet<string>, isFirst: boolean) => Found | null,
): Promise<readonly ToolResult[]> {
  const { text, hits } = question;
  const found: Found[] = [];
  const documents = wholeDocuments([...new Set(ids)].slice(0, limits.documents), question, home, run);
  for await (const { document, chunks } of documents)
    found.push(
      ...[read(chunks, wordsOfName(text, document), document.id === hits[0]?.chunk.documentId) ?? []].flat(),
    );
  const named = found.filter(({ answer }) => answer.isNamed);
  const [only, ...others] = named.length > 0 ? named : found;
  const isMeant = only !== undefined && (only.answer.isNamed || only.isPlain);
  if (!isMeant || others.some(({ answer }) => answer.text !== only.answer.text)) return [];
  const { answer } = only;
  const computed = { answer, name: `the ${kind} “${answer.label}”`, formula: answer.label };
  return giveComputed(computed, question, home, run);
}

/**
 * Answers a question for a row of a table by year with the table's own figures, because a small model takes
 * the wrong cell. Empty for another question, and where no row of the documents found has that name. Of
 * documents that the question does not name, exactly one must have such a row: the first that was found, or
 * one whose row has every word of the question.
 */
export async function rowValues(
  question: SearchedQuestion,
  home: ComputingHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { text, hits } = question;
  const asked = rowAsked(text);
  if (asked === null) return [];
  const tables = hits.slice(0, limits.hits).filter(({ chunk }) => chunk.text.includes(" | "));
  const ids = tables.map(({ chunk }) => chunk.documentId);
  return fromDocuments(ids, "row", [question, home, run], (chunks, called, isFirst) => {
    // Its columns are called by the years they end in.
    if (saysFiscal(text) && fiscalShift(chunks) > 0) return null;
    const answer = answerRow(asked, namedTables(chunks), called);
    const isWhole = answer?.share === 1 && asked.tokens.size >= fewestTokens;
    return answer && { answer, isPlain: isFirst || isWhole };
  });
}

/** Whether a row of an answer is on a page that was found. */
const isFound = ({ lines }: CellAnswer, hits: readonly Hit[]): boolean =>
  lines.some(({ chunk: { documentId, pages, id } }) =>
    hits.some(
      ({ chunk }) =>
        chunk.id === id ||
        (chunk.documentId === documentId && chunk.pages.some((page) => pages.includes(page))),
    ),
  );

/**
 * Answers a question that names cells of a table by row and column with the table's own figures: a small
 * model takes the wrong cell, and even the largest does among many. Empty for another question, where no
 * table of the documents found has them, and where two documents disagree. A document that the question does
 * not name must be the first one that was found, or the page of the table must be among those found and the
 * question must have three distinctive words.
 */
export async function cellValues(
  question: SearchedQuestion,
  home: ComputingHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { text, hits, request } = question;
  const asked = cellsAsked(text);
  // Of some pages a table may be held in part.
  const isPart = request.pages !== undefined && (asked?.form === "extreme" || asked?.form === "condition");
  if (asked === null || isPart) return [];
  const first = hits.slice(0, limits.hits);
  const pages = Map.groupBy(
    first.flatMap(({ chunk, around }) => around ?? [chunk]),
    ({ documentId }) => documentId,
  );
  const ids = [...pages].flatMap(([id, chunks]) => (mayName(asked, namedTables(chunks)) ? [id] : []));
  return fromDocuments(ids, "cell", [question, home, run], (chunks, called, isFirst) => {
    const answer = answerCells(asked, namedTables(chunks), called);
    const isPlain =
      isFirst || (asked.tokens.size >= fewestTokens && answer !== null && isFound(answer, first));
    return answer !== null && (answer.isNamed || isPlain) ? { answer, isPlain } : null;
  });
}
