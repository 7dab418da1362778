import type { ToolResult } from "../../../core/answers/tool.ts";
import { cellsOfRow } from "../../../core/documents/table-text.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { comparisonSides } from "../../../language/asking/sides.ts";
import { answerMeasure, type MeasureAnswer } from "../../../pipeline/measures/answer.ts";
import { parseMeasureQuestion } from "../../../pipeline/measures/asked.ts";
import type { MeasureDrivers } from "../../../pipeline/measures/compute.ts";
import type { MeasureBook } from "../../../pipeline/measures/entries.ts";
import { mentionsFiscalYear } from "../../../pipeline/measures/fiscal-years.ts";
import { readReport } from "../../../pipeline/measures/readings.ts";
import { type MeasureRequest, yearsAsked } from "../../../pipeline/measures/request.ts";
import { scaleFactor } from "../../../pipeline/tables/amounts.ts";
import { loadMeasures } from "../../engines/ranking.ts";
import type { AskHome } from "../question.ts";
import {
  type Computed,
  type ComputedQuestion,
  isAbout,
  matchesDocumentName,
  toCalculatorResults,
  type WholeDocument,
} from "./computed.ts";

/**
 * Hits whose documents are looked at, and how many of these are read: a company has many quarterly reports.
 */
const limits = { years: { hits: 5, documents: 2 }, parts: { hits: 10, documents: 6 } } as const;

type Drivers = Omit<MeasureDrivers, "read">;

/** Documents that are read for two companies which are compared. */
const comparedDocuments = 6;

/**
 * The documents of the first hits that may be read for a measure: those called as the question says come
 * first.
 */
export function documentsToRead(hits: readonly Hit[], rest: readonly string[]): readonly string[] {
  const found = hits.slice(0, limits.years.hits).map(({ chunk }) => ({
    id: chunk.documentId,
    isNamed: rest.every((word) => matchesDocumentName(word, { name: chunk.sourceName, title: chunk.title })),
  }));
  const inOrder = found.toSorted((one, other) => Number(other.isNamed) - Number(one.isNamed));
  return [...new Set(inOrder.map(({ id }) => id))];
}

/** What a document's statements say to a request, and the month that its quarter ends in. */
function answerFrom(
  { document: { name, title }, chunks }: WholeDocument,
  asked: MeasureRequest,
  drivers: Drivers,
): { readonly answer: MeasureAnswer | null; readonly end?: number | undefined } {
  const { readings, end } = readReport(asked, chunks, drivers.book, [name, title]);
  return { answer: answerMeasure(asked, readings, drivers, new Date().getFullYear()), end };
}

/** Words that only compare two sides, as a request has them. */
const comparing = new Set(
  "higher lower larger smaller greater bigger more less fewer better worse difference gap compare versus".split(
    " ",
  ),
);

/** A side of a comparison, with its measure and names. */
interface AskedSide {
  readonly label: string;
  readonly asked: MeasureRequest;
}

/** A measure of two companies that a question compares, asked of each; empty for any other question. */
function comparedSides(question: string, book: MeasureBook): readonly AskedSide[] {
  const sides = comparisonSides(question).flatMap(({ label, query }) => {
    const asked = yearsAsked(`What is ${query}?`, book);
    const rest = asked?.rest.filter((word) => !comparing.has(word)) ?? [];
    const isFiscal = asked?.years.length === 0 || mentionsFiscalYear(question);
    const name = label.replace(/['’]s$/, "");
    return asked === null || rest.length === 0
      ? []
      : [{ label: name, asked: { ...asked, form: "value" as const, rest, isFiscal } }];
  });
  const [one, other] = sides;
  const isPair =
    sides.length === 2 &&
    one?.asked.measure.name === other?.asked.measure.name &&
    one?.asked.rest.join() !== other?.asked.rest.join();
  return isPair ? sides : [];
}

/** The answer that has the most; undefined where currencies or years differ, or one page says no scale. */
function highest(answers: readonly MeasureAnswer[]): MeasureAnswer | undefined {
  const currencies = new Set(answers.map(({ lines }) => lines[0]?.currency));
  const years = new Set(answers.map(({ last }) => last.year));
  const unscaled = answers.filter(({ last }) => last.scale === "").length;
  if (currencies.size > 1 || years.size > 1 || (unscaled > 0 && unscaled < answers.length)) return undefined;
  const amount = ({ last }: MeasureAnswer): number => last.value * scaleFactor(last.scale, "million");
  return answers.toSorted((left, right) => amount(right) - amount(left))[0];
}

/** Computes the measure of each side from its own document; empty where one of them cannot be computed. */
async function measuredSides(
  sides: readonly AskedSide[],
  documents: ReturnType<ComputedQuestion["whole"]>,
  question: string,
  drivers: Drivers,
): Promise<readonly Computed[]> {
  const found = new Map<AskedSide, MeasureAnswer>();
  for await (const whole of documents) {
    // A document belongs to one company: its statements do not distinguish two parts of it.
    const side = sides.find((each) => !found.has(each) && isAbout(each.asked.rest, question, whole));
    const answer = side && answerFrom(whole, side.asked, drivers).answer;
    if (side !== undefined && answer) found.set(side, answer);
    if (found.size === sides.length) break;
  }
  if (found.size < sides.length) return [];
  const most = highest([...found.values()]);
  return sides.flatMap((side) => {
    const answer = found.get(side);
    if (answer === undefined) return [];
    const { name, of: formula } = side.asked.measure;
    const text = `${side.label}: ${answer.text}${answer === most ? " (the higher one)" : ""}`;
    return [{ answer: { ...answer, text }, name, formula }];
  });
}

/**
 * Characters at the start of a report that name its company. Later names may be those of segments and
 * products.
 */
const coverLength = 1500;

/** Whether a line is a row of numbers, whose label may name a segment. */
const isRow = (line: string): boolean =>
  cellsOfRow(line).filter((cell) => /^[\s\p{Sc}(]*\d[\d,.]*[)%\s]*$/u.test(cell)).length > 1;

/** The start of a report as its only chunk, up to its first figures. */
function coverOf({ chunks, ...report }: WholeDocument): WholeDocument {
  const cover = chunks
    .filter(({ ordinal }) => ordinal === 0)
    .map((chunk) => {
      const lines = chunk.text.slice(0, coverLength).split("\n");
      const row = lines.findIndex(isRow);
      return { ...chunk, text: lines.slice(0, row === -1 ? undefined : row).join("\n") };
    });
  return { ...report, chunks: cover };
}

/** What one report says to a question. */
interface Found {
  /** Null where its statements lack a line. */
  readonly answer: MeasureAnswer | null;
  /** The month that the report's quarter ends in, counted from year 0. */
  readonly end: number;
  /** Whether it is the document that was found first. */
  readonly isFirst: boolean;
}

/** Whether a question is about the newest of several reports. */
const isLatest = ({ parts }: MeasureRequest): boolean => parts.some(({ kind }) => kind === "latest");

/**
 * The answer of the report that a question is about. For the newest quarter only the newest report counts,
 * and an older one does not replace it; otherwise the first. Where the question names no company, exactly one
 * report must have that quarter, and it must be the one found first.
 */
function chosen(found: readonly Found[], asked: MeasureRequest): MeasureAnswer | undefined {
  const newest = Math.max(...found.map(({ end }) => end));
  const ofTime = found.filter(({ end }) => !isLatest(asked) || end === newest);
  const [first, ...others] = ofTime.flatMap(({ answer, isFirst }) =>
    answer === null ? [] : [{ answer, isFirst }],
  );
  const isAlone = asked.rest.length > 0 || (others.length === 0 && first?.isFirst === true);
  return isAlone ? first?.answer : undefined;
}

/** The documents to read for a request, from the first hits; none where they may be anybody's. */
function reportsToRead(asked: MeasureRequest, hits: readonly Hit[]): readonly string[] {
  const isPart = asked.parts.length > 0;
  const ids = isPart
    ? [...new Set(hits.slice(0, limits.parts.hits).map(({ chunk }) => chunk.documentId))]
    : documentsToRead(hits, asked.rest);
  // Without a name the newest report of all, or that of a year, must be the only one.
  const isOpen = asked.rest.length === 0 && ids.length > 1 && (!isPart || isLatest(asked));
  return isOpen ? [] : ids.slice(0, limits[isPart ? "parts" : "years"].documents);
}

/** The answer from the documents that were found; undefined where none of them is the one that is asked about. */
async function foundAnswer(
  asked: MeasureRequest,
  question: ComputedQuestion,
  drivers: Drivers,
): Promise<MeasureAnswer | undefined> {
  const isPart = asked.parts.length > 0;
  const ids = reportsToRead(asked, question.hits);
  const found: Found[] = [];
  for await (const whole of question.whole(ids)) {
    if (!isAbout(asked.rest, question.text, isPart ? coverOf(whole) : whole)) continue;
    const { answer, end } = answerFrom(whole, asked, drivers);
    if (!isPart && answer !== null) return answer;
    if (end !== undefined) found.push({ answer, end, isFirst: whole.document.id === ids[0] });
  }
  return chosen(found, asked);
}

/**
 * Computes a measure that a question asks of a company, from the statements in the documents found: a small
 * model takes the wrong row or year, and cannot divide. Empty for another question, where a document is not
 * the one that the question names, and where its statements lack a line.
 */
export async function computeMeasure(
  question: ComputedQuestion,
  home: Pick<AskHome, "access">,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { text, hits } = question;
  const book = loadMeasures();
  const { tryEvaluate: calculate } = await import("../../../tools/calculator/evaluate.ts");
  const drivers = { book, calculate };
  const sides = comparedSides(text, book);
  if (sides.length > 0) {
    const ids = [...new Set(hits.map(({ chunk }) => chunk.documentId))].slice(0, comparedDocuments);
    const each = await measuredSides(sides, question.whole(ids), text, drivers);
    const results = each.map((computed) => toCalculatorResults(computed, question, home, run));
    return (await Promise.all(results)).flat();
  }
  const asked = parseMeasureQuestion(text, book);
  const answer = asked && (await foundAnswer(asked, question, drivers));
  if (!asked || !answer) return [];
  const { name, of: formula } = asked.measure;
  return toCalculatorResults({ answer, name, formula }, question, home, run);
}
