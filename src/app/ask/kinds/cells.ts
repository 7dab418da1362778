import type { ToolResult } from "../../../core/answers/tool.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { answerCells, mayName, namedTables } from "../../../pipeline/tables/answer.ts";
import { cellsAsked } from "../../../pipeline/tables/asked.ts";
import type { CellAnswer } from "../../../pipeline/tables/cells.ts";
import type { SearchedQuestion } from "../question.ts";
import { type ComputingHome, giveComputed, wholeDocuments, wordsOfName } from "./computed.ts";

/** Hits on whose pages tables are looked for, and documents of these that are read whole. */
const limits = { hits: 10, documents: 5 } as const;

/** Telling words of a question by which a page that was found is seldom another's than the one meant. */
const fewestTokens = 3;

/** Whether a row of an answer stands on a page that was found. */
const isFound = ({ lines }: CellAnswer, hits: readonly Hit[]): boolean =>
  lines.some(({ chunk: { documentId, pages, id } }) =>
    hits.some(
      ({ chunk }) =>
        chunk.id === id ||
        (chunk.documentId === documentId && chunk.pages.some((page) => pages.includes(page))),
    ),
  );

/**
 * Answers a question that names cells of a table by row and column, as they stand there: a small model takes the
 * wrong cell, and the wrong one of many for the largest. Empty for another question, where no table of the documents
 * found has them, and where those of two documents say different things. A document that the question does not name must be the first one that
 * was found, or the page of the table one of those and the question have three telling words.
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
  const found: CellAnswer[] = [];
  const read = wholeDocuments(ids.slice(0, limits.documents), question, home, run);
  for await (const { document, chunks } of read) {
    const answer = answerCells(asked, namedTables(chunks), wordsOfName(text, document));
    const isFirst = document.id === hits[0]?.chunk.documentId;
    if (answer === null) continue;
    const isMeant = asked.tokens.size >= fewestTokens && isFound(answer, first);
    if (answer.isNamed || isFirst || isMeant) found.push(answer);
  }
  const named = found.filter((answer) => answer.isNamed);
  const [answer, ...others] = named.length > 0 ? named : found;
  if (answer === undefined || others.some(({ text: other }) => other !== answer.text)) return [];
  const computed = { answer, name: `the cell “${answer.label}”`, formula: answer.label };
  return giveComputed(computed, question, home, run);
}
