import { directionOf } from "../../../language/asking/changes.ts";
import { alternatives, languages, listed } from "../../../language/languages.ts";
import { contentTerms, stem } from "../../../language/terms.ts";
import type { Claim } from "./claim.ts";
import type { Witness } from "./witness.ts";

const exceptions = alternatives((language) => language.exceptions);
const exception = new RegExp(`^(?:${exceptions})$`, "iu");
const negation = new RegExp(
  `(?<![\\p{L}])(?:${alternatives(({ negations }) => negations)}|${exceptions})(?![\\p{L}])`,
  "giu",
);

const plain = (text: string): string => text.replaceAll("’", "'");

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
export function contradict(one: string, other: string): boolean {
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

/** Whether passages say the opposite of a statement, but not of what stands in them as it is. */
export function isOpposed({ asked, text, cited, where }: Claim): string | null {
  const isQuoted = cited.some((witness) => witness.text.includes(text));
  return !isQuoted && isReversed(text, cited) ? asked.notes.judged.opposite(where) : null;
}

/**
 * The terms by which a statement only denies or allows (`prohibited`), where a passage says the same in other words
 * (`not allowed`).
 */
export function heldPolarity({ text, cited }: Claim): readonly string[] {
  const terms = termsOf(text);
  const polar = contentTerms(plain(text)).filter((term) => !terms.includes(term));
  const saysSame = (sentence: string): boolean =>
    shareOf(terms, new Set(termsOf(sentence))) >= sameMatter.statement &&
    contentTerms(plain(sentence)).length > termsOf(sentence).length &&
    !contradict(text, sentence);
  return polar.length > 0 && cited.some(({ sentences }) => sentences.some(saysSame)) ? polar : [];
}

const yes = new RegExp(`^(?:${alternatives((language) => language.yes)})\\s{0,2}(?:[,.:;!–-]|$)`, "iu");

/** Whether an answer opens with a yes. */
export const isYes = (text: string): boolean => yes.test(text);

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
export function deniesYes({ bare, asked, cited, where }: Claim): string | null {
  if (!yes.test(bare.normalize("NFC"))) return null;
  const reason = asked.notes.judged.denied(where);
  const question = asked.affirmed;
  const kept = new Set(termsOf(question));
  const topic = asked.alternatives.filter(([term = ""]) => kept.has(term));
  const held = (text: string): number => {
    const told = new Set(termsOf(text).map((term) => upright(term, kept)));
    return topic.filter((forms) => forms.some((form) => told.has(form))).length;
  };
  const least = Math.max(1, topic.length * answeringShare);
  const told = bare.replace(yes, "");
  if (held(told) >= least) return denies(told, question) ? reason : null;
  const all = cited.flatMap(({ sentences }) => sentences).filter((text) => !text.includes(" | "));
  const most = Math.max(least, ...all.map(held));
  const nearest = all.filter((text) => held(text) >= most);
  return nearest.length > 0 && nearest.every((text) => denies(text, question)) ? reason : null;
}
