import { alternatives } from "../../../language/languages.ts";
import { contentTerms } from "../../../language/terms.ts";
import { directionOf } from "./figures.ts";
import type { Witness } from "./witness.ts";

const negation = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ negations }) => negations)})(?![\\p{L}])`,
  "giu",
);

const plain = (text: string): string => text.replaceAll("’", "'");

const isNegation = (term: string): boolean => plain(term).match(negation) !== null;

const termsOf = (text: string): readonly string[] => contentTerms(text).filter((term) => !isNegation(term));

/**
 * How often a text turns round what another one says too: by the next term after the negation, or else the
 * last one before it. “Is no guarantee of wealth” turns nothing of a text that has no guarantee.
 */
function negationsOf(text: string, shared: ReadonlySet<string>): number {
  const written = plain(text);
  return [...written.matchAll(negation)].filter(({ index, 0: word }) => {
    const turned = termsOf(written.slice(index + word.length))[0] ?? termsOf(written.slice(0, index)).at(-1);
    return turned === undefined || shared.has(turned);
  }).length;
}

/** Whether two texts on the same matter say the opposite: by a negation more, or by going the other way. */
function contradict(one: string, other: string): boolean {
  const [way, otherWay] = [directionOf(one), directionOf(other)];
  const isTurned = way !== null && otherWay !== null && way !== otherWay;
  const shared = new Set(termsOf(one)).intersection(new Set(termsOf(other)));
  return (negationsOf(one, shared) % 2 !== negationsOf(other, shared) % 2) !== isTurned;
}

/** Share of the terms that a set has, in [0, 1]; 0 for no term. */
const shareOf = (terms: readonly string[], held: ReadonlySet<string>): number =>
  terms.length === 0 ? 0 : terms.filter((term) => held.has(term)).length / terms.length;

/** Share of a statement's terms, and of the sentence's, from which both say the same or the opposite. */
const sameMatter = { statement: 0.75, sentence: 0.5 } as const;

/**
 * Whether the passages say the opposite of a statement: the sentence that holds most of its words
 * contradicts it, and no sentence that holds as many agrees with it.
 */
export function isReversed(statement: string, witnesses: readonly Witness[]): boolean {
  const terms = termsOf(statement);
  if (terms.length < 2) return false;
  const own = new Set(terms);
  const held = witnesses
    .flatMap((witness) => witness.sentences)
    .filter((sentence) => !sentence.includes(" | "))
    .map((sentence) => {
      const told = termsOf(sentence);
      return {
        statement: shareOf(terms, new Set(told)),
        sentence: shareOf(told, own),
        sentenceText: sentence,
      };
    })
    .filter((match) => match.statement >= sameMatter.statement && match.sentence >= sameMatter.sentence);
  const most = Math.max(0, ...held.map((match) => match.statement));
  const nearest = held.filter((match) => match.statement === most);
  return nearest.length > 0 && nearest.every(({ sentenceText }) => contradict(statement, sentenceText));
}
