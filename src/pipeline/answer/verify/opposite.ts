import { hasRow } from "../../../core/documents/table-text.ts";
import { directionOf } from "../../../language/asking/changes.ts";
import { alternation, alternatives, languages, parseWords } from "../../../language/languages.ts";
import { contentTerms, isNumber, stem, words } from "../../../language/terms.ts";
import type { CheckedPassage } from "../check/evidence.ts";
import { partShare, subjectOverlapShares } from "../check/thresholds.ts";

const exceptions = alternatives((language) => language.exceptions);
const exception = new RegExp(`^(?:${exceptions})$`, "iu");
const allOf = (forms: string): RegExp => new RegExp(alternation(forms), "giu");
const negation = allOf(`${alternatives(({ negations }) => negations)}|${exceptions}`);
const affirmation = allOf(alternatives(({ affirmations }) => affirmations));
const switchedOn = allOf(alternatives(({ switches }) => switches?.on));
const switchedOff = allOf(alternatives(({ switches }) => switches?.off));

const plain = (text: string): string => text.replaceAll("’", "'");

/**
 * Replaces phrases for switching on or off by one word each, because their particles would be lost as stop
 * words.
 */
const withSwitches = (text: string): string =>
  text.replace(switchedOn, " enabled ").replace(switchedOff, " disabled ");

const withAffirmations = (text: string): readonly string[] =>
  contentTerms(withSwitches(plain(text)).replace(negation, " "));

/** The terms of a text without the words that only affirm or deny. */
const termsOf = (text: string): readonly string[] => withAffirmations(text.replace(affirmation, " "));

/** Prefixes that turn a word into its opposite: `unpaid`. */
const opposing = ["un", "non", "in", "im", "dis"] as const;
/** Shortest word that a prefix can turn, in letters. */
const leastTurned = 4;

/** The word pairs of a list, each as the forms of one word and those of the other. */
const pairsOf = (list: readonly string[]): readonly (readonly (readonly string[])[])[] =>
  list.map((pair) => pair.split("/").map((forms) => forms.split("|")));

/** Word → its opposites, all as terms. */
const opposites: ReadonlyMap<string, readonly string[]> = new Map(
  pairsOf(languages.flatMap((language) => parseWords(language.opposites))).flatMap((pair) => {
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

/** A yes or no before the rest of a sentence. */
const opener = new RegExp(
  `^(?:${alternatives((language) => language.yes)}|${alternatives((language) => language.no)})(?:\\s{0,2}[,.:;!–-]{1,3}\\s{0,2}|$)`,
  "iu",
);

/** The terms of a text that are no numbers. */
const subjectOf = (text: string): readonly string[] => contentTerms(text).filter((term) => !isNumber(term));

const shareIn = (terms: readonly string[], line: string): number => {
  const own = new Set(words(line));
  return terms.filter((term) => own.has(term)).length / Math.max(1, terms.length);
};

/** Whether a sentence has mostly the words of a statement. */
function isNear(statement: string, terms: readonly string[], line: string): boolean {
  const [own, other] = [shareIn(terms, line), shareIn(subjectOf(line), statement)];
  const { larger, smaller } = subjectOverlapShares;
  return own === 1 ? other >= partShare : Math.min(own, other) >= smaller && Math.max(own, other) >= larger;
}

/** The sentence of a passage with most words of a statement, if it says the opposite; null otherwise. */
export function oppositeIn(statement: string, { sentences, text }: CheckedPassage): string | null {
  if (text.includes(statement)) return null;
  const terms = subjectOf(statement);
  const [quote] = sentences()
    .filter((line) => !hasRow(line) && isNear(statement, terms, line))
    .toSorted((one, other) => shareIn(terms, other) - shareIn(terms, one));
  return quote !== undefined && contradict(statement, quote.replace(opener, "")) ? quote : null;
}
