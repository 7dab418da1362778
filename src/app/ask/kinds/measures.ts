import type { AgentState } from "../../../core/answers/agent.ts";
import type { Tool, ToolCall, ToolResult } from "../../../core/answers/tool.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { nearlyEqual } from "../../../language/names.ts";
import { squash } from "../../../language/terms.ts";
import { answerMeasure, type MeasureAnswer } from "../../../pipeline/measures/answer.ts";
import { plainWords } from "../../../pipeline/measures/entries.ts";
import { type MeasureRequest, measureAsked } from "../../../pipeline/measures/request.ts";
import { readStatements } from "../../../pipeline/measures/statements.ts";
import type { DocumentRecord } from "../../../registry/documents/document-rows.ts";
import { loadMeasures } from "../../engines/ranking.ts";
import { type AskHome, agentOf, type Question } from "../question.ts";

/** Hits whose documents are looked at, and how many of these are read. */
const limits = { hits: 5, documents: 2 } as const;

/** Chunks at the start of a document in which it says whose it is. */
const firstChunks = 3;

/** The calculator under its usual name: a principal needs the permission for it. */
const row = { name: "Calculator", type: "calculator", config: {}, permissions: {} } as const;

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

/** An answer with the request it answers. */
interface Found {
  readonly answer: MeasureAnswer;
  readonly asked: MeasureRequest;
}

/** The pages of an answer under the first of its chunks, so that they are cited as that document. */
function sourceOf({ lines }: MeasureAnswer): Chunk | undefined {
  const [first] = lines;
  const pages = [...new Set(lines.flatMap(({ chunk }) => chunk.pages))].toSorted(
    (left, right) => left - right,
  );
  return first && { ...first.chunk, headings: [], pages };
}

/** What the calculation found, as a tool. */
function toolOf({ answer, asked }: Found): Tool {
  const of = sourceOf(answer);
  const text = [answer.text, ...answer.sums, ...answer.lines.map(({ row: line }) => line)].join("\n");
  const finding = { text, source: of?.sourceName ?? "", section: "", contentType: "table" as const };
  return {
    type: row.type,
    description: "Computes a measure from the lines of a company's statements.",
    examples: [],
    parameters: {},
    call: async () => ({
      message: answer.text,
      findings: [{ ...finding, ...(of !== undefined && { of }) }],
      data: { measure: asked.measure.name, formula: asked.measure.of, value: answer.text },
    }),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Computes a measure that a question asks of a company, from the statements in the documents found: a small
 * model takes the wrong row or year, and cannot divide. Empty for another question, where a document is not the
 * one that the question names, and where its statements lack a line.
 */
export async function measured(
  state: AgentState,
  hits: readonly Hit[],
  { request, sight }: Pick<Question, "request" | "sight">,
  home: Pick<AskHome, "access" | "documents" | "retrieval">,
  run: Run,
): Promise<readonly ToolResult[]> {
  const question = state.clarifiedQuery;
  const book = loadMeasures();
  const asked = measureAsked(question, book);
  if (asked === null) return [];
  const agent = agentOf(state);
  const readable = sight.readableBy(agent);
  const first = [...new Set(hits.slice(0, limits.hits).map(({ chunk }) => chunk.documentId))];
  // Without a name the documents found must be one.
  if (readable.length === 0 || (asked.rest.length === 0 && first.length > 1)) return [];
  const [{ tryEvaluate: calculate }, { runTools }] = await Promise.all([
    import("../../../tools/calculator/evaluate.ts"),
    import("../../../tools/run.ts"),
  ]);
  const documents = home.documents.asOf(readable, request.versions);
  for (const id of first.slice(0, limits.documents)) {
    const document = documents.find((one) => one.id === id);
    if (document === undefined) continue;
    const chunks = await home.retrieval.whole(document, request, run, agent);
    const start = chunks.filter(({ ordinal }) => ordinal < firstChunks).map(({ text }) => text);
    if (!isAbout(asked.rest, question, document, start.join("\n"))) continue;
    const drivers = { book, read: readStatements(chunks, book), calculate };
    const answer = answerMeasure(asked, drivers, new Date().getFullYear());
    if (answer === null) continue;
    const call: ToolCall = {
      ...{ tool: row.name, type: row.type, arguments: { formula: asked.measure.of } },
      reason: `it asks for ${asked.measure.name}`,
    };
    const decide = () => home.access.tool(run, agent, row);
    return runTools([call], new Map([[row.name, toolOf({ answer, asked })]]), decide, question, run);
  }
  return [];
}
