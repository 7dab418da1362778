import { itemAsked } from "../../../language/asking/items.ts";
import { asksForReason, holdsValue } from "../../../language/asking/values.ts";
import { alternatives, isGerman, languages, spokenLanguage } from "../../../language/languages.ts";
import { quantitiesIn, stands } from "../../../language/quantities.ts";
import { contentTerms, isNumber, isYear, normalize, squash, words } from "../../../language/terms.ts";
import { measuresSame, unitNamed } from "../../../language/units.ts";
import { wordsOf } from "../../../language/words.ts";
import { rank } from "../extract.ts";
import type { Question } from "../question.ts";
import { directionsIn } from "./figures/figures.ts";
import type { Witness } from "./witness.ts";

/** Number of a question's terms, or words that stand for them, among these. */
export const sharedTerms = (
  { alternatives }: Pick<Question, "alternatives">,
  own: ReadonlySet<string>,
): number => alternatives.filter((forms) => forms.some((form) => own.has(form))).length;

/** Whether words have something of a question; a single syllable of Vietnamese says nothing, two do. */
function touches(asked: Question, own: ReadonlySet<string>): boolean {
  const least = spokenLanguage(asked.text) === "vi" ? Math.min(2, asked.alternatives.length) : 1;
  return sharedTerms(asked, own) >= least;
}

/** A question without the unit it counts, which tells nothing of its subject: the days of `How many days of leave …?` */
function withoutUnits(asked: Question): Question {
  const { counted } = asked;
  const telling = asked.alternatives.filter(
    ([term = ""]) => !counted.includes(term) || unitNamed(term) === "",
  );
  return telling.length === 0 ? asked : { ...asked, alternatives: telling };
}

/** Whether any sentence of the document answers: a summary names the document, not what stands in it. */
const isOfWhole = ({ kind }: Question): boolean => kind === "summary";

/** Where the sentence of a passage stands that a statement of these terms rests on; −1 in an empty one. */
function placeOfSource(terms: readonly string[], { sentences }: Witness): number {
  const scores = rank(terms, sentences);
  return scores.indexOf(Math.max(...scores));
}

/** The sentence of a passage that a statement of these terms rests on. */
export const sourceOf = (terms: readonly string[], witness: Witness): string =>
  witness.sentences[placeOfSource(terms, witness)] ?? "";

/** That sentence with the one before and the one after it. */
export function aroundSource(terms: readonly string[], witness: Witness): readonly string[] {
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
function holdersOf(asked: Question, statement: string, { sentences, declared }: Witness): readonly string[] {
  const wanted = quantitiesIn(normalize(statement));
  // `GPT-3.5` names one of several.
  const plain = (text: string): string => text.replace(/(?<=\p{L})-\s?\p{N}[\p{N}.]{0,12}/gu, " ");
  const isBare = contentTerms(statement).filter((term) => !isNumber(term)).length < 2;
  if (!isBare || wanted.length === 0) return [];
  return sentences.flatMap((sentence, at) => {
    const own = quantitiesIn(normalize(plain(sentence)));
    if (!wanted.every((quantity) => stands(quantity, own, declared, false) !== "no")) return [];
    const isShort = sentence.includes(" | ")
      ? /^\s{0,4}\|/.test(sentence)
      : (sentence.match(/\p{L}+/gu) ?? []).length <= shortLine;
    const line = isShort ? sentences.slice(Math.max(0, at - 1), at + 2).join("\n") : sentence;
    const least = Math.min(leastShared, asked.alternatives.length);
    return sharedTerms(asked, new Set(words(line))) >= least ? [line] : [];
  });
}

/**
 * Whether what the sentence rests on, or one that has its number, has anything to do with the question: a shared term
 * in it, near it in the passage, or above it.
 */
export function bearsOn(question: Question, sentence: string, witnesses: readonly Witness[]): boolean {
  const asked = withoutUnits(question);
  if (isOfWhole(asked) || asked.alternatives.length === 0 || touches(asked, new Set(words(sentence))))
    return true;
  const terms = contentTerms(sentence);
  return witnesses.some((witness) => {
    if (witness.finding || touches(asked, witness.headWords)) return true;
    const near = [...aroundSource(terms, witness), ...holdersOf(asked, sentence, witness)];
    return touches(asked, new Set(words(near.join("\n"))));
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
export function hardlyMentions(asked: Question, sentence: string, cited: readonly Witness[]): boolean {
  const { names, alternatives: terms, text } = asked;
  if (isOfWhole(asked) || names.length === 0 || terms.length < manyTerms || itemAsked(text) !== null)
    return false;
  if (contentTerms(sentence).filter((term) => !isNumber(term)).length < tellingTerms) return false;
  if (cited.some((each) => each.finding || isGerman(each.text) !== isGerman(text))) return false;
  if (names.some((name) => cited.some(({ squashed }) => squashed.includes(squash(name))))) return false;
  return sharedTerms(asked, new Set(cited.flatMap((each) => [...each.words, ...each.headWords]))) < 2;
}

/** Kinds of questions whose answers share no words with them. */
const wantsMore: ReadonlySet<Question["kind"]> = new Set(["list", "procedure", "definition"]);

/** Fewest terms of a question that say what is asked of what. */
const leastAsked = 3;

const interrogatives = new Set(languages.flatMap((language) => language.interrogatives?.split(" ") ?? []));

/** Words at the beginning of a question among which the one is that stands for what is asked: `Up to which …`. */
const openingWords = 3;

/** The end of a statement whose answer is missing: `The pump moved in May is.` */
const openEnd = /(?<!\p{L})(?:is|are|was|were|ist|sind|war|waren|est|sont|là)\s{0,3}[.:]?$/iu;

/** The end of a question. */
const asksItself = /[?？]["”’')\]\s]*$/u;

/**
 * Whether a statement says nothing that its question does not, where that is no answer: no item of a list, no
 * definition, the question itself, for `Which pump was moved in May?` no more than that the pump was moved in May, and
 * nothing behind `is` where all of the question stands before it; of three terms or more one may be left out.
 */
export function repeatsQuestion(asked: Question, statement: string): boolean {
  const terms = contentTerms(statement);
  if (terms.length === 0 || !terms.every((term) => asked.known.has(term))) return false;
  if (wantsMore.has(asked.kind) || asksItself.test(statement)) return true;
  const leftOut = asked.terms.filter((term) => !terms.includes(term)).length;
  const mayLeaveOut = terms.length >= leastAsked ? 1 : 0;
  if (openEnd.test(statement.trim()) && leftOut <= mayLeaveOut) return true;
  // What is asked for may be left out: `The pump was moved in May` of `Which pump …`.
  const isSame =
    terms.length >= leastAsked &&
    [asked.terms, asked.terms.slice(1)].some((own) => own.join(" ") === terms.join(" ")) &&
    words(statement).length <= asked.words.length + 1;
  const opening = wordsOf(asked.text.toLowerCase()).slice(0, openingWords);
  return isSame && asked.kind === "fact" && opening.some((word) => interrogatives.has(word));
}

/**
 * Whether a time, a number or a colour is asked for, and neither the statement nor the sentence it rests on has one:
 * then it answers something else. No list has all colours: another sentence must have one, and a word of the
 * question.
 */
export function lacksValue(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): boolean {
  const isFigure = asked.kind === "number" || asked.kind === "total";
  const value = asked.value ?? (isFigure ? "number" : null);
  if (value === null || (asked.kind !== "fact" && !isFigure) || holdsValue(value, statement)) return false;
  const terms = contentTerms(statement);
  if (cited.some((witness) => witness.finding || holdsValue(value, sourceOf(terms, witness)))) return false;
  if (value !== "color") return true;
  const topic = asked.alternatives.filter(([term = ""]) => !holdsValue("color", term));
  return everywhere.some(({ sentences }) =>
    sentences.some(
      (sentence) =>
        holdsValue("color", sentence) && touches({ ...asked, alternatives: topic }, new Set(words(sentence))),
    ),
  );
}

/** Whether a sentence is a row whose cells behind the first say figures alone. */
function isFigureRow(sentence: string): boolean {
  const [, ...cells] = sentence.split("|");
  return cells.some((cell) => /\p{N}/u.test(cell)) && !cells.some((cell) => /\p{L}{2}/u.test(cell));
}

/** Whether a reason is asked for, and what is cited says it in rows of figures alone, which give none. */
export function givesNoReason(asked: Question, statement: string, cited: readonly Witness[]): boolean {
  if (asked.kind !== "fact" || !asksForReason(asked.text)) return false;
  const terms = contentTerms(statement);
  return cited.every((witness) => !witness.finding && isFigureRow(sourceOf(terms, witness)));
}

/**
 * Whether a reason lets something rise or fall of which the question does not say so, without a figure, and nothing
 * that is cited goes that way. Tables are left out: what fell may be read off their figures.
 */
export function inventsDirection(asked: Question, statement: string, cited: readonly Witness[]): boolean {
  if (!asksForReason(asked.text) || cited.some(({ tables, finding }) => finding || tables.length > 0))
    return false;
  const hasFigure = contentTerms(statement).some((term) => isNumber(term) && !isYear(term));
  const said = directionsIn(statement).difference(directionsIn(asked.text));
  return !hasFigure && [...said].some((way) => cited.every(({ text }) => !directionsIn(text).has(way)));
}

/** Characters in which the word behind a number stands. */
const longestWord = 40;

/** What makes another unit of one of the same measure: a gigaton is counted in tons. */
const multiples = ["kilo", "mega", "giga", "tera", "milli", "micro", "nano"] as const;

/**
 * Whether another thing is counted than the question asks for (`how many tons`): nothing of that stands in
 * the statement, in the sentence it rests on or in one that has its number, while another sentence of the
 * passages has it beside a number. A value in another unit of the same measure (`19 weeks` for days) counts,
 * unless that other sentence has more of the question.
 */
export function countsElse(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): boolean {
  const { counted } = asked;
  if (counted.length === 0 || cited.some(({ finding }) => finding)) return false;
  const names = (text: string): boolean => {
    const own = new Set(words(text));
    return counted.some((root) => own.has(root) || multiples.some((multiple) => own.has(multiple + root)));
  };
  const terms = contentTerms(statement);
  const sources = cited.flatMap((witness) => [
    ...holdersOf(asked, statement, witness),
    sourceOf(terms, witness),
  ]);
  const rivals = everywhere.flatMap(({ sentences }) =>
    sentences.filter((sentence) => names(sentence) && holdsValue("number", sentence)),
  );
  if (names(statement) || sources.some(names) || rivals.length === 0) return false;
  const topic = { alternatives: asked.alternatives.filter(([root = ""]) => !counted.includes(root)) };
  const shared = (text: string): number => sharedTerms(topic, new Set(words(text)));
  const inOtherUnits = quantitiesIn(normalize(statement)).some(({ unit }) =>
    counted.some((root) => measuresSame(root, unit)),
  );
  const own = Math.max(...[statement, ...sources].map(shared));
  return !inOtherUnits || rivals.some((rival) => shared(rival) > own);
}

/**
 * A number of a statement, with what the question counts directly behind it (`2 drawings`), that what is cited has only
 * with a unit of measure (`every two hours`); "" for none.
 */
export function measuredInstead({ counted }: Question, statement: string, cited: readonly Witness[]): string {
  if (counted.length === 0 || cited.some(({ finding }) => finding)) return "";
  const text = normalize(statement);
  const held = cited.flatMap(({ quantities }) => quantities);
  const said = quantitiesIn(text).filter(({ unit, text: number, at }) => {
    const [next = ""] = words(text.slice(at + number.length, at + number.length + longestWord));
    return unit === "" && counted.includes(next);
  });
  const measured = said.find((quantity) => {
    const same = held.filter((other) => stands(quantity, [other], [], false) !== "no");
    return same.length > 0 && same.every(({ unit }) => unit !== "");
  });
  return measured?.text ?? "";
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
export function standsElsewhere(
  asked: Question,
  statement: string,
  cited: readonly Witness[],
  everywhere: readonly Witness[],
): boolean {
  const isFree = ({ finding, text }: Witness): boolean => finding || isGerman(text) !== isGerman(asked.text);
  if (ofManyPassages.has(asked.kind) || cited.some(isFree)) return false;
  const cites = new Set(cited.flatMap((witness) => [...witness.words]));
  const said = new Set(words(statement));
  const spoken = asked.parts.filter((alternatives) => sharedTerms({ alternatives }, said) > 0);
  return (spoken.length > 0 ? spoken : asked.parts).every((alternatives) => {
    const most = Math.max(0, ...everywhere.map((witness) => sharedTerms({ alternatives }, witness.words)));
    return sharedTerms({ alternatives }, cites) < most * citedShare;
  });
}

/**
 * Whether what is cited has a line of its own for a statement, with nothing beside it but words of the question:
 * `Rick Scott GOVERNOR`.
 */
export function isLabelled(
  { alternatives }: Question,
  statement: string,
  cited: readonly Witness[],
): boolean {
  const asked = new Set(alternatives.flat());
  const said = contentTerms(statement).filter((term) => !asked.has(term));
  const lines = cited.flatMap(({ text }) => text.split("\n"));
  return (
    said.length > 0 &&
    lines.some((line) => {
      const own = contentTerms(line);
      const rest = own.filter((term) => !said.includes(term));
      return (
        said.every((term) => own.includes(term)) && rest.length > 0 && rest.every((term) => asked.has(term))
      );
    })
  );
}

/**
 * Share of a question's terms in another sentence of the passages from which that one is what was asked for.
 */
const answeringShare = 0.6;

/**
 * Content terms of the shortest statement that can be about something else: a name or a date alone is an
 * answer.
 */
const leastTerms = 3;

const item = /^\s{0,12}(?:[-*•–>]|\(?\d{1,3}[.)]|\(?[a-h][.)])\s/;
/** Opens a sentence that goes on about what stands before it. */
const continuation = new RegExp(
  `^(?:${alternatives(({ continuations }) => continuations)})(?![\\p{L}])`,
  "iu",
);

/**
 * Whether a statement answers something else: nothing of what is asked stands in it, in the sentence it rests
 * on or above it, while another sentence of its passages, and no question, has most of that. Items of a list and
 * sentences that go on about the one before are spared, since what is asked stands before them.
 */
export function answersElse(asked: Question, statement: string, witnesses: readonly Witness[]): boolean {
  if (isOfWhole(asked) || asked.alternatives.length < 2 || sharedTerms(asked, new Set(words(statement))) > 0)
    return false;
  const terms = contentTerms(statement);
  if (terms.length < leastTerms || continuation.test(statement)) return false;
  const sourced = witnesses.map((witness) => ({ witness, source: sourceOf(terms, witness) }));
  const isFree = sourced.some(
    ({ witness, source }) =>
      witness.finding ||
      source.includes(" | ") ||
      item.test(source) ||
      continuation.test(source) ||
      sharedTerms(asked, new Set([...words(source), ...witness.headWords])) > 0,
  );
  const most = Math.max(
    0,
    ...witnesses.flatMap(({ sentences }) =>
      sentences
        .filter((sentence) => !asksItself.test(sentence))
        .map((sentence) => sharedTerms(asked, new Set(words(sentence)))),
    ),
  );
  return !isFree && most >= asked.alternatives.length * answeringShare;
}
