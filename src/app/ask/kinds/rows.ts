import type { ToolResult } from "../../../core/answers/tool.ts";
import type { Run } from "../../../core/run.ts";
import { yearsIn } from "../../../language/terms.ts";
import { fiscalShift, saysFiscal } from "../../../pipeline/measures/fiscal-years.ts";
import { answerRow, rowAsked } from "../../../pipeline/measures/rows.ts";
import type { SearchedQuestion } from "../question.ts";
import { type ComputingHome, giveComputed, wholeDocuments, wordsOfName } from "./computed.ts";

/** Hits whose documents are read, and how many of these. */
const limits = { hits: 10, documents: 5 } as const;

/** Telling words of a question that a row's label is seldom called by all of, unless it is the one meant. */
const fewestTerms = 3;

/**
 * Answers a question for a row of a table by its years, or for such amounts in a sentence, as it stands there: a
 * small model takes the wrong cell or amount.
 * Empty for another question, and where no row of the documents found is called so. Of documents that the
 * question does not name, one alone must have such a row: the first that was found, or one that calls it with
 * every word of the question.
 */
export async function rowValues(
  question: SearchedQuestion,
  home: ComputingHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { text, hits } = question;
  const asked = rowAsked(text);
  if (asked === null) return [];
  const first = hits.slice(0, limits.hits);
  const tables = first.filter(({ chunk }) => chunk.text.includes(" | "));
  const dated = first.filter(({ chunk }) => yearsIn(chunk.text).size > 1);
  const ids = [...new Set([...tables, ...dated].map(({ chunk }) => chunk.documentId))];
  const read = ids.slice(0, limits.documents);
  const found = [];
  for await (const { document, chunks } of wholeDocuments(read, question, home, run)) {
    // Its columns are called by the years they end in.
    if (saysFiscal(text) && fiscalShift(chunks) > 0) continue;
    const answer = answerRow(asked, chunks, wordsOfName(text, document));
    const isPlain =
      document.id === hits[0]?.chunk.documentId || (answer?.share === 1 && asked.terms.length >= fewestTerms);
    if (answer !== null) found.push({ answer, isPlain });
  }
  const inTables = found.filter(({ answer }) => !answer.isSaid);
  const rows = inTables.length > 0 ? inTables : found;
  const named = rows.filter(({ answer }) => answer.isNamed);
  const [only, ...others] = named.length > 0 ? named : rows;
  if (only === undefined || others.length > 0 || !(only.answer.isNamed || only.isPlain)) return [];
  const { answer } = only;
  const computed = { answer, name: `the row “${answer.label}”`, formula: answer.label };
  return giveComputed(computed, question, home, run);
}
