import { languages, parseWords } from "../languages.ts";
import { codesIn, isWithinOneTypo } from "../names.ts";
import type { Language } from "../schema/language.ts";
import { isStopWord, yearsIn } from "../terms.ts";
import { foldWord, isFunctionWord } from "../words.ts";

/** A sentence ends at punctuation or a line break; a dot inside a number or a name ends nothing. */
const sentenceEnd = /(?<=[?!\n])|(?<=[.:;])(?=\s)/u;
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

type AnswerForms = NonNullable<Language["answerForms"]>;
const formsOf = languages.flatMap(({ answerForms }) => answerForms ?? []);
/** The phrases of a list in all languages, split into words. */
const phrases = (list: (forms: AnswerForms) => string | undefined): readonly (readonly string[])[] =>
  formsOf.flatMap((forms) => parseWords(list(forms)).map((phrase) => phrase.split("_")));
const words = (list: (forms: AnswerForms) => string | undefined): ReadonlySet<string> =>
  new Set(phrases(list).flat());

const leads = words(({ leads: list }) => list);
const answering = phrases(({ answering: list }) => list);
const giving = phrases(({ giving: list }) => list);
const answers = words(({ answers: list }) => list);
const forms = words(({ forms: list }) => list);
const beside = words(({ beside: list }) => list);
const supposing = words(({ supposing: list }) => list);
const conditions = words(({ conditions: list }) => list);
const denials = words(({ denials: list }) => list);
const stating = words(({ stating: list }) => list);
const inapplicable = words(({ inapplicable: list }) => list);
const hearers = words(({ hearers: list }) => list);
const givingWords = new Set(giving.flat());
/** Words of a sentence that only asks for a form. */
const neutral = new Set([...leads, ...beside, ...answers, ...answering.flat(), ...givingWords]);

const either = (list: (forms: AnswerForms) => string | undefined): string =>
  formsOf.flatMap((each) => list(each) ?? []).join("|");

/** `e.g. ["1", "2"]`: a sample answer. */
const example = new RegExp(
  `(?<!\\p{L})(?:${either(({ examples }) => examples)})[,:]?\\s?\\[[^\\[\\]\\n]{0,200}\\]`,
  "giu",
);
/** `, in one sentence` before the end of a sentence. */
const manner = new RegExp(`,?\\s(?:${either(({ manners }) => manners)})(?=\\s?(?:[.?!](?:\\s|$)|$))`, "giu");

const startsWith = (all: readonly string[], list: readonly (readonly string[])[]): boolean =>
  list.some((phrase) => phrase.every((word, index) => all[index] === word));

/** Misspelt words match too, unless they are short. */
const isAmong = (word: string, list: ReadonlySet<string>): boolean =>
  list.has(word) ||
  (word.length >= 5 && [...list].some((known) => known[0] === word[0] && isWithinOneTypo(known, word)));

const wordsOf = (text: string): string[] => (text.toLowerCase().match(wordPattern) ?? []).map(String);

/** Whether a word says nothing about what is sought. */
const isEmpty = (word: string): boolean =>
  isStopWord(word) || isFunctionWord(word) || word.length === 1 || /^\p{N}/u.test(word);

/** `If it is not a useful metric, then state that`; `If there are none, state 0`. */
function isForLack(all: readonly string[]): boolean {
  if (!conditions.has(all[0] ?? "") || !all.some((word) => denials.has(word))) return false;
  const at = all.findLastIndex((word) => stating.has(word));
  if (at < 0) return false;
  const said = all.slice(at + 1);
  return (
    all.some((word) => inapplicable.has(word)) ||
    (said.length > 0 && said.every((word) => isEmpty(word) || beside.has(word)))
  );
}

/**
 * `Give me an integer.`: begins with a request or a form, and names nothing that the other sentences lack.
 */
function asksForForm(all: readonly string[], isElsewhere: (word: string) => boolean): boolean {
  const [first = ""] = all;
  const opens = isAmong(first, givingWords) || beside.has(first) || isAmong(first, forms);
  return (
    opens &&
    all.some((word) => isAmong(word, forms)) &&
    all.every(
      (word) =>
        isEmpty(word) ||
        neutral.has(word) ||
        isElsewhere(foldWord(word)) ||
        isAmong(word, forms) ||
        isAmong(word, givingWords),
    )
  );
}

/**
 * Whether a sentence only says how to answer. `isElsewhere`: whether another sentence has a word. A year or a
 * code always narrows the question, whatever else the sentence says.
 */
function isInstruction(sentence: string, isElsewhere: (word: string) => boolean): boolean {
  if (yearsIn(sentence).size > 0 || codesIn(sentence).length > 0) return false;
  const all = wordsOf(sentence);
  const own = all.slice(
    Math.max(
      0,
      all.findIndex((word) => !leads.has(word)),
    ),
  );
  const [first = "", ...rest] = own;
  if (startsWith(own, answering)) return true;
  const isGiving = startsWith(own, giving) || isAmong(first, givingWords);
  if (isGiving && rest.some((word) => isAmong(word, answers))) return true;
  if (supposing.has(first)) return rest.slice(0, 2).some((word) => hearers.has(word));
  return isForLack(own) || (!/\?\s*$/u.test(sentence) && asksForForm(own, isElsewhere));
}

/**
 * A question without instructions on the form of its answer: sentences (`Answer in millions.`, `Give me an
 * integer.`, `If there are none, state 0.`), sample answers, and a manner at the end (`, in one sentence`).
 * No passage has their words. Unchanged if fewer than three words would remain.
 */
export function stripFormat(question: string): string {
  const pieces = question
    .replace(example, "\n")
    .split(sentenceEnd)
    .filter((piece) => wordsOf(piece).length > 0);
  const counts = new Map<string, number>();
  const bags = pieces.map((piece) => new Set(wordsOf(piece).map(foldWord)));
  for (const word of bags.flatMap((bag) => [...bag])) counts.set(word, (counts.get(word) ?? 0) + 1);
  const kept = pieces
    .filter((piece, at) => {
      const isOwn = (word: string): boolean => bags[at]?.has(word) === true;
      return !isInstruction(piece, (word) => (counts.get(word) ?? 0) > Number(isOwn(word)));
    })
    .map((piece) => piece.replace(manner, ""))
    .join("");
  const whole = kept.trim();
  return whole === question.trim() || wordsOf(whole).length < 3 ? question : whole;
}
