import type { QuestionKind } from "../../core/answers/answer.ts";
import { isFinding } from "../../core/answers/tool.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import { type Context, type Hit, type Passage, quotedChunk, readChunk } from "../../core/retrieval.ts";
import { asksForNumber } from "../../language/asking/values.ts";
import { contentTerms } from "../../language/terms.ts";
import { bestQuote } from "./extract.ts";
import { focus, type Sought } from "./focus.ts";
import { withoutInstructions } from "./orders/orders.ts";
import type { Question } from "./question.ts";

export interface ContextOptions {
  /** Shared by all passages, in tokens of the answering model. */
  readonly maxTokens: number;
  readonly maxPassages: number;
  /**
   * Longer passages are cut to the sentences and rows nearest to the question; the top two may be longer
   * (`passageTokens`). 0 disables cutting. Default: `focusTokensOf` the kind in an answer, otherwise 0.
   */
  readonly focusTokens?: number;
  /** Size of a passage by rank, in multiples of `focusTokens`; set only to measure other shares. */
  readonly shares?: readonly number[];
  /**
   * Leaves out sentences of retrieved text that address an assistant, unless the question is about such
   * sentences. Default true.
   */
  readonly withholdInstructions?: boolean;
  /** The documents' own words for the question's terms; sentences and rows with them are kept too. */
  readonly wording?: string;
  /** Ids of chunks in which an earlier attempt found no answer; they are skipped. Default: none. */
  readonly readBefore?: ReadonlySet<string>;
  /** Counts a text's tokens as the answering model does. */
  readonly count: (text: string) => number;
}

/** Cost of a passage's number and source line, in tokens. */
export const headTokens = 24;

/** Their answers spread over a whole passage, or over several. */
const spreadKinds: ReadonlySet<QuestionKind> = new Set(["list", "procedure", "comparison", "summary"]);

/** Default length of a cut passage, in tokens. */
export const focusTokensOf = (kind: QuestionKind): number => (spreadKinds.has(kind) ? 144 : 80);

/**
 * Size of a passage by rank, in multiples of `focusTokens`; the last entry is for all lower ranks. Most
 * answers are in the top passage: `scripts/eval/prompts.ts` counts them.
 */
const usualShares: readonly number[] = [2.5, 1.25, 1, 0.5];

/**
 * Length that a document's passage is cut to, in tokens. `rank`: number of document passages ranked above it.
 */
export const passageTokens = (rank: number, focusTokens: number, shares = usualShares): number =>
  Math.round((shares[rank] ?? shares.at(-1) ?? 1) * focusTokens);

/**
 * Limit for the sentence or row nearest to the question, in multiples of `focusTokens`, even if its passage
 * has less.
 */
const nearestShare = 2;

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

/**
 * Tokens a chunk may use of the remaining budget; 0 leaves it uncut. `rank`: number of document passages
 * ranked above it; `findings`: findings still to be placed, including this one.
 */
function limitOf(
  chunk: Chunk,
  rank: number,
  { focusTokens = 0, shares }: Pick<ContextOptions, "focusTokens" | "shares">,
  room: number,
  findings: number,
): number {
  // Reserves the heads of the remaining findings first, so that each gets its share of the text.
  if (isFinding(chunk)) return Math.floor((room - (findings - 1) * headTokens) / findings);
  const limit = passageTokens(rank, focusTokens, shares);
  if (rank > 0) return limit;
  return limit > 0 ? Math.min(limit, room) : room;
}

function soughtBy({ alternatives, kind, text, value }: Question, wording: string): Sought {
  return {
    terms: [...alternatives, ...contentTerms(wording).map((term) => [term])],
    number: kind === "number" || kind === "total" || value === "number" || asksForNumber(text),
  };
}

const unread = (hits: readonly Hit[], { readBefore }: Pick<ContextOptions, "readBefore">): readonly Hit[] =>
  hits.filter(({ chunk }) => readBefore?.has(chunk.id) !== true);

/**
 * Numbered passages for the model, best first, within the budget. A hit is a duplicate if a passage already
 * taken equals or contains it or shares nine tenths of its wording. A hit that exceeds the remaining budget
 * is left out, except that the best hit is cut to fit. A tool's finding does not count towards `maxPassages`
 * and is shown whole if the budget allows; several findings share the budget, and each passes what it leaves
 * to the next.
 */
export function context(question: Question, hits: readonly Hit[], options: ContextOptions): Context {
  const { count, maxTokens, wording = "", withholdInstructions = true } = options;
  const sought = soughtBy(question, wording);
  let findingsLeft = hits.filter(({ chunk }) => isFinding(chunk)).length;
  const maxPassages = options.maxPassages + findingsLeft;
  const withhold = (text: string): { readonly text: string; readonly removed: number } =>
    withholdInstructions ? withoutInstructions(text, question.asksAboutOrders) : { text, removed: 0 };
  const passages: Passage[] = [];
  const taken: string[] = [];
  let tokenCount = 0;
  let overBudget = 0;
  let duplicate = 0;
  let instructions = 0;
  for (const hit of unread(hits, options)) {
    const chunk = readChunk(hit);
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
    const rank = passages.filter((passage) => !isFinding(passage.chunk)).length;
    const limit = limitOf(chunk, rank, options, room, findings);
    const nearest = Math.min(nearestShare * (options.focusTokens ?? 0), room);
    const text = limit > 0 ? focus(sought, shown.text, limit, count, nearest) : shown.text;
    const tokens = count(text);
    if (text === "" || tokens > room) {
      overBudget += 1;
      continue;
    }
    taken.push(key);
    const { around } = hit;
    const { headings } = quotedChunk(hit, bestQuote(question, text));
    passages.push({
      marker: passages.length + 1,
      chunk,
      text,
      headings,
      ...(around !== undefined && { around }),
    });
    tokenCount += tokens + headTokens;
  }
  return { question: question.text, passages, tokenCount, dropped: { overBudget, duplicate, instructions } };
}
