import { sentences } from "../../language/sentences.ts";

/** A citation as the model writes it, with the space before it. */
export const markerPattern = /(?<!\s)\s*\[(\d+)\]/g;

/** The number before an item of a list, which the segmenter takes for a sentence, and the dash. */
const enumerator = /^\(?\d{1,2}[.)]$/;
const dash = /^[-*•–]\s+/;
const leadingMarkers = /^(?:\s*\[\d+\])+[.,;:!?]?\s*/;

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

/** Letters and digits from which a repeated item is no mark, such as a grade, of a series. */
const leastItem = 4;
/** Times that a list must end with one item for it to have circled. */
const leastRepeats = 4;

/**
 * A sentence whose list ends with one item over and over, as small models write when they circle, with that item
 * once; what is left of the item where the text was cut off goes with it. Figures may well repeat.
 */
function withoutCircle(sentence: string): string {
  const items = sentence.split(", ");
  const last = items.at(-1)?.replace(/[.!?]$/, "") ?? "";
  const item = items.at(-2) ?? "";
  const isWord = /\p{L}/u.test(item) && item.length >= leastItem;
  if (!isWord || !item.startsWith(last)) return sentence;
  const first = items.findLastIndex((each, at) => at < items.length - 1 && each !== item) + 1;
  if (items.length - first < leastRepeats) return sentence;
  const before = items.slice(0, first);
  return (before.at(-1)?.endsWith(` ${item}`) === true ? before : [...before, item]).join(", ");
}

/** The sentences of an answer, in order. */
export function statementsOf(text: string): Statement[] {
  let next: readonly number[] = [];
  return sentencesOf(text)
    .reverse()
    .map((sentence) => {
      const own = markersOf(sentence);
      if (own.length > 0) next = own;
      return {
        bare: withoutCircle(sentence.replace(markerPattern, "").trim()),
        markers: next,
        isLent: own.length === 0,
      };
    })
    .reverse();
}
