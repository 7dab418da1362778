import type { SentenceVerdict } from "../../core/answers/answer.ts";
import { alternatives, wordsIn } from "../../language/languages.ts";
import { sentences } from "../../language/sentences.ts";
import { contentTerms } from "../../language/terms.ts";
import type { Question } from "./question.ts";

/** A citation as the model writes it, with any space before it. */
export const markerPattern = /(?<!\s)\s*\[(\d+)\]/g;

/** A list number, which the segmenter takes for a sentence, or a dash. */
const enumerator = /^\(?\d{1,2}[.)]$/;
const dash = /^[-*•–]\s+/;
const leadingMarkers = /^(?:\s*\[\d+\])+[.,;:!?]?\s*/;

/** A number in parentheses before a citation. */
const bracketed = /(?<!\s)\s*\((\d{1,2})\)(?=\s?\[\d)/g;
/** The word before a number; if it is a place (`Figure`) or another number, the number belongs to it. */
const lastWord = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]+$/u;
const numbered = new RegExp(`^(?:${alternatives(({ places }) => places)}|\\p{N}+)$`, "iu");
/** Longest such word, in characters. */
const longestWord = 40;

/**
 * Removes numbers in parentheses that the model wrote as citations next to a real one: after a sentence, or
 * after a word unless some passage has the same word with the same number.
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

/** Reduces two punctuation marks at the end of a sentence to one. */
const withOneEnd = (sentence: string): string =>
  sentence.replace(/([.!?])\s?[,;]$/u, "$1").replace(/[,;]\s?([.!?])$/u, "$1");

/** Sentences with the markers that follow them; list numbers without a marker are dropped. */
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
  /**
   * Whether the markers are borrowed from the next sentence that has some: models often cite once for
   * several.
   */
  readonly isLent: boolean;
}

/** The numbers a sentence cites, in order, without duplicates. */
const markersOf = (sentence: string): readonly number[] => [
  ...new Set(Array.from(sentence.matchAll(markerPattern), (match) => Number(match[1]))),
];

/** A sentence quoted from the passages it cites, which supports itself. */
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

/** Letters and digits from which a repeated item is a loop; shorter ones, such as grades, may repeat. */
const leastItem = 4;
/** Repetitions at the end of a list from which it is a loop. */
const leastRepeats = 4;
/** Longest repeating group, in items. */
const mostItems = 4;

const sentenceEnd = /[.!?。！？]["”’)]*$/u;

/** Index from which the last `size` items of a list keep repeating; undefined if they do not. */
function circleFrom(items: readonly string[], size: number): number | undefined {
  const whole = items.slice(0, -1);
  const last = items.at(-1)?.replace(/,$/, "") ?? "";
  const areWords = whole.slice(-size).every((item) => /\p{L}/u.test(item) && item.length >= leastItem);
  if (!areWords || whole.at(-size)?.startsWith(last) !== true) return undefined;
  const from = whole.findLastIndex((item, at) => at + size < whole.length && item !== whole[at + size]) + 1;
  return items.length - from < leastRepeats * size ? undefined : from;
}

/**
 * Reduces a list that was cut off while repeating itself, as small models do, to one round. Repeated figures
 * are legitimate, and so is a repetition in one of the texts.
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

/** “The passage states that …”: the user sees no passages. */
const leadIn =
  /^(?:the|this) (?:passage|text|context|excerpt)(?: \(?\d{1,2}\)?)?(?: in(?: [\p{L}\p{N}_.-]{1,60})?)? (?:states|says|mentions|indicates|notes|explains|reports) that (?=(?:\S{1,40} ){2})/iu;

/** Removes that lead-in, unless a passage itself uses it, along with an unclosed quotation mark. */
function withoutLeadIn(sentence: string, texts: readonly string[]): string {
  const lead = leadIn.exec(sentence)?.[0] ?? "";
  if (lead === "" || texts.some((text) => text.includes(lead))) return sentence;
  const rest = sentence.slice(lead.length);
  const claim = /^["“][^"”]*$/u.test(rest) ? rest.slice(1) : rest;
  return `${claim.charAt(0).toUpperCase()}${claim.slice(1)}`;
}

/**
 * The sentences of an answer, in order; `texts` are those of its passages. Bare list numbers are dropped
 * unless the answer is nothing else.
 */
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
/** Words after a demonstrative that may name what it refers to. */
const reach = 3;

/**
 * Whether a statement begins with a reference to the previous one: `This increase …`, but not `This pump …`
 * if the question mentions a pump. `known`: normalised words of the question.
 */
function pointsBack(bare: string, known: ReadonlySet<string>): boolean {
  const [first = "", ...next] = bare
    .trim()
    .toLowerCase()
    .split(/\s+/, reach + 1);
  return demonstratives.has(first) && !contentTerms(next.join(" ")).some((term) => known.has(term));
}

/** The parts of a question that its statements are checked against. */
type Asked = Pick<Question, "known" | "notes">;

/** Marks statements as unsupported that refer back to a removed one (`This increase …`). */
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

/** Ends a statement that introduces what follows: `The steps are:`. */
const announcing = /:\s*$/;

/** Marks statements as unsupported that introduce something which was removed or never written. */
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

/** Marks statements as unsupported that depend on removed ones: they refer back to them or introduce them. */
export const withoutDangling = (
  verdicts: readonly SentenceVerdict[],
  asked: Asked,
): readonly SentenceVerdict[] => withoutAnnouncements(withoutOrphans(verdicts, asked), asked);

/**
 * An answer so far without leading reasoning. Only its end tag is matched, because some templates write the
 * start tag themselves.
 */
export const afterThought = (text: string): string => text.split("\n</think>").at(-1) ?? "";

/**
 * Cuts a text back to its last complete sentence, for an answer that ran out of time; "" if there is none.
 */
export function ended(text: string): string {
  const end = [...text.matchAll(/[.!?。！？](?:\s*\[\d+\])*(?=\s|$)|\](?=[\s.,;:!?]|$)/g)].at(-1);
  return end === undefined ? "" : text.slice(0, end.index + end[0].length);
}

/** Same, for an answer that reached the length limit: unchanged if no sentence is complete. */
export const finished = (text: string): string => ended(text) || text;
