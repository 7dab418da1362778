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
  /** Budget of all passages together, in the answering model's tokens. */
  readonly maxTokens: number;
  readonly maxPassages: number;
  /**
   * Longer passages are cut down to the sentences and rows nearest to the question; the best two may be longer
   * (`passageTokens`). 0 never. Default: `focusTokensOf` its kind in an answer, else 0.
   */
  readonly focusTokens?: number;
  /** What passages may take by their rank, in multiples of `focusTokens`, to measure others than the default. */
  readonly shares?: readonly number[];
  /**
   * Leaves sentences of retrieved text that speak to an assistant out, unless the question is about such
   * things. Default true.
   */
  readonly withholdInstructions?: boolean;
  /** Words that documents have for what the question asks; sentences and rows with them are kept too. */
  readonly wording?: string;
  /** Ids of chunks in which an attempt before found no answer; they are passed over. Default: none. */
  readonly readBefore?: ReadonlySet<string>;
  /** Tokens of a text in the answering model. */
  readonly count: (text: string) => number;
}

/** Tokens a passage's number and source line cost. */
export const headTokens = 24;

/** Kinds of question whose answer is spread over a passage, or over several. */
const spreadKinds: ReadonlySet<QuestionKind> = new Set(["list", "procedure", "comparison", "summary"]);

/** What a passage is cut to where nothing else is asked for, in tokens. */
export const focusTokensOf = (kind: QuestionKind): number => (spreadKinds.has(kind) ? 144 : 80);

/**
 * What passages may take by their rank, in multiples of `focusTokens`, the last one of all that follow: most
 * answers stand in the first. `scripts/eval/prompts.ts` counts them.
 */
const usualShares: readonly number[] = [2.5, 1.25, 1, 0.5];

/** Tokens that a passage of a document is cut to. `rank`: passages of documents before it. */
export const passageTokens = (rank: number, focusTokens: number, shares = usualShares): number =>
  Math.round((shares[rank] ?? shares.at(-1) ?? 1) * focusTokens);

/**
 * What the sentence or row of a passage nearest to the question may take though its passage may have less, in
 * multiples of `focusTokens`.
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

/** Whether a text stands in another one, or shares nine tenths of its wording with it. */
const repeats = (text: string, other: string): boolean =>
  ` ${other} `.includes(` ${text} `) || shared(text, other) >= 0.9;

/**
 * Tokens a chunk may take of what is left; 0 where it is not cut down. `rank`: passages of documents before
 * it; `findings`: those still to be placed, this one included.
 */
function limitOf(
  chunk: Chunk,
  rank: number,
  { focusTokens = 0, shares }: Pick<ContextOptions, "focusTokens" | "shares">,
  room: number,
  findings: number,
): number {
  // Heads of the findings that follow are set aside first, so that each gets its share of the text.
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
 * Numbered passages for the model, best first, within the budget. A hit whose text equals, is inside of, or
 * shares nine tenths of its wording with a passage already taken is a duplicate; one too long for what is
 * left of the budget is left out, but the best hit is cut to fit. A tool's finding takes no passage's place
 * and is shown whole as far as the budget goes; several share the budget, and what one leaves over goes to
 * the next.
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
