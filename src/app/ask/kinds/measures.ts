import type { ToolResult } from "../../../core/answers/tool.ts";
import type { Chunk } from "../../../core/documents/chunk.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { sidesOf } from "../../../language/asking/sides.ts";
import { answerMeasure, type MeasureAnswer } from "../../../pipeline/measures/answer.ts";
import type { MeasureDrivers } from "../../../pipeline/measures/compute.ts";
import type { MeasureBook } from "../../../pipeline/measures/entries.ts";
import { fiscalShift, saysFiscal } from "../../../pipeline/measures/fiscal-years.ts";
import { partAsked } from "../../../pipeline/measures/part-asked.ts";
import { type MeasureRequest, measureAsked } from "../../../pipeline/measures/request.ts";
import { readYears } from "../../../pipeline/measures/statements.ts";
import { scaleFactor } from "../../../pipeline/tables/amounts.ts";
import { loadMeasures } from "../../engines/ranking.ts";
import type { SearchedQuestion } from "../question.ts";
import {
  type Computed,
  type ComputingHome,
  giveComputed,
  hasInName,
  isAbout,
  wholeDocuments,
} from "./computed.ts";
import { measuredParts } from "./parts.ts";

/** Hits whose documents are looked at, and how many of these are read. */
const limits = { hits: 5, documents: 2 } as const;

/** Documents that are read for two companies which are compared. */
const comparedDocuments = 6;

/**
 * The documents of the first hits that may be read for a measure: those called as the question says come
 * first.
 */
export function documentsToRead(hits: readonly Hit[], rest: readonly string[]): readonly string[] {
  const found = hits.slice(0, limits.hits).map(({ chunk }) => ({
    id: chunk.documentId,
    isNamed: rest.every((word) => hasInName(word, { name: chunk.sourceName, title: chunk.title })),
  }));
  const inOrder = found.toSorted((one, other) => Number(other.isNamed) - Number(one.isNamed));
  return [...new Set(inOrder.map(({ id }) => id))];
}

/**
 * Answers a question from the statements of a document, by the document's own names of fiscal years, or else
 * by the years in which they end; null where they lack a line.
 */
function answerFrom(
  chunks: readonly Chunk[],
  asked: MeasureRequest,
  question: string,
  { book, calculate }: Pick<MeasureDrivers, "book" | "calculate">,
): MeasureAnswer | null {
  const read = readYears(chunks, book);
  const answerBy = (shift: 0 | 1): MeasureAnswer | null => {
    const shifted: MeasureDrivers["read"] = (name, year) => read(name, year + shift);
    return answerMeasure(asked, { book, read: shifted, calculate }, new Date().getFullYear());
  };
  const isFiscal = asked.years.length === 0 || saysFiscal(question);
  const shift = isFiscal ? fiscalShift(chunks) : 0;
  return answerBy(shift) ?? (shift === 0 ? null : answerBy(0));
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
  const sides = sidesOf(question).flatMap(({ label, query }) => {
    const asked = measureAsked(`What is ${query}?`, book);
    const rest = asked?.rest.filter((word) => !comparing.has(word)) ?? [];
    const name = label.replace(/['’]s$/, "");
    return asked === null || rest.length === 0
      ? []
      : [{ label: name, asked: { ...asked, form: "value" as const, rest } }];
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
  documents: ReturnType<typeof wholeDocuments>,
  question: string,
): Promise<readonly Computed[]> {
  const book = loadMeasures();
  const { tryEvaluate: calculate } = await import("../../../tools/calculator/evaluate.ts");
  const found = new Map<AskedSide, MeasureAnswer>();
  for await (const { document, chunks } of documents) {
    // A document belongs to one company: its statements do not distinguish two parts of it.
    const side = sides.find(
      (each) => !found.has(each) && isAbout(each.asked.rest, question, document, chunks),
    );
    const answer = side && answerFrom(chunks, side.asked, question, { book, calculate });
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
 * Computes a measure that a question asks of a company, from the statements in the documents found: a small
 * model takes the wrong row or year, and cannot divide. Empty for another question, where a document is not
 * the one that the question names, and where its statements lack a line.
 */
export async function measured(
  question: SearchedQuestion,
  home: ComputingHome,
  run: Run,
): Promise<readonly ToolResult[]> {
  const { text, hits } = question;
  const book = loadMeasures();
  const sides = comparedSides(text, book);
  if (sides.length > 0) {
    const ids = [...new Set(hits.map(({ chunk }) => chunk.documentId))].slice(0, comparedDocuments);
    const each = await measuredSides(sides, wholeDocuments(ids, question, home, run), text);
    const results = each.map((computed) => giveComputed(computed, question, home, run));
    return (await Promise.all(results)).flat();
  }
  const part = partAsked(text, book);
  if (part !== null) return measuredParts(part, question, home, run);
  const asked = measureAsked(text, book);
  if (asked === null) return [];
  const first = documentsToRead(hits, asked.rest);
  // Without a name the documents found must be one.
  if (asked.rest.length === 0 && first.length > 1) return [];
  const { tryEvaluate: calculate } = await import("../../../tools/calculator/evaluate.ts");
  const read = first.slice(0, limits.documents);
  for await (const { document, chunks } of wholeDocuments(read, question, home, run)) {
    if (!isAbout(asked.rest, text, document, chunks)) continue;
    const answer = answerFrom(chunks, asked, text, { book, calculate });
    if (answer === null) continue;
    const { name, of: formula } = asked.measure;
    return giveComputed({ answer, name, formula }, question, home, run);
  }
  return [];
}
