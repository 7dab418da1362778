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

/**
 * Index of the passage's sentence that a statement with these terms is based on; −1 if the passage is empty.
 */
function placeOfSource(terms: readonly string[], { sentences }: Witness): number {
  const scores = rank(terms, sentences);
  return scores.indexOf(Math.max(...scores));
}

/** The sentence of a passage that a statement with these terms is based on. */
export const sourceOf = (terms: readonly string[], witness: Witness): string =>
  witness.sentences[placeOfSource(terms, witness)] ?? "";

/** That sentence with its neighbours. */
function aroundSource(terms: readonly string[], witness: Witness): readonly string[] {
  const at = placeOfSource(terms, witness);
  return witness.sentences.slice(Math.max(0, at - 1), at + 2);
}

/** Lines up to this many words say too little and are read with their neighbours. */
const shortLine = 2;
/** Question terms that a line with the number must have: a single one occurs near many numbers. */
const leastShared = 2;

/**
 * The sentences and rows of a passage that contain every number of a bare-number statement and some terms of
 * the question. Short lines and rows without a label include their neighbours. Empty for other statements.
 */
function holdersOf({ asked, text }: Claim, { sentences, declared }: Witness): readonly string[] {
  const wanted = quantitiesIn(normalize(text));
  // The number in `GPT-3.5` is a version.
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

/** With this many question terms, matching a single one does not show relevance. */
const manyTerms = 4;
/** Terms, other than numbers, from which a statement has a subject; a value or a list item has fewer. */
const tellingTerms = 4;

/**
 * Whether the question has a name and many terms, but the cited passages, with headings and file names, have
 * none of its names and at most one of its terms. Questions without a name may be worded differently from the
 * passage.
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
 * Why a statement is irrelevant: it shares no term with the question, nor does the sentence it is based on or
 * one with its number, their neighbours or headings, or the whole passage shares almost nothing. Summaries
 * are exempt. Null otherwise.
 */
export function bearsOn(claim: Claim): string | null {
  const { asked, text, cited } = claim;
  if (asked.kind === "summary" || asked.alternatives.length === 0) return null;
  // The unit counted says nothing about the subject: the days of `How many days of leave …?`
  const telling = asked.alternatives.filter(
    ([term = ""]) => !asked.counted.includes(term) || unitNamed(term) === "",
  );
  const topic = { alternatives: telling.length === 0 ? asked.alternatives : telling };
  // A single Vietnamese syllable is not distinctive, two are.
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
 * Why a statement is no answer: the question asks for a time, a number or a colour, and neither the statement
 * nor the sentence it is based on has one. As no list of colours is complete, another sentence must have one
 * along with a word of the question. Null otherwise.
 */
export function lacksValue({ asked, text, cited, everywhere }: Claim): string | null {
  const isFigure = asked.kind === "number" || asked.kind === "total";
  const value = asked.value ?? (isFigure ? "number" : null);
  if (value === null || (asked.kind !== "fact" && !isFigure) || holdsValue(value, text)) return null;
  const terms = contentTerms(text);
  if (cited.some((witness) => holdsValue(value, sourceOf(terms, witness)))) return null;
  const topic = { alternatives: asked.alternatives.filter(([term = ""]) => !holdsValue(value, term)) };
  const hasColor = everywhere.some(({ sentences }) =>
    sentences.some((sentence) => holdsValue(value, sentence) && sharedWith(topic, sentence) > 0),
  );
  return value === "color" && !hasColor ? null : asked.notes.judged.noValue[value];
}

/** Prefixes that keep the measure: a gigaton is counted in tons. */
const multiples = ["kilo", "mega", "giga", "tera", "milli", "micro", "nano"] as const;

/**
 * Why a statement counts something other than the question asks for (`how many tons`): neither the statement,
 * the sentence it is based on nor one with its number mentions the counted thing, while another sentence has
 * it with a number. A value in another unit of the same measure (`19 weeks` for days) is accepted unless that
 * sentence has more of the question. Null otherwise.
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
 * Share of the question's terms in the best passage that the cited ones must reach. Fitted on the even
 * questions of XQuAD: `scripts/eval/judge.ts --squad`, “beside others”.
 */
const citedShare = 0.6;

/** Kinds whose answers are spread over passages that each match part of the question. */
const ofManyPassages: ReadonlySet<Question["kind"]> = new Set(["summary", "list", "holdings"]);

/**
 * Why a statement cites the wrong passages: another passage has far more of the question's words in text and
 * headings, and a matching name or number occurs in many. For a compound question, only parts that share a
 * word with the statement count. Null otherwise.
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

/** Share of a question's terms from which another sentence of the passages is the likely answer. */
const answeringShare = 0.6;
/** Shorter statements, in content terms, cannot be about something else: a bare name or date is an answer. */
const leastTerms = 3;

const item = /^\s{0,12}(?:[-*•–>]|\(?\d{1,3}[.)]|\(?[a-h][.)])\s/;
/** Opens a sentence that continues the one before it. */
const continuation = new RegExp(
  `^(?:${alternatives(({ continuations }) => continuations)})(?![\\p{L}])`,
  "iu",
);
/** End of a question. */
const asksItself = /[?？]["”’')\]\s]*$/u;

/**
 * Why a statement answers another question: it shares no term with this one, nor does the sentence it is
 * based on or its headings, while another sentence of its passages, itself no question, has most of them.
 * List items and continuations are exempt, because their subject is in the text before them. Null otherwise.
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
