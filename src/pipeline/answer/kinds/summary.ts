import type { Chunk } from "../../../core/documents/chunk.ts";
import { sectionsOf } from "../../../core/documents/sections.ts";
import { hasRow } from "../../../core/documents/table-text.ts";
import type { Hit } from "../../../core/retrieval.ts";
import { alternatives } from "../../../language/languages.ts";
import { sentences } from "../../../language/sentences.ts";
import { contentTerms } from "../../../language/terms.ts";
import { headTokens } from "../context.ts";
import { isPromptInjection } from "../injection/injection.ts";

export interface SummaryOptions {
  /** Budget for all passages, in tokens of `count`. */
  readonly maxTokens: number;
  /** Most passages to split the sentences over, in reading order. */
  readonly maxPassages: number;
  /** Tokens of a text. */
  readonly count: (text: string) => number;
}

/** Sections about the document, its makers or the law rather than its subject. */
const boilerplate = new RegExp(
  `^(?:[\\d.]{1,8}\\s)?(?:${alternatives(({ boilerplate: words }) => words)})(?![\\p{L}])`,
  "iu",
);

/** Headings of sections where the author sums up. */
const summing = new RegExp(
  `^(?:[\\divx]{1,8}[.)]?\\s)?(?:${alternatives(({ summaries }) => summaries?.headings)})[\\s.:]{0,3}$`,
  "iu",
);

interface Sentence {
  readonly text: string;
  readonly terms: readonly string[];
  /** Index of its section in the outline. */
  readonly section: number;
  readonly chunk: Chunk;
  /** Index in the document. */
  readonly at: number;
  readonly isFirst: boolean;
  /** Whether its section sums up the document. */
  readonly isSumming: boolean;
}

/** Word limits for a representative sentence: shorter ones are fragments, longer ones run-on tables. */
const length = { least: 5, most: 60 } as const;

/** Two adjacent cells of numbers, with nothing between them. */
const cells = /(?<!\S)[$€£]?\d[\d.,]{0,12}%? [$€£]?\d[\d.,]{0,12}%?(?!\S)/;

/**
 * Whether a sentence can represent its section: it is no fragment, row, heading or boilerplate, and does not
 * address an assistant.
 */
function canCarry(text: string, { headings }: Chunk): boolean {
  const words = text.split(/\s+/).length;
  const isSentence = words >= length.least && words <= length.most && !hasRow(text) && !cells.test(text);
  return isSentence && !headings.includes(text) && !boilerplate.test(text) && !isPromptInjection(text);
}

/** Candidate sentences of the document, without fragments, rows, repeated page headers or boilerplate. */
function carriers(chunks: readonly Chunk[]): Sentence[] {
  const outline: string[] = [];
  const seen = new Map<string, number>();
  const found: Sentence[] = [];
  const inOrder = chunks.toSorted((left, right) => left.ordinal - right.ordinal);
  for (const chunk of inOrder.flatMap(sectionsOf)) {
    const path = JSON.stringify(chunk.headings);
    if (outline.at(-1) !== path) outline.push(path);
    if (chunk.headings.some((heading) => boilerplate.test(heading.trim()))) continue;
    const isSumming = summing.test(chunk.headings.at(-1)?.trim() ?? "");
    for (const [index, text] of sentences(chunk.text).entries()) {
      seen.set(text, (seen.get(text) ?? 0) + 1);
      if (!canCarry(text, chunk)) continue;
      const place = {
        section: outline.length - 1,
        chunk,
        at: found.length,
        isFirst: index <= chunk.headings.length,
        isSumming,
      };
      found.push({ text, terms: contentTerms(text), ...place });
    }
  }
  return wholeFirst(found.filter(({ text }) => (seen.get(text) ?? 0) < 3));
}

/**
 * A list item, or text that begins and ends like a sentence; excludes halves cut by a page break or formula.
 */
const whole = /^(?:[•▪●◦–*+-]|\d{1,2}[.)]) \S|^["“„(«]?[^\p{Ll}\p{P}\s][\s\S]*[.!?。！？]["”’)]?$/u;

/** The whole sentences and items of each section; all lines of a section without any. */
function wholeFirst(found: readonly Sentence[]): Sentence[] {
  const isWhole = ({ text }: Sentence): boolean => whole.test(text);
  const withWhole = new Set(found.filter(isWhole).map(({ section }) => section));
  return found.filter((sentence) => isWhole(sentence) || !withWhole.has(sentence.section));
}

/** Weight factor for a section's first sentence, which usually introduces it. */
const firstWeight = 1.3;

/** Largest share of the budget for summarising sections before others are considered. */
const summingShare = 0.5;

/**
 * Picks the sentences that summarise a document, section by section:
 * 1. those of summarising sections, in order, up to half of the budget;
 * 2. a term's weight is its share of the document's terms; a sentence's is the mean of its terms' weights;
 * 3. sections take turns with their highest-weighted sentence; the weights of its terms are then squared, so
 *    that the next sentence adds something new;
 * 4. until the budget is full or no sentence is left.
 * Source of the weights: SumBasic, Nenkova and Vanderwende 2005; the author's summaries and the turns are
 * ours.
 */
function pick(all: readonly Sentence[], { maxTokens, count }: SummaryOptions): readonly Sentence[] {
  const total = all.reduce((sum, { terms }) => sum + terms.length, 0);
  const weights = new Map<string, number>();
  for (const term of all.flatMap(({ terms }) => terms))
    weights.set(term, (weights.get(term) ?? 0) + 1 / total);
  const weightOf = ({ terms, isFirst }: Sentence): number =>
    (terms.reduce((sum, term) => sum + (weights.get(term) ?? 0), 0) / Math.max(1, terms.length)) *
    (isFirst ? firstWeight : 1);
  const taken: Sentence[] = [];
  let used = 0;
  const take = (sentence: Sentence, budget: number): void => {
    const cost = count(sentence.text) + 1;
    if (used + cost > budget) return;
    used += cost;
    taken.push(sentence);
    for (const term of sentence.terms) weights.set(term, (weights.get(term) ?? 0) ** 2);
  };
  for (const sentence of all.filter(({ isSumming }) => isSumming)) take(sentence, maxTokens * summingShare);

  const open = all.filter(({ isSumming }) => !isSumming);
  // Large sections first: if the budget ends in the first round, small ones are left out.
  let sections = [...Map.groupBy(open, ({ section }) => section).values()].toSorted(
    (left, right) => right.length - left.length,
  );
  while (sections.length > 0 && used < maxTokens) {
    sections = sections.flatMap((section) => {
      const best = section.toSorted((left, right) => weightOf(right) - weightOf(left))[0];
      if (best === undefined) return [];
      take(best, maxTokens);
      return [section.filter((sentence) => sentence !== best)];
    });
  }
  return taken.toSorted((left, right) => left.at - right.at);
}

/**
 * Passages to summarise a document by: sentences that represent its sections, in reading order, at most
 * `maxPassages` and within the budget.
 */
export function summaryHits(chunks: readonly Chunk[], options: SummaryOptions): readonly Hit[] {
  const maxTokens = options.maxTokens - options.maxPassages * headTokens;
  const picked = pick(carriers(chunks), { ...options, maxTokens });
  const size = Math.max(1, Math.ceil(picked.length / options.maxPassages));
  const groups = Array.from({ length: Math.ceil(picked.length / size) }, (_, at) =>
    picked.slice(at * size, (at + 1) * size),
  );
  return groups.flatMap((group): Hit[] => {
    const [first] = group;
    if (first === undefined) return [];
    const pages = [...new Set(group.flatMap(({ chunk }) => chunk.pages))].toSorted(
      (left, right) => left - right,
    );
    const sections = new Set(group.map(({ section }) => section));
    const headings = sections.size === 1 ? first.chunk.headings : first.chunk.headings.slice(0, 1);
    const text = group.map((sentence) => sentence.text).join("\n");
    return [{ chunk: { ...first.chunk, headings, pages, text }, score: 1, via: "fused" }];
  });
}
