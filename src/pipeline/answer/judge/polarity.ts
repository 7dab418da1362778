import { alternatives, languages, listed } from "../../../language/languages.ts";
import { contentTerms, isNumber, isStopWord, isYear, stem, words } from "../../../language/terms.ts";
import type { Question } from "../question.ts";
import { directionOf } from "./figures/figures.ts";
import type { Witness } from "./witness.ts";

const exceptions = alternatives((language) => language.exceptions);
const exception = new RegExp(`^(?:${exceptions})$`, "iu");
const negation = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ negations }) => negations)}|${exceptions})(?![\\p{L}])`,
  "giu",
);

const plain = (text: string): string => text.replaceAll("’", "'");

const questionEnd = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ questionEnds }) => questionEnds)})\\s{0,2}[?？]*\\s*$`,
  "iu",
);

/** A question without what only makes one of it: `không`. */
export const withoutQuestionEnd = (question: string): string =>
  question.normalize("NFC").replace(questionEnd, "");

/** Whether a text denies what it says, by an odd number of negations. */
export const isNegated = (text: string): boolean => (plain(text).match(negation) ?? []).length % 2 === 1;

const affirmation = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ affirmations }) => affirmations)})(?![\\p{L}])`,
  "giu",
);

const switched = (forms: string): RegExp => new RegExp(`(?<![\\p{L}])(?:${forms})(?![\\p{L}])`, "giu");
const switchedOn = switched(alternatives(({ switches }) => switches?.on));
const switchedOff = switched(alternatives(({ switches }) => switches?.off));

/** A text with one word for several by which something is set going or stopped, whose small word would be lost. */
const withSwitches = (text: string): string =>
  text.replace(switchedOn, " enabled ").replace(switchedOff, " disabled ");

const withAffirmations = (text: string): readonly string[] =>
  contentTerms(withSwitches(plain(text)).replace(negation, " "));

/** The terms of a text without the words that only say whether it is so. */
export const termsOf = (text: string): readonly string[] => withAffirmations(text.replace(affirmation, " "));

/** Before a word of which it makes the opposite: `unpaid`. */
const opposing = ["un", "non", "in", "im", "dis"] as const;
/** Letters of the shortest such word. */
const leastTurned = 4;

/** The pairs of a list, each as the forms of one word and those of the other. */
const pairsOf = (list: readonly string[]): readonly (readonly (readonly string[])[])[] =>
  list.map((pair) => pair.split("/").map((forms) => forms.split("|")));

/** Word → the words of which it says the opposite, all as terms. */
const opposites: ReadonlyMap<string, readonly string[]> = new Map(
  pairsOf(languages.flatMap((language) => listed(language.opposites))).flatMap((pair) => {
    const [one = [], other = []] = pair.map((forms) => forms.map(stem));
    return [...one.map((word) => [word, other] as const), ...other.map((word) => [word, one] as const)];
  }),
);

/** Words that say the same before a noun, and those that say the opposite. */
interface Comparison {
  readonly same: readonly string[];
  readonly opposite: readonly string[];
}

const comparatives: ReadonlyMap<string, Comparison> = new Map(
  pairsOf(languages.flatMap(({ comparatives: list }) => listed(list))).flatMap(([one = [], other = []]) => [
    ...one.map((word) => [word, { same: one, opposite: other }] as const),
    ...other.map((word) => [word, { same: other, opposite: one }] as const),
  ]),
);

/** A term, or the one of these that it is the opposite of: `unpaid` → `paid`, `closed` → `open`. */
function upright(term: string, others: ReadonlySet<string>): string {
  const opposite = others.has(term) ? undefined : opposites.get(term)?.find((other) => others.has(other));
  if (opposite !== undefined) return opposite;
  const bases = others.has(term) ? [] : opposing.filter((prefix) => term.startsWith(prefix));
  const rests = bases.map((prefix) => term.slice(prefix.length)).filter((rest) => rest.length >= leastTurned);
  return rests.flatMap((rest) => [rest, stem(rest)]).find((rest) => others.has(rest)) ?? term;
}

const clauseEnd = /[,;:](?!\d)/;

/**
 * How often a text turns round what another one says too: by the next term of the clause after the negation, or
 * else the last one before it. “Is no guarantee of wealth” turns nothing of a text that has no guarantee.
 * An exception turns round the negations before it as well.
 */
function negationsOf(text: string, shared: ReadonlySet<string>): number {
  const written = plain(text);
  let [turning, idle] = [0, 0];
  for (const { index, 0: word } of written.matchAll(negation)) {
    const before = written.slice(0, index).split(clauseEnd).at(-1) ?? "";
    const [behind = ""] = written.slice(index + word.length).split(clauseEnd, 1);
    const turned = [withAffirmations, termsOf].flatMap(
      (read) => read(behind)[0] ?? read(before).at(-1) ?? [],
    );
    // “Not allowed at work” is said of what stands before it, as “prohibited” is.
    if (new Set(turned).size > 1) turned.push(...termsOf(before).slice(-1));
    if (turned.length > 0 && !turned.some((term) => shared.has(term))) idle += 1;
    else turning += 1 + (exception.test(word) ? idle : 0);
  }
  return turning;
}

/** The terms of a text of which another one has the opposite and it has not, each with that. */
const turnedIn = (own: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[][] =>
  [...own].flatMap((term) => {
    const opposite = upright(term, others);
    return opposite === term || own.has(opposite) ? [] : [[term, opposite]];
  });

/**
 * Whether two texts on the same matter say the opposite: by a negation more, by going the other way, or by a word
 * that is the other's opposite.
 */
function contradict(one: string, other: string): boolean {
  const [way, otherWay] = [directionOf(one), directionOf(other)];
  const isTurned = way !== null && otherWay !== null && way !== otherWay;
  const [own, others] = [new Set(termsOf(one)), new Set(termsOf(other))];
  const turned = [...turnedIn(own, others), ...turnedIn(others, own)];
  const pairs = new Set(turned.map((pair) => pair.toSorted().join(" ")));
  const both = new Set(withAffirmations(one)).intersection(new Set(withAffirmations(other)));
  const shared = new Set([...both, ...turned.flat()]);
  const negations = negationsOf(one, shared) + negationsOf(other, shared) + pairs.size;
  return (negations % 2 === 1) !== isTurned;
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
function isReversed(statement: string, witnesses: readonly Witness[]): boolean {
  const terms = termsOf(statement);
  if (terms.length < 2) return false;
  const own = new Set(terms);
  const held = witnesses
    .flatMap((witness) => witness.sentences)
    .filter((sentence) => !sentence.includes(" | "))
    .map((sentence) => {
      const told = new Set(termsOf(sentence));
      return {
        statement: shareOf(
          terms.map((term) => upright(term, told)),
          told.union(new Set([...told].map((term) => upright(term, own)))),
        ),
        sentence: shareOf(
          [...told].map((term) => upright(term, own)),
          own.union(new Set(terms.map((term) => upright(term, told)))),
        ),
        sentenceText: sentence,
      };
    })
    .filter((match) => match.statement >= sameMatter.statement && match.sentence >= sameMatter.sentence);
  const most = Math.max(0, ...held.map((match) => match.statement));
  const nearest = held.filter((match) => match.statement === most);
  return nearest.length > 0 && nearest.every(({ sentenceText }) => contradict(statement, sentenceText));
}

/** Share of a statement's terms in a sentence that says the opposite of one of its words. */
const oppositeShare = 0.6;

/** The terms directly before and behind a term, wherever it stands in a text. */
function besideTerm(term: string, text: string): ReadonlySet<string> {
  const known = new Set(termsOf(text));
  const all = words(withSwitches(plain(text))).filter((word) => known.has(word));
  return new Set(all.flatMap((word, at) => (word === term ? all.slice(Math.max(0, at - 1), at + 2) : [])));
}

/** Whether something goes on in a sentence until what a statement speaks of: there the opposite begins. */
function endsAt(sentence: string, terms: readonly string[]): boolean {
  const [, ...points] = sentence.split(/(?<!\p{L})(?:until|till|bis|đến khi|jusqu)/iu);
  const own = new Set(termsOf(points.join(" ")));
  return terms.some((term) => own.has(term));
}

/**
 * Whether a sentence that has most of a statement says of the same thing a word of the opposite meaning: “the timer
 * starts the pump in the morning” of “it stops the pump in the morning”, whatever else both say. What another
 * sentence says as the statement does is not opposed.
 */
function saysOpposite(statement: string, witnesses: readonly Witness[]): boolean {
  const terms = termsOf(statement);
  const told = witnesses
    .flatMap((witness) => witness.sentences)
    .filter((sentence) => !sentence.includes(" | ") && !endsAt(sentence, terms))
    .map((sentence) => ({ sentence, own: new Set(termsOf(sentence)) }));
  return terms.some((term) => {
    const turned = opposites.get(term) ?? [];
    if (turned.length === 0) return false;
    const beside = besideTerm(term, statement).difference(new Set([term]));
    const isSaid = (word: string, sentence: string): boolean =>
      !besideTerm(word, sentence).isDisjointFrom(beside);
    if (told.some(({ sentence, own }) => own.has(term) && isSaid(term, sentence))) return false;
    return told.some(({ sentence, own }) => {
      const share = shareOf(
        terms.map((one) => upright(one, own)),
        own,
      );
      return (
        share >= oppositeShare &&
        !own.has(term) &&
        isNegated(sentence) === isNegated(statement) &&
        turned.some((word) => own.has(word) && isSaid(word, sentence))
      );
    });
  });
}

const isTelling = (word: string): boolean => /^\p{L}/u.test(word) && !isStopWord(word);

/** Behind each of these words the one or two before the next small word: `sales volumes` of “higher sales volumes”. */
function nounsBehind(comparing: readonly string[], text: string): readonly ReadonlySet<string>[] {
  const all =
    text
      .normalize("NFC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+|[^\s]/gu) ?? [];
  return all.flatMap((word, at) => {
    const [first = "", second = ""] = all.slice(at + 1, at + 3);
    if (!comparing.includes(word) || !isTelling(first)) return [];
    return [new Set([first, ...(isTelling(second) ? [second] : [])].map(stem))];
  });
}

/**
 * Whether a sentence that has most of a statement, and its numbers, says that there is less of what there is more of
 * there (`lower volumes` of `higher volumes`), or the other way round, and none says it as the statement does. Where
 * something goes as a whole is told by `contradict`: this is about one noun of several.
 */
function exchangesComparison(statement: string, witnesses: readonly Witness[]): boolean {
  const said = new Set(
    statement
      .normalize("NFC")
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [],
  );
  const compared = [...said].flatMap((word) => comparatives.get(word) ?? []);
  if (compared.length === 0) return false;
  const terms = termsOf(statement);
  const all = witnesses.flatMap((witness) => witness.sentences);
  const near = all.filter((sentence) => {
    const own = new Set(contentTerms(sentence));
    return shareOf(terms, own) >= oppositeShare && terms.every((term) => !isNumber(term) || own.has(term));
  });
  return compared.some(({ same, opposite }) =>
    nounsBehind(same, statement).some((nouns) => {
      const isOf = (of: readonly string[], sentence: string): boolean =>
        nounsBehind(of, sentence).some((own) => !own.isDisjointFrom(nouns));
      return (
        !all.some((sentence) => isOf(same, sentence)) && near.some((sentence) => isOf(opposite, sentence))
      );
    }),
  );
}

/** What says the opposite of a term: words of the opposite meaning, and the term turned round (`unfavorable`). */
const turnedForms = (term: string): readonly string[] => [
  ...(opposites.get(term) ?? []),
  ...(term.length < leastTurned ? [] : opposing.map((prefix) => `${prefix}${term}`)),
];

/**
 * Whether the figure of a statement is said of the opposite alone: “views became favorable by 26 points” of sentences
 * which have 26 points of unfavorable views only.
 */
function hasFigureOfOpposite(statement: string, witnesses: readonly Witness[]): boolean {
  const terms = termsOf(statement);
  const told = witnesses
    .flatMap((witness) => witness.sentences)
    .map((sentence) => ({ sentence, own: new Set(termsOf(sentence)) }));
  const turned = terms.filter((term) => !isNumber(term)).map((term) => ({ term, forms: turnedForms(term) }));
  return terms.filter(isNumber).some((figure) => {
    const saying = told.filter(({ own }) => own.has(figure));
    if (saying.length === 0 || isYear(figure)) return false;
    return turned.some(({ term, forms }) => {
      const beside = besideTerm(term, statement).difference(new Set([term]));
      return saying.every(
        ({ sentence, own }) =>
          !sentence.includes(" | ") &&
          !own.has(term) &&
          forms.some((form) => own.has(form) && !besideTerm(form, sentence).isDisjointFrom(beside)),
      );
    });
  });
}

/** Whether passages say the opposite of a statement, as a whole or by a word; not of what stands in them as it is. */
export const isOpposed = (statement: string, witnesses: readonly Witness[]): boolean =>
  !witnesses.some(({ text }) => text.includes(statement)) &&
  (isReversed(statement, witnesses) ||
    saysOpposite(statement, witnesses) ||
    hasFigureOfOpposite(statement, witnesses) ||
    exchangesComparison(statement, witnesses));

/**
 * The terms by which a statement only denies or allows (`prohibited`), where a passage says the same in other words
 * (`not allowed`).
 */
export function heldPolarity(statement: string, witnesses: readonly Witness[]): readonly string[] {
  const terms = termsOf(statement);
  const polar = contentTerms(plain(statement)).filter((term) => !terms.includes(term));
  const saysSame = (text: string): boolean =>
    shareOf(terms, new Set(termsOf(text))) >= sameMatter.statement &&
    contentTerms(plain(text)).length > termsOf(text).length &&
    !contradict(statement, text);
  return polar.length > 0 && witnesses.some(({ sentences }) => sentences.some(saysSame)) ? polar : [];
}

/** Opens an answer that says yes. */
export const yes = new RegExp(
  `^(?:${alternatives((language) => language.yes)})\\s{0,2}(?:[,.:;!–-]|$)`,
  "iu",
);

/** Share of a question's terms in a sentence that answers it with yes or no. */
const answeringShare = 0.75;

/** Whether a text denies what a question asks, by more than the negations that both have: `prohibited`. */
function denies(text: string, question: string): boolean {
  const lower = (of: string): ReadonlySet<string> =>
    new Set(
      plain(of)
        .match(negation)
        ?.map((word) => word.toLowerCase()),
    );
  const both = lower(text).intersection(lower(question));
  const rest = (of: string): string =>
    plain(of).replace(negation, (word) => (both.has(word.toLowerCase()) ? " " : word));
  return contradict(rest(question), rest(text));
}

/**
 * Whether a statement says yes to what it denies itself, or else to what its passages deny: “Yes, every six months
 * instead of yearly” to “Is it yearly?”. Of the sentences of the passages, those with most of the question count.
 */
export function deniesYes(bare: string, asked: Question, witnesses: readonly Witness[]): boolean {
  if (asked.kind !== "yes_no" || !yes.test(bare.normalize("NFC"))) return false;
  const question = withoutQuestionEnd(asked.text);
  const kept = new Set(termsOf(question));
  const topic = asked.alternatives.filter(([term = ""]) => kept.has(term));
  const held = (text: string): number => {
    const told = new Set(termsOf(text).map((term) => upright(term, kept)));
    return topic.filter((forms) => forms.some((form) => told.has(form))).length;
  };
  const least = Math.max(1, topic.length * answeringShare);
  const told = bare.replace(yes, "");
  if (held(told) >= least) return denies(told, question);
  const all = witnesses.flatMap(({ sentences }) => sentences).filter((text) => !text.includes(" | "));
  const most = Math.max(least, ...all.map(held));
  const nearest = all.filter((text) => held(text) >= most);
  return nearest.length > 0 && nearest.every((text) => denies(text, question));
}
