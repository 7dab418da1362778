import type { Token } from "node-llama-cpp";
import type { LlamaSession } from "../runtime/llama.ts";
import type { PromptStates } from "./prompt-states.ts";

/** Prompt tokens evaluated between two looks at the abort signal. */
const sliceTokens = 64;

/** A prompt without its last token, and the beginning of it that its system message alone decides. */
export interface PromptHead {
  readonly head: readonly Token[];
  readonly fixed: readonly Token[];
  /** Where the steps of a conversation end, ascending: the next step reads on from there. */
  readonly steps?: readonly number[];
}

/** Prompt tokens that were kept from before, and how many are evaluated by now. */
export interface Prefilled {
  readonly reused: number;
  readonly evaluated: number;
}

/**
 * Evaluates the head of a prompt, keeping what the sequence already holds; less of it where the deadline
 * falls before the next slice would end.
 */
export type Prefill = (prompt: PromptHead, until: number, signal: AbortSignal) => Promise<Prefilled>;

/**
 * Creates the evaluation of prompts on one sequence. What a slice of tokens computes depends in its last digits
 * on how long the slice is, and a sampled answer can turn on them. So a prompt is always cut into the same
 * slices, and only slices that were cut like its own are kept: it is answered alike whatever came before.
 */
export function createPrefill({ sequence }: LlamaSession, states: PromptStates): Prefill {
  /** Ends of the slices that the sequence holds. */
  let held: readonly number[] = [];
  const keep = async (head: readonly Token[], ends: readonly number[]): Promise<number> => {
    await sequence.adaptStateToTokens([...head], false);
    const isHeld = (end: number, at: number): boolean => end === held[at] && end <= sequence.nextTokenIndex;
    const first = ends.findIndex((end, at) => !isHeld(end, at));
    held = first < 0 ? ends : ends.slice(0, first);
    const reused = held.at(-1) ?? 0;
    await sequence.adaptStateToTokens(head.slice(0, reused), false);
    return reused;
  };
  return async ({ head, fixed, steps = [] }, until, signal) => {
    const ends = sliceEnds([fixed.length, ...steps], head.length);
    let reused = await keep(head, ends);
    if (reused < fixed.length && (await states.load(sequence, fixed))) {
      held = sliceEnds([], fixed.length);
      reused = await keep(head, ends);
    }
    let sliceMs = 0;
    for (let at = reused; at < head.length; ) {
      signal.throwIfAborted();
      const since = performance.now();
      if (since + sliceMs >= until) return { reused, evaluated: at };
      const end = ends[held.length] ?? head.length;
      await sequence.evaluateWithoutGeneratingNewTokens(head.slice(at, end));
      held = [...held, end];
      at = end;
      if (at === fixed.length) await states.save(sequence, fixed);
      sliceMs = performance.now() - since;
    }
    signal.throwIfAborted();
    return { reused, evaluated: head.length };
  };
}

/** Where the slices of a prompt end: each has `sliceTokens` at most, and one ends at each of the marks. */
function sliceEnds(marks: readonly number[], total: number): readonly number[] {
  const ends: number[] = [];
  for (let at = 0; at < total; ) {
    at = Math.min(at + sliceTokens, marks.find((mark) => mark > at) ?? total, total);
    ends.push(at);
  }
  return ends;
}
