import type { Context, Hit, Passage } from "../core/retrieval.ts";
import { focus } from "./focus.ts";

export interface ContextOptions {
  /** Budget of all passages together, in the answering model's tokens. */
  readonly maxTokens: number;
  readonly maxPassages: number;
  /** Longer passages are cut down to the sentences and rows nearest to the question; 0 never. Default 0. */
  readonly focusTokens?: number;
  /** Tokens of a text in the answering model. */
  readonly count: (text: string) => number;
}

/** Tokens a passage's number and source line cost. */
const headTokens = 24;

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
    return new Set(parts.slice(0, Math.max(1, parts.length - 4)).map((_, index) => parts.slice(index, index + 5).join(" ")));
  };
  const [a, b] = [shingles(left), shingles(right)];
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  return [...small].filter((shingle) => large.has(shingle)).length / small.size;
}

/**
 * Numbered passages for the model, best first, within the budget. A hit whose text equals, is inside of, or shares nine tenths of its wording with a
 * passage already taken is a duplicate; one too long for what is left of the budget is left out, but the best hit is cut to fit.
 */
export function context(question: string, hits: readonly Hit[], options: ContextOptions): Context {
  const { count, maxTokens, maxPassages, focusTokens = 0 } = options;
  const passages: Passage[] = [];
  const taken: string[] = [];
  let tokenCount = 0;
  let overBudget = 0;
  let duplicate = 0;
  for (const { chunk } of hits) {
    const key = comparable(chunk.text);
    if (key === "" || taken.some((other) => ` ${other} `.includes(` ${key} `) || shared(key, other) >= 0.9)) {
      duplicate += 1;
      continue;
    }
    const room = maxTokens - tokenCount - headTokens;
    if (passages.length >= maxPassages || room <= 0) {
      overBudget += 1;
      continue;
    }
    const limit = passages.length === 0 ? (focusTokens > 0 ? Math.min(focusTokens, room) : room) : focusTokens;
    const text = limit > 0 ? focus(question, chunk.text, limit, count) : chunk.text;
    const tokens = count(text);
    if (text === "" || tokens > room) {
      overBudget += 1;
      continue;
    }
    taken.push(key);
    passages.push({ marker: passages.length + 1, chunk, text });
    tokenCount += tokens + headTokens;
  }
  return { question, passages, tokenCount, dropped: { overBudget, duplicate } };
}
