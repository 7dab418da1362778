import type { SentenceVerdict } from "../../core/answers/answer.ts";
import { alternatives, wordsIn } from "../../language/languages.ts";
import { sentences } from "../../language/sentences.ts";
import { contentTerms } from "../../language/terms.ts";
import type { Question } from "./question.ts";

/** A citation as the model writes it, with the space before it. */
export const markerPattern = /(?<!\s)\s*\[(\d+)\]/g;

/** The number before an item of a list, which the segmenter takes for a sentence, and the dash. */
const enumerator = /^\(?\d{1,2}[.)]$/;
const dash = /^[-*•–]\s+/;
const leadingMarkers = /^(?:\s*\[\d+\])+[.,;:!?]?\s*/;

/** A number in round brackets before a citation. */
const bracketed = /(?<!\s)\s*\((\d{1,2})\)(?=\s?\[\d)/g;
/** The last word before it, and what numbers belong to: a place (`Figure`), or another number. */
const lastWord = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]+$/u;
const numbered = new RegExp(`^(?:${alternatives(({ places }) => places)}|\\p{N}+)$`, "iu");
/** Characters in which that word stands. */
const longestWord = 40;

/**
 * A text without numbers in round brackets that were written for citations beside one: behind a sentence, or behind a
 * word where a passage has that number and none of them such a word with it.
 */
function withoutStray(text: string, texts: readonly string[]): string {
  return text.replace(bracketed, (whole, number: string, at: number) => {
    const before = text.slice(Math.max(0, at - longestWord), at);
    const word = lastWord.exec(before)?.[0];
    if (word === undefined) return /[.!?:;,\]”"’']$/u.test(before) ? "" : whole;
    const isOwn = numbered.test(word) || Number(number) > texts.length;
    return isOwn ||
      texts.some((each) => [`(${number})`, `[${number}]`].some((mark) => each.includes(`${word} ${mark}`)))
      ? whole
      : "";
  });
}

/** A sentence that ends with two signs, where one ends it. */
const withOneEnd = (sentence: string): string =>
  sentence.replace(/([.!?])\s?[,;]$/u, "$1").replace(/[,;]\s?([.!?])$/u, "$1");

/** Sentences with the markers that stand behind them; enumerators without one say nothing and are left out. */
function sentencesOf(text: string): string[] {
  const found: string[] = [];
  for (const part of sentences(text)) {
    const rest = part.replace(leadingMarkers, "");
    const leading = part.slice(0, part.length - rest.length).trim();
    const before = found.pop();
    if (before !== undefined && (leading !== "" || !enumerator.test(before)))
      found.push(leading === "" ? before : `${before} ${leading}`);
    const own = before === undefined ? part : rest;
    if (own !== "") found.push(own.replace(dash, ""));
  }
  return found;
}

/** A sentence of an answer. */
export interface Statement {
  /** Without markers. */
  readonly bare: string;
  /** Numbers of the passages it cites, in order, each once. */
  readonly markers: readonly number[];
  /** Whether these are the markers of the next sentence that has some: a model cites once for several. */
  readonly isLent: boolean;
}

/** The numbers a sentence cites, in order, each once. */
export const markersOf = (sentence: string): readonly number[] => [
  ...new Set(Array.from(sentence.matchAll(markerPattern), (match) => Number(match[1]))),
];

/** A sentence that is quoted from the passages it cites, which needs no support but itself. */
export const quotedSentence = ({
  text,
  markers,
}: Pick<SentenceVerdict, "text" | "markers">): SentenceVerdict => ({
  text,
  markers,
  support: "supported",
  reason: "",
  rule: "quote",
});

/** Letters and digits from which a repeated item is no mark, such as a grade, of a series. */
const leastItem = 4;
/** Times that a list must end with the same items for it to have circled. */
const leastRepeats = 4;
/** Items that repeat together. */
const mostItems = 4;

const sentenceEnd = /[.!?。！？]["”’)]*$/u;

/** From where on the last `size` items of a list came again and again; undefined where they did not. */
function circleFrom(items: readonly string[], size: number): number | undefined {
  const whole = items.slice(0, -1);
  const last = items.at(-1)?.replace(/,$/, "") ?? "";
  const areWords = whole.slice(-size).every((item) => /\p{L}/u.test(item) && item.length >= leastItem);
  if (!areWords || whole.at(-size)?.startsWith(last) !== true) return undefined;
  const from = whole.findLastIndex((item, at) => at + size < whole.length && item !== whole[at + size]) + 1;
  return items.length - from < leastRepeats * size ? undefined : from;
}

/**
 * A sentence whose list was cut off while it repeated its items, as small models write when they circle, with these
 * items once. Figures may well repeat, and so may what stands so in one of the texts.
 */
function withoutCircle(sentence: string, texts: readonly string[]): string {
  if (sentenceEnd.test(sentence)) return sentence;
  const items = sentence.split(", ");
  for (let size = 1; size <= mostItems; size++) {
    const from = circleFrom(items, size);
    if (from === undefined) continue;
    const circle = items.slice(from, -1).join(", ");
    if (texts.some((text) => text.replace(/\s+/gu, " ").includes(circle))) return sentence;
    const isOpened = from > 0 && items[from - 1]?.endsWith(` ${items[from + size - 1]}`) === true;
    return items.slice(0, from + size - (isOpened ? 1 : 0)).join(", ");
  }
  return sentence;
}

/** Before what a passage says, in the words of a model that was shown passages: the reader sees none. */
const leadIn =
  /^(?:the|this) (?:passage|text|context|excerpt)(?: \(?\d{1,2}\)?)?(?: in(?: [\p{L}\p{N}_.-]{1,60})?)? (?:states|says|mentions|indicates|notes|explains|reports) that (?=(?:\S{1,40} ){2})/iu;

/**
 * A sentence without that, unless a passage speaks so itself; a quotation mark that is closed nowhere goes with it.
 */
function withoutLeadIn(sentence: string, texts: readonly string[]): string {
  const lead = leadIn.exec(sentence)?.[0] ?? "";
  if (lead === "" || texts.some((text) => text.includes(lead))) return sentence;
  const rest = sentence.slice(lead.length);
  const told = /^["“][^"”]*$/u.test(rest) ? rest.slice(1) : rest;
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}`;
}

/** The sentences of an answer, in order; `texts` are those of its passages. The number of an item is none beside others. */
export function statementsOf(text: string, texts: readonly string[] = []): Statement[] {
  let next: readonly number[] = [];
  const found = sentencesOf(withoutStray(text, texts));
  const isNumber = (sentence: string): boolean => enumerator.test(sentence.replace(markerPattern, "").trim());
  return found
    .filter((sentence) => found.length === 1 || !isNumber(sentence))
    .reverse()
    .map((sentence) => {
      const own = markersOf(sentence);
      if (own.length > 0) next = own;
      return {
        bare: withoutLeadIn(
          withOneEnd(withoutCircle(sentence.replace(markerPattern, "").trim(), texts)),
          texts,
        ),
        markers: next,
        isLent: own.length === 0,
      };
    })
    .reverse();
}

const demonstratives = wordsIn(({ pronouns }) => pronouns?.demonstratives);
/** Words behind a demonstrative that may say what it points at. */
const reach = 3;

/**
 * Whether a statement begins with what only the one before it can tell: `This increase …`, but not `This pump …` of a
 * question about a pump. `known`: the words of the question as they are compared.
 */
function pointsBack(bare: string, known: ReadonlySet<string>): boolean {
  const [first = "", ...next] = bare
    .trim()
    .toLowerCase()
    .split(/\s+/, reach + 1);
  return demonstratives.has(first) && !contentTerms(next.join(" ")).some((term) => known.has(term));
}

/** What a question has to do with its statements. */
type Asked = Pick<Question, "known" | "notes">;

/** Those that point back at a sentence which is removed (`This increase …`) made unsupported. */
function withoutOrphans(
  verdicts: readonly SentenceVerdict[],
  { known, notes }: Asked,
): readonly SentenceVerdict[] {
  let isLost = false;
  return verdicts.map((verdict) => {
    const isOrphan = isLost && pointsBack(verdict.text, known);
    isLost = isOrphan || verdict.support === "unsupported";
    return isOrphan && verdict.support !== "unsupported"
      ? { ...verdict, support: "unsupported", reason: notes.judged.pointsBack, rule: "dangling" }
      : verdict;
  });
}

/** Ends a statement that says what follows it: `The steps are:`. */
const announcing = /:\s*$/;

/** Those that announce what is not there, because it was removed or never came, made unsupported. */
const withoutAnnouncements = (
  verdicts: readonly SentenceVerdict[],
  { notes }: Asked,
): readonly SentenceVerdict[] =>
  verdicts.map((verdict, at) => {
    if (verdict.support === "unsupported" || !announcing.test(verdict.text)) return verdict;
    const next = verdicts
      .slice(at + 1)
      .find(({ support, text }) => support !== "unsupported" || announcing.test(text));
    const isFollowed = next !== undefined && next.support !== "unsupported";
    return isFollowed
      ? verdict
      : { ...verdict, support: "unsupported", reason: notes.judged.announces, rule: "dangling" };
  });

/** The verdicts that what comes next does not change: up to an announcement behind which nothing is kept yet. */
export function settled(verdicts: readonly SentenceVerdict[]): readonly SentenceVerdict[] {
  const last = verdicts.findLastIndex(({ text }) => announcing.test(text));
  const isOpen = last >= 0 && verdicts.slice(last).every(({ support }) => support === "unsupported");
  return isOpen ? verdicts.slice(0, last) : verdicts;
}

/**
 * The verdicts on an answer with those made unsupported that hang on what is removed: they point back at it, or announce
 * it.
 */
export const withoutDangling = (
  verdicts: readonly SentenceVerdict[],
  asked: Asked,
): readonly SentenceVerdict[] => withoutAnnouncements(withoutOrphans(verdicts, asked), asked);

/** An answer so far without a thought before it whose beginning the model's template wrote, so that only its end is seen. */
export const afterThought = (text: string): string => text.split("\n</think>").at(-1) ?? "";

/** The text cut back to its last finished sentence, for an answer whose time was up; "" when none is. */
export function ended(text: string): string {
  const end = [...text.matchAll(/[.!?。！？](?:\s*\[\d+\])*(?=\s|$)|\](?=[\s.,;:!?]|$)/g)].at(-1);
  return end === undefined ? "" : text.slice(0, end.index + end[0].length);
}

/** The same for an answer that met the length limit: as it is when no sentence is finished. */
export const finished = (text: string): string => ended(text) || text;
