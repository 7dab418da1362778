import { holdsValue } from "../../../language/asking/values.ts";
import { alternatives, isGerman } from "../../../language/languages.ts";
import { quantitiesIn, stands } from "../../../language/quantities.ts";
import { contentTerms, isNumber, normalize, squash, words } from "../../../language/terms.ts";
import { measuresSame, unitNamed } from "../../../language/units.ts";
import { rank } from "../extract.ts";
import { type Question, sharedTerms } from "../question.ts";
import type { Claim } from "./claim.ts";
import { type Witness, withFirstPages } from "./witness.ts";

const sharedWith = (asked: Pick<Question, "alternatives">, text: string): number =>
  sharedTerms(asked, new Set(words(text)));

/** Where the sentence of a passage stands that a statement of these terms rests on; −1 in an empty one. */
function placeOfSource(terms: readonly string[], { sentences }: Witness): number {
  const scores = rank(terms, sentences);
  return scores.indexOf(Math.max(...scores));
}

/** The sentence of a passage that a statement of these terms rests on. */
export const sourceOf = (terms: readonly string[], witness: Witness): string =>
  witness.sentences[placeOfSource(terms, witness)] ?? "";

/** That sentence with the one before and the one after it. */
function aroundSource(terms: readonly string[], witness: Witness): readonly string[] {
  const at = placeOfSource(terms, witness);
  return witness.sentences.slice(Math.max(0, at - 1), at + 2);
}

/** Words of the longest line that is read with its neighbours, as it says too little alone. */
const shortLine = 2;
/** Terms of a question that such a line has at least: one stands beside many a number. */
const leastShared = 2;

/**
 * The sentences and rows of a passage that hold every number of a statement which says little else; those too short to
 * say anything, and rows without a label, with their neighbours. Only those that have some of the question; none for
 * other statements.
 */
function holdersOf({ asked, text }: Claim, { sentences, declared }: Witness): readonly string[] {
  const wanted = quantitiesIn(normalize(text));
  // `GPT-3.5` names one of several.
  const plain = (line: string): string => line.replace(/(?<=\p{L})-\s?\p{N}[\p{N}.]{0,12}/gu, " ");
  const isBare = contentTerms(text).filter((term) => !isNumber(term)).length < 2;
  if (!isBare || wanted.length === 0) return [];
  const least = Math.min(leastShared, asked.alternatives.length);
  return sentences.flatMap((sentence, at) => {
    const own = quantitiesIn(normalize(plain(sentence)));
    if (!wanted.every((quantity) => stands(quantity, own, declared, false) !== "no")) return [];
    const isShort = sentence.includes(" | ")
      ? /^\s{0,4}\|/.test(sentence)
      : (sentence.match(/\p{L}+/gu) ?? []).length <= shortLine;
    const line = isShort ? sentences.slice(Math.max(0, at - 1), at + 2).join("\n") : sentence;
    return sharedWith(asked, line) >= least ? [line] : [];
  });
}

/** Terms of a question from which on one of them alone does not tell what it is about. */
const manyTerms = 4;
/** Terms of a statement, beside numbers, from which on it says what it is about; a value or an item does not. */
const tellingTerms = 4;

/**
 * Whether a question has many terms and a name, and what a sentence cites, headings and file name included, has no name
 * of it and at most one of the terms. A question without a name may be asked in other words than a passage has.
 */
function isHardlyMentioned({ asked, terms, cited, isFound }: Claim): boolean {
  const { names, alternatives: topic } = asked;
  const isTelling = terms.filter((term) => !isNumber(term)).length >= tellingTerms;
  if (isFound || names.length === 0 || topic.length < manyTerms || !isTelling) return false;
  if (cited.some((one) => isGerman(one.text) !== (asked.spoken === "de"))) return false;
  if (names.some((name) => cited.some(({ squashed }) => squashed.includes(squash(name))))) return false;
  return sharedTerms(asked, new Set(cited.flatMap((one) => [...one.words, ...one.headWords]))) < 2;
}

/**
 * Whether nothing that the statement rests on, or that has its number, has anything to do with the question: no shared
 * term in it, near it in the passage, or above it; or hardly any in all of the passage. Any sentence answers who asks
 * for a summary of a document.
 */
export function bearsOn(claim: Claim): string | null {
  const { asked, text, cited } = claim;
  if (asked.kind === "summary" || asked.alternatives.length === 0) return null;
  // The unit that is counted tells nothing of the subject: the days of `How many days of leave …?`
  const telling = asked.alternatives.filter(
    ([term = ""]) => !asked.counted.includes(term) || unitNamed(term) === "",
  );
  const topic = { alternatives: telling.length === 0 ? asked.alternatives : telling };
  // A single syllable of Vietnamese says nothing, two do.
  const least = asked.spoken === "vi" ? Math.min(2, topic.alternatives.length) : 1;
  const touches = (own: ReadonlySet<string>): boolean => sharedTerms(topic, own) >= least;
  const terms = contentTerms(text);
  const isHeld =
    touches(new Set(words(text))) ||
    cited.some(
      (witness) =>
        witness.finding ||
        touches(witness.headWords) ||
        touches(new Set(words([...aroundSource(terms, witness), ...holdersOf(claim, witness)].join("\n")))),
    );
  return isHeld && !isHardlyMentioned(claim) ? null : asked.notes.judged.unrelated;
}

/**
 * Whether a time, a number or a colour is asked for, and neither the statement nor the sentence it rests on has one. No
 * list has all colours: another sentence must have one, and a word of the question.
 */
export function lacksValue({ asked, text, cited, everywhere }: Claim): string | null {
  const isFigure = asked.kind === "number" || asked.kind === "total";
  const value = asked.value ?? (isFigure ? "number" : null);
  if (value === null || (asked.kind !== "fact" && !isFigure) || holdsValue(value, text)) return null;
  const terms = contentTerms(text);
  if (cited.some((witness) => holdsValue(value, sourceOf(terms, witness)))) return null;
  const topic = { alternatives: asked.alternatives.filter(([term = ""]) => !holdsValue(value, term)) };
  const isTold = everywhere.some(({ sentences }) =>
    sentences.some((sentence) => holdsValue(value, sentence) && sharedWith(topic, sentence) > 0),
  );
  return value === "color" && !isTold ? null : asked.notes.judged.noValue[value];
}

/** What makes another unit of one of the same measure: a gigaton is counted in tons. */
const multiples = ["kilo", "mega", "giga", "tera", "milli", "micro", "nano"] as const;

/**
 * Whether another thing is counted than the question asks for (`how many tons`): nothing of that stands in
 * the statement, in the sentence it rests on or in one that has its number, while another sentence of the
 * passages has it beside a number. A value in another unit of the same measure (`19 weeks` for days) counts,
 * unless that other sentence has more of the question.
 */
export function countsElse(claim: Claim): string | null {
  const { asked, text, cited, everywhere } = claim;
  const { counted } = asked;
  if (counted.length === 0) return null;
  const names = (line: string): boolean => {
    const own = new Set(words(line));
    return counted.some((root) => own.has(root) || multiples.some((multiple) => own.has(multiple + root)));
  };
  const terms = contentTerms(text);
  const sources = cited.flatMap((witness) => [...holdersOf(claim, witness), sourceOf(terms, witness)]);
  const rivals = everywhere.flatMap(({ sentences }) =>
    sentences.filter((sentence) => names(sentence) && holdsValue("number", sentence)),
  );
  if (names(text) || sources.some(names) || rivals.length === 0) return null;
  const topic = { alternatives: asked.alternatives.filter(([root = ""]) => !counted.includes(root)) };
  const inOtherUnits = quantitiesIn(normalize(text)).some(({ unit }) =>
    counted.some((root) => measuresSame(root, unit)),
  );
  const own = Math.max(...[text, ...sources].map((line) => sharedWith(topic, line)));
  return inOtherUnits && !rivals.some((rival) => sharedWith(topic, rival) > own)
    ? null
    : asked.notes.judged.countsElse(counted.join(" "));
}

/**
 * Share of the best passage's terms of a question that what is cited must have. Fitted on the even questions
 * of XQuAD: `scripts/eval/judge.ts --squad`, “beside others”.
 */
const citedShare = 0.6;

/** Kinds whose answers are spread over passages that each have a part of the question. */
const ofManyPassages: ReadonlySet<Question["kind"]> = new Set(["summary", "list", "holdings"]);

/**
 * Whether what is cited has far fewer words of the question, in text and headings, than another passage: a
 * name or a number stands in many passages, but what was asked does not. Of several questions in one, of those that
 * the statement shares a word with.
 */
export function standsElsewhere(claim: Claim): string | null {
  const { asked, text, everywhere, where } = claim;
  const cited = withFirstPages(claim);
  if (ofManyPassages.has(asked.kind) || cited.some((one) => isGerman(one.text) !== (asked.spoken === "de")))
    return null;
  const cites = new Set(cited.flatMap((witness) => [...witness.words]));
  const spoken = asked.parts.filter((part) => sharedWith({ alternatives: part }, text) > 0);
  const isElsewhere = (spoken.length > 0 ? spoken : asked.parts).every((part) => {
    const topic = { alternatives: part };
    const most = Math.max(0, ...everywhere.map((witness) => sharedTerms(topic, witness.words)));
    return sharedTerms(topic, cites) < most * citedShare;
  });
  return isElsewhere ? asked.notes.judged.less(where) : null;
}

/**
 * Share of a question's terms in another sentence of the passages from which that one is what was asked for.
 */
const answeringShare = 0.6;
/** Content terms of the shortest statement that can be about something else: a name or a date alone is an answer. */
const leastTerms = 3;

const item = /^\s{0,12}(?:[-*•–>]|\(?\d{1,3}[.)]|\(?[a-h][.)])\s/;
/** Opens a sentence that goes on about what stands before it. */
const continuation = new RegExp(
  `^(?:${alternatives(({ continuations }) => continuations)})(?![\\p{L}])`,
  "iu",
);
/** The end of a question. */
const asksItself = /[?？]["”’')\]\s]*$/u;

/**
 * Whether a statement answers something else: nothing of what is asked stands in it, in the sentence it rests
 * on or above it, while another sentence of its passages, and no question, has most of that. Items of a list and
 * sentences that go on about the one before are spared, since what is asked stands before them.
 */
export function answersElse({ asked, text, cited, where }: Claim): string | null {
  if (asked.kind === "summary" || asked.alternatives.length < 2 || sharedWith(asked, text) > 0) return null;
  const terms = contentTerms(text);
  if (terms.length < leastTerms || continuation.test(text)) return null;
  const isFree = cited.some((witness) => {
    const source = sourceOf(terms, witness);
    return (
      source.includes(" | ") ||
      item.test(source) ||
      continuation.test(source) ||
      sharedTerms(asked, new Set([...words(source), ...witness.headWords])) > 0
    );
  });
  const rivals = cited.flatMap(({ sentences }) => sentences.filter((sentence) => !asksItself.test(sentence)));
  const most = Math.max(0, ...rivals.map((sentence) => sharedWith(asked, sentence)));
  return isFree || most < asked.alternatives.length * answeringShare
    ? null
    : asked.notes.judged.ofElse(where);
}
