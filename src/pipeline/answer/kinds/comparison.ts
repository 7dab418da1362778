import type { Context, Hit } from "../../../core/retrieval.ts";
import { omission } from "../../../core/text.ts";
import { type Side, sidesOf } from "../../../language/asking/sides.ts";
import { notesFor } from "../../../language/notes/notes.ts";
import { sentences } from "../../../language/sentences.ts";
import { contentTerms, words } from "../../../language/terms.ts";
import { comparePeriods, periodsIn } from "../../../language/time/periods.ts";
import { rank } from "../extract.ts";
import { addressesAssistant } from "../orders/orders.ts";

/** Whether a text mentions a side: its period, or most of its words. */
function speaksOf({ label }: Side, text: string): boolean {
  const [period] = periodsIn(label);
  const rest = contentTerms(label);
  if (period !== undefined && rest.length <= 2)
    return periodsIn(text).some(
      (other) => comparePeriods(period, other) !== "different" && other.years.length > 0,
    );
  const own = new Set(words(text));
  return rest.length > 0 && rest.filter((term) => own.has(term)).length * 3 >= rest.length * 2;
}

const textOf = ({ chunk }: Pick<Hit, "chunk">): string =>
  [chunk.sourceName.replace(/[_./-]+/g, " "), chunk.title, ...chunk.headings, chunk.text].join("\n");

/**
 * Reorders the hits of a comparison so that both sides lead: the best of each in turn, then the rest in
 * order. Chat hits keep their positions.
 */
export function balanceSides(question: string, hits: readonly Hit[]): readonly Hit[] {
  const sides = sidesOf(question);
  if (sides.length < 2) return hits;
  const documents = hits.filter(({ chunk }) => chunk.method !== "chat");
  const queues = sides.map((side) => documents.filter((hit) => speaksOf(side, textOf(hit))));
  const turns = Math.max(...queues.map(({ length }) => length));
  const first = Array.from({ length: turns }, (_, at) => queues.flatMap((queue) => queue[at] ?? [])).flat();
  const balanced = [...new Set([...first, ...documents])].values();
  return hits.map((hit) => (hit.chunk.method === "chat" ? hit : (balanced.next().value ?? hit)));
}

/** What the passages say about a side. */
interface Said {
  readonly text: string;
  readonly marker: number;
  /** Whether it has half of the question's other terms. */
  readonly isAnswer: boolean;
}

/** Whether a text has half of the terms of a side's question, not counting its label. */
function speaksToRest({ label, query }: Side, text: string): boolean {
  const own = new Set(words(text));
  const rest = contentTerms(query).filter((term) => !contentTerms(label).includes(term));
  return rest.filter((term) => own.has(term)).length * 2 >= rest.length;
}

/** The sentence or row of the passages that says most about a side; null if none mentions it. */
function bestOf(side: Side, { passages }: Context): Said | null {
  const candidates = passages.flatMap((passage) =>
    sentences(passage.text)
      .filter((text) => text !== omission && !addressesAssistant(text))
      .map((text) => ({
        text,
        marker: passage.marker,
        isOf: speaksOf(side, text),
        isUnder: speaksOf(side, textOf(passage)),
      })),
  );
  const scores = rank(
    contentTerms(side.query),
    candidates.map(({ text }) => text),
  );
  const ranked = candidates
    .map((candidate, at) => ({
      ...candidate,
      score: (scores[at] ?? 0) * (candidate.isOf ? 2 : candidate.isUnder ? 1 : 0),
    }))
    .toSorted((left, right) => right.score - left.score);
  const [best] = ranked;
  if (best === undefined || best.score === 0) return null;
  const { text, marker } = best;
  return { text, marker, isAnswer: speaksToRest(side, text) };
}

/**
 * Lines that complete a comparison, one for each side the answer does not mention: the best cited sentence of
 * the passages, or that they say nothing. `shown`: the kept sentences of the answer, with the text they cite.
 */
export function missingSides(question: string, context: Context, shown: string): readonly string[] {
  const { sideMissing } = notesFor(question);
  return sidesOf(question).flatMap((side) => {
    if (shown !== "" && speaksOf(side, shown)) return [];
    const best = bestOf(side, context);
    // A remark on the other side can complete an answer, but is no answer on its own.
    if (best === null || (shown === "" && !best.isAnswer)) return [sideMissing(side.label)];
    return [`${side.label}: ${best.text} [${best.marker}]`];
  });
}
