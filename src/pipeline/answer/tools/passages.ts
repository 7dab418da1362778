import type { Context, Hit, Passage } from "../../../core/retrieval.ts";
import { context } from "../context.ts";
import { sourceLine } from "../prompt.ts";
import type { Question } from "../question.ts";

/** Passages that a reader was shown so far, each under its own number. */
export interface Shelf {
  /** Shows hits within a budget, in tokens; those it holds already are named again instead. */
  add(hits: readonly Hit[], maxTokens: number, maxPassages: number): Shown;
  /** Everything shown, as one context. */
  context(): Context;
}

/** What an addition shows. */
export interface Shown {
  readonly passages: readonly Passage[];
  /** Numbers of passages that hold a hit already. */
  readonly repeated: readonly number[];
  /** Where hits that were left out for length are, each place once. */
  readonly leftOut: readonly string[];
}

const idsOf = ({ chunk, around = [chunk] }: Pick<Hit, "chunk" | "around">): readonly string[] =>
  around.map(({ id }) => id);

/** Places that are named instead of shown, at most. */
const mostPlaces = 8;

/** Opens an empty shelf. `count` counts a text's tokens as the reader does. */
export function createPassageSet(question: Question, count: (text: string) => number): Shelf {
  const passages: Passage[] = [];
  const held = new Map<string, number>();
  let dropped: Context["dropped"] = { overBudget: 0, duplicate: 0, instructions: 0 };
  let tokenCount = 0;
  return {
    add(hits, maxTokens, maxPassages) {
      const isHeld = (hit: Hit): boolean => idsOf(hit).every((id) => held.has(id));
      const repeated = hits.filter(isHeld).flatMap(({ chunk }) => held.get(chunk.id) ?? []);
      const fresh = hits.filter((hit) => !isHeld(hit));
      const made = context(question, fresh, { count, maxTokens, maxPassages });
      const shown = made.passages.map((passage, at) => ({ ...passage, marker: passages.length + at + 1 }));
      for (const passage of shown) for (const id of idsOf(passage)) held.set(id, passage.marker);
      passages.push(...shown);
      tokenCount += made.tokenCount;
      const { overBudget, duplicate, instructions = 0 } = made.dropped;
      dropped = {
        overBudget: dropped.overBudget + overBudget,
        duplicate: dropped.duplicate + duplicate + repeated.length,
        instructions: (dropped.instructions ?? 0) + instructions,
      };
      const left =
        overBudget === 0 ? [] : fresh.filter((hit) => !isHeld(hit)).map(({ chunk }) => sourceLine({ chunk }));
      return {
        passages: shown,
        repeated: [...new Set(repeated)],
        leftOut: [...new Set(left)].slice(0, mostPlaces),
      };
    },
    context: () => ({ question: question.text, passages, tokenCount, dropped }),
  };
}
