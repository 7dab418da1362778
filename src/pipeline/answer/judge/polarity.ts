import { alternatives } from "../../../language/languages.ts";
import { contentTerms } from "../../../language/terms.ts";
import { directionOf } from "./figures.ts";
import type { Witness } from "./witness.ts";

const negation = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ negations }) => negations)})(?![\\p{L}])`,
  "giu",
);

/** How often a text turns its sense round. */
const negationsIn = (text: string): number => text.replaceAll("’", "'").match(negation)?.length ?? 0;

const isNegation = (term: string): boolean => negationsIn(term) > 0;

/** Whether two texts on the same matter say the opposite: by a negation more, or by going the other way. */
function contradict(one: string, other: string): boolean {
  const [way, otherWay] = [directionOf(one), directionOf(other)];
  const isTurned = way !== null && otherWay !== null && way !== otherWay;
  return (negationsIn(one) % 2 !== negationsIn(other) % 2) !== isTurned;
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
  const terms = contentTerms(statement).filter((term) => !isNegation(term));
  if (terms.length < 2) return false;
  const own = new Set(terms);
  const held = witnesses
    .flatMap((witness) => witness.sentences)
    .filter((sentence) => !sentence.includes(" | "))
    .map((sentence) => {
      const told = contentTerms(sentence).filter((term) => !isNegation(term));
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
