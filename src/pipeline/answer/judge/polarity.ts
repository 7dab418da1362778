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

/**
 * Replaces phrases for switching on or off by one word each, because their particles would be lost as stop
 * words.
 */
const withSwitches = (text: string): string =>
  text.replace(switchedOn, " enabled ").replace(switchedOff, " disabled ");

const withAffirmations = (text: string): readonly string[] =>
  contentTerms(withSwitches(plain(text)).replace(negation, " "));

/** The terms of a text without the words that only affirm or deny. */
export const termsOf = (text: string): readonly string[] => withAffirmations(text.replace(affirmation, " "));

/** Prefixes that turn a word into its opposite: `unpaid`. */
const opposing = ["un", "non", "in", "im", "dis"] as const;
/** Shortest word that a prefix can turn, in letters. */
const leastTurned = 4;

/** The word pairs of a list, each as the forms of one word and those of the other. */
const pairsOf = (list: readonly string[]): readonly (readonly (readonly string[])[])[] =>
  list.map((pair) => pair.split("/").map((forms) => forms.split("|")));

/** Word → its opposites, all as terms. */
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
 * Number of negations that apply to something both texts say: to the next term of the clause after the
 * negation, otherwise to the last one before it. “Is no guarantee of wealth” negates nothing of a text
 * without a guarantee. An exception also activates the negations before it.
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
    // “Not allowed at work” applies to what precedes it, like “prohibited”.
    if (new Set(turned).size > 1) turned.push(...termsOf(before).slice(-1));
    if (turned.length > 0 && !turned.some((term) => shared.has(term))) idle += 1;
    else turning += 1 + (exception.test(word) ? idle : 0);
  }
  return turning;
}

/** The terms of a text whose opposite another text has and it has not, each paired with that opposite. */
const turnedIn = (own: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[][] =>
  [...own].flatMap((term) => {
    const opposite = upright(term, others);
    return opposite === term || own.has(opposite) ? [] : [[term, opposite]];
  });

/**
 * Whether two texts on the same subject contradict each other: by an odd negation, an opposite direction, or
 * an antonym.
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

/** Share of the terms that a set contains, in [0, 1]; 0 for no terms. */
const shareOf = (terms: readonly string[], held: ReadonlySet<string>): number =>
  terms.length === 0 ? 0 : terms.filter((term) => held.has(term)).length / terms.length;

/** Share of a statement's terms, and of the sentence's, from which the two are comparable. */
const sameMatter = { statement: 0.75, sentence: 0.5 } as const;

/**
 * Whether the passages contradict a statement: the sentence with most of its words contradicts it, and no
 * sentence with as many agrees.
 */
function isReversed(statement: string, witnesses: readonly Witness[]): boolean {
  const terms = termsOf(statement);
  if (terms.length < 2) return false;
  const own = new Set(terms);
  const held = witnesses
    .flatMap((witness) => witness.sentences)
    .filter((sentence) => !sentence.includes(" | "))
    .map((sentence) => {
      const sentenceTerms = new Set(termsOf(sentence));
      return {
        statement: shareOf(
          terms.map((term) => upright(term, sentenceTerms)),
          sentenceTerms.union(new Set([...sentenceTerms].map((term) => upright(term, own)))),
        ),
        sentence: shareOf(
          [...sentenceTerms].map((term) => upright(term, own)),
          own.union(new Set(terms.map((term) => upright(term, sentenceTerms)))),
        ),
        sentenceText: sentence,
      };
    })
    .filter((match) => match.statement >= sameMatter.statement && match.sentence >= sameMatter.sentence);
  const most = Math.max(0, ...held.map((match) => match.statement));
  const nearest = held.filter((match) => match.statement === most);
  return nearest.length > 0 && nearest.every(({ sentenceText }) => contradict(statement, sentenceText));
}

/**
 * Why a statement is unsupported: the passages say the opposite. A verbatim quote is exempt. Null otherwise.
 */
export function isOpposed({ asked, text, cited, where }: Claim): string | null {
  const isQuoted = cited.some((witness) => witness.text.includes(text));
  return !isQuoted && isReversed(text, cited) ? asked.notes.judged.opposite(where) : null;
}

/**
 * Terms of a statement that only deny or allow (`prohibited`), if a passage says the same in other words
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

/** Whether an answer opens with yes. */
export const isYes = (text: string): boolean => yes.test(text);

/** Share of a question's terms in a sentence that answers it with yes or no. */
const answeringShare = 0.75;

/** Whether a text denies the question, leaving out the negations that both have: `prohibited`. */
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
 * Why a yes is unsupported: the statement itself denies what the question asks, or else its passages do, as
 * in “Yes, every six months instead of yearly” for “Is it yearly?”. Only the sentences with most of the
 * question count. Null otherwise.
 */
export function deniesYes({ bare, asked, cited, where }: Claim): string | null {
  if (!yes.test(bare.normalize("NFC"))) return null;
  const reason = asked.notes.judged.denied(where);
  const question = asked.affirmed;
  const kept = new Set(termsOf(question));
  const topic = asked.alternatives.filter(([term = ""]) => kept.has(term));
  const held = (text: string): number => {
    const ownTerms = new Set(termsOf(text).map((term) => upright(term, kept)));
    return topic.filter((forms) => forms.some((form) => ownTerms.has(form))).length;
  };
  const least = Math.max(1, topic.length * answeringShare);
  const statement = bare.replace(yes, "");
  if (held(statement) >= least) return denies(statement, question) ? reason : null;
  const all = cited.flatMap(({ sentences }) => sentences).filter((text) => !text.includes(" | "));
  const most = Math.max(least, ...all.map(held));
  const nearest = all.filter((text) => held(text) >= most);
  return nearest.length > 0 && nearest.every((text) => denies(text, question)) ? reason : null;
}
