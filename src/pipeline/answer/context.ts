import { isFinding } from "../../core/answers/tool.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import {
  type Context,
  chunkContaining,
  expandedChunk,
  type Hit,
  type Passage,
} from "../../core/retrieval.ts";
import { bestQuote } from "./extract.ts";
import { stripInjections } from "./injection/injection.ts";
import type { Question } from "./question.ts";

export interface ContextOptions {
  /** Shared by all passages, in tokens of the answering model. */
  readonly maxTokens: number;
  readonly maxPassages: number;
  /**
   * Leaves out sentences of retrieved text that address an assistant, unless the question is about such
   * sentences. Default true.
   */
  readonly withholdInstructions?: boolean;
  /** Counts a text's tokens as the answering model does. */
  readonly count: (text: string) => number;
}

/** Cost of a passage's number and source line, in tokens. */
export const headTokens = 24;

function comparable(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Share of the shorter text's five-word shingles that the longer has, in [0, 1]. */
function shared(left: string, right: string): number {
  const shingles = (text: string): Set<string> => {
    const parts = text.split(" ");
    return new Set(
      parts
        .slice(0, Math.max(1, parts.length - 4))
        .map((_, index) => parts.slice(index, index + 5).join(" ")),
    );
  };
  const [a, b] = [shingles(left), shingles(right)];
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  return [...small].filter((shingle) => large.has(shingle)).length / small.size;
}

/** Whether another text contains this one, or the two share nine tenths of their wording. */
const repeats = (text: string, other: string): boolean =>
  ` ${other} `.includes(` ${text} `) || shared(text, other) >= 0.9;

/** A finding's share of the tokens left: the heads of those to come are reserved first. */
const shareOf = (room: number, findings: number): number =>
  Math.floor((room - (findings - 1) * headTokens) / findings);

/** The first lines of a text that have room, or the beginning of the first. */
export function truncateToTokens(text: string, room: number, count: (text: string) => number): string {
  if (count(text) <= room) return text;
  const lines = text.split("\n");
  let end = lines.length;
  while (end > 1 && count(lines.slice(0, end).join("\n")) > room) end = Math.floor(end * 0.8);
  let kept = lines.slice(0, end).join("\n");
  while (kept !== "" && count(kept) > room) kept = kept.slice(0, Math.floor(kept.length * 0.8));
  return kept;
}

/** A finding within its share, the best hit within the room; others as they are. */
function fitted(
  chunk: Chunk,
  text: string,
  {
    passages,
    room,
    findings,
    count,
  }: Pick<ContextOptions, "count"> & {
    readonly passages: readonly Passage[];
    readonly room: number;
    /** Findings still to be placed, including this one. */
    readonly findings: number;
  },
): string {
  if (isFinding(chunk)) return truncateToTokens(text, shareOf(room, findings), count);
  const isFirst = passages.every((passage) => isFinding(passage.chunk));
  return isFirst ? truncateToTokens(text, room, count) : text;
}

function passageOf(hit: Hit, text: string, marker: number, question: Question): Passage {
  const { around } = hit;
  const { headings } = chunkContaining(hit, bestQuote(question, text));
  return { marker, chunk: expandedChunk(hit), text, headings, ...(around !== undefined && { around }) };
}

/**
 * Numbered passages for the model, best first, within the budget. A hit is a duplicate if a passage already
 * taken equals or contains it or shares nine tenths of its wording. A hit that exceeds the remaining budget
 * is left out, except that the best hit is cut to fit. A tool's finding does not count towards `maxPassages`
 * and is shown whole if the budget allows; several findings share the budget, and each passes what it leaves
 * to the next.
 */
export function context(question: Question, hits: readonly Hit[], options: ContextOptions): Context {
  const { count, maxTokens, withholdInstructions = true } = options;
  let findingsLeft = hits.filter(({ chunk }) => isFinding(chunk)).length;
  const maxPassages = options.maxPassages + findingsLeft;
  const withhold = (text: string): { readonly text: string; readonly removed: number } =>
    withholdInstructions ? stripInjections(text, question.asksAboutOrders) : { text, removed: 0 };
  const passages: Passage[] = [];
  const taken: string[] = [];
  let tokenCount = 0;
  let overBudget = 0;
  let duplicate = 0;
  let instructions = 0;
  for (const hit of hits) {
    const chunk = expandedChunk(hit);
    const shown = withhold(chunk.text);
    const key = comparable(shown.text);
    instructions += shown.removed;
    const findings = findingsLeft;
    findingsLeft -= Number(isFinding(chunk));
    if (key === "" || taken.some((other) => repeats(key, other))) {
      duplicate += Number(key !== "" || shown.removed === 0);
      continue;
    }
    const room = maxTokens - tokenCount - headTokens;
    if (passages.length >= maxPassages || room <= 0) {
      overBudget += 1;
      continue;
    }
    const text = fitted(chunk, shown.text, { passages, room, findings, count });
    const tokens = count(text);
    if (text === "" || tokens > room) {
      overBudget += 1;
      continue;
    }
    taken.push(key);
    passages.push(passageOf(hit, text, passages.length + 1, question));
    tokenCount += tokens + headTokens;
  }
  return { question: question.text, passages, tokenCount, dropped: { overBudget, duplicate, instructions } };
}
