import type { ToolResult } from "../../../core/answers/tool.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import type { Run } from "../../../core/run.ts";
import type { MeasureAnswer } from "../../../pipeline/measures/answer.ts";
import { answerParts, readParts } from "../../../pipeline/measures/part-answer.ts";
import type { PartRequest } from "../../../pipeline/measures/part-asked.ts";
import { loadMeasures } from "../../engines/ranking.ts";
import type { SearchedQuestion } from "../question.ts";
import { type ComputingHome, giveComputed, isAbout, wholeDocuments } from "./computed.ts";

/**
 * Hits whose documents are looked at, and how many of these are read: a company has many quarterly reports.
 */
const limits = { hits: 10, documents: 6 } as const;

/**
 * Characters at the start of a report that name its company. Later names may be those of segments and
 * products.
 */
const coverLength = 1500;

/** Whether a line is a row of numbers, whose label may name a segment. */
const isRow = (line: string): boolean =>
  line.split("|").filter((cell) => /^[\s\p{Sc}(]*\d[\d,.]*[)%\s]*$/u.test(cell)).length > 1;

/** The start of a report as a separate chunk, up to its first figures. */
function coverOf(chunks: readonly Chunk[]): readonly Chunk[] {
  return chunks
    .filter(({ ordinal }) => ordinal === 0)
    .map((chunk) => {
      const lines = chunk.text.slice(0, coverLength).split("\n");
      const row = lines.findIndex(isRow);
      return { ...chunk, text: lines.slice(0, row === -1 ? undefined : row).join("\n") };
    });
}

/** What one report says to a question. */
interface Found {
  /** Null where its statements lack a line. */
  readonly answer: MeasureAnswer | null;
  /** The month that the report's quarter ends in. */
  readonly end: number;
  /** Whether it is the document that was found first. */
  readonly isFirst: boolean;
}

/**
 * The answer of the report that a question is about. For the newest quarter only the newest report counts,
 * and an older one does not replace it; otherwise the first. Where the question names no company, exactly one
 * report must have that quarter, and it must be the one found first.
 */
function chosen(found: readonly Found[], { asked, parts }: PartRequest): MeasureAnswer | undefined {
  const isLatest = parts.some(({ kind }) => kind === "latest");
  const newest = Math.max(...found.map(({ end }) => end));
  const ofTime = found.filter(({ end }) => !isLatest || end === newest);
  const [first, ...others] = ofTime.flatMap(({ answer, isFirst }) =>
    answer === null ? [] : [{ answer, isFirst }],
  );
  const isAlone = asked.rest.length > 0 || (others.length === 0 && first?.isFirst === true);
  return isAlone ? first?.answer : undefined;
}

/**
 * Computes a measure of parts of years that a question asks of a company, from the reports of quarters that
 * were found. Empty where none of these is the one that the question names, or where its statements lack a
 * line.
 */
export async function measuredParts(
  wanted: PartRequest,
  question: SearchedQuestion,
  home: ComputingHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { tryEvaluate: calculate } = await import("../../../tools/calculator/evaluate.ts");
  const book = loadMeasures();
  const { text, hits } = question;
  const ids = [...new Set(hits.slice(0, limits.hits).map(({ chunk }) => chunk.documentId))];
  // Without a name the newest report of all that were found may be anybody's.
  const isNamed = wanted.asked.rest.length > 0 || ids.length === 1;
  if (!isNamed && wanted.parts.some(({ kind }) => kind === "latest")) return [];
  const found: Found[] = [];
  const read = wholeDocuments(ids.slice(0, limits.documents), question, home, run);
  for await (const { document, chunks } of read) {
    if (!isAbout(wanted.asked.rest, text, document, coverOf(chunks))) continue;
    const report = readParts(chunks, book, [document.name, document.title]);
    const answer = answerParts(wanted, report, { book, calculate });
    if (report.calendar !== undefined)
      found.push({ answer, end: report.calendar.end, isFirst: document.id === ids[0] });
  }
  const answer = chosen(found, wanted);
  if (answer === undefined) return [];
  const { name, of: formula } = wanted.asked.measure;
  return giveComputed({ answer, name, formula }, question, home, run);
}
