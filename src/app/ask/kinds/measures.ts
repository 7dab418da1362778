import type { AgentState } from "../../../core/answers/agent.ts";
import type { ToolResult } from "../../../core/answers/tool.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { nearlyEqual } from "../../../language/names.ts";
import { squash } from "../../../language/terms.ts";
import { answerMeasure } from "../../../pipeline/measures/answer.ts";
import { plainWords } from "../../../pipeline/measures/entries.ts";
import { measureAsked } from "../../../pipeline/measures/request.ts";
import { readStatements } from "../../../pipeline/measures/statements.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import { loadMeasures } from "../../engines/ranking.ts";
import type { AskHome, Question } from "../question.ts";
import { giveComputed, wholeDocuments } from "./computed.ts";

/** Hits whose documents are looked at, and how many of these are read. */
const limits = { hits: 5, documents: 2 } as const;

/** Chunks at the start of a document in which it says whose it is. */
const firstChunks = 3;

/**
 * Whether a document is what the rest of a question speaks of: each of its words is in the document's name or
 * title, mistyped at most, or is written like a name and stands at the document's start.
 */
function isAbout(
  rest: readonly string[],
  question: string,
  { name, title }: DocumentRecord,
  start: string,
): boolean {
  const names = squash(`${name} ${title}`);
  const nameWords = plainWords(`${name} ${title}`.replace(/[_.-]+/g, " "));
  const written = new Set((question.match(/\p{Lu}[\p{L}\p{N}]*/gu) ?? []).flatMap(plainWords));
  const startWords = new Set(plainWords(start));
  return rest.every(
    (word) =>
      nameWords.includes(word) ||
      (word.length > 2 && names.includes(squash(word))) ||
      nameWords.some((other) => nearlyEqual(other, word)) ||
      (written.has(word) && startWords.has(word)),
  );
}

/**
 * Computes a measure that a question asks of a company, from the statements in the documents found: a small
 * model takes the wrong row or year, and cannot divide. Empty for another question, where a document is not the
 * one that the question names, and where its statements lack a line.
 */
export async function measured(
  state: AgentState,
  hits: readonly Hit[],
  asking: Pick<Question, "request" | "sight">,
  home: Pick<AskHome, "access" | "documents" | "retrieval">,
  run: Run,
): Promise<readonly ToolResult[]> {
  const question = state.clarifiedQuery;
  const book = loadMeasures();
  const asked = measureAsked(question, book);
  if (asked === null) return [];
  const first = [...new Set(hits.slice(0, limits.hits).map(({ chunk }) => chunk.documentId))];
  // Without a name the documents found must be one.
  if (asked.rest.length === 0 && first.length > 1) return [];
  const { tryEvaluate: calculate } = await import("../../../tools/calculator/evaluate.ts");
  const read = first.slice(0, limits.documents);
  for await (const { document, chunks } of wholeDocuments(read, state, asking, home, run)) {
    const start = chunks.filter(({ ordinal }) => ordinal < firstChunks).map(({ text }) => text);
    if (!isAbout(asked.rest, question, document, start.join("\n"))) continue;
    const drivers = { book, read: readStatements(chunks, book), calculate };
    const answer = answerMeasure(asked, drivers, new Date().getFullYear());
    if (answer === null) continue;
    const { name, of: formula } = asked.measure;
    return giveComputed({ answer, name, formula }, state, home, run);
  }
  return [];
}
