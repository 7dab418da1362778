import type { SentenceVerdict } from "../../core/answers/answer.ts";
import { sentences } from "../../language/sentences.ts";

/** A citation as the model writes it, with any space before it. */
export const citationPattern = /(?<!\s)\s*\[(\d+)\]/g;

/** A list number, which the segmenter takes for a sentence, or a dash. */
const enumerator = /^\(?\d{1,2}[.)]$/;
const dash = /^[-*•–]\s+/;
const leadingMarkers = /^(?:\s*\[\d+\])+[.,;:!?]?\s*/;

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
  /** Numbers of the passages that it cites, or else the next sentence that cites some: in order, each once. */
  readonly markers: readonly number[];
  /** Whether the markers are those of the next sentence: models often cite once for several. */
  readonly isLent: boolean;
}

/** The numbers a sentence cites, in order, without duplicates. */
const markersOf = (sentence: string): readonly number[] => [
  ...new Set(Array.from(sentence.matchAll(citationPattern), (match) => Number(match[1]))),
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

/** The sentences of an answer, in order. Bare list numbers are dropped unless the answer is nothing else. */
export function statementsOf(text: string): Statement[] {
  let next: readonly number[] = [];
  const found = sentencesOf(text);
  const isNumber = (sentence: string): boolean =>
    enumerator.test(sentence.replace(citationPattern, "").trim());
  return found
    .filter((sentence) => found.length === 1 || !isNumber(sentence))
    .reverse()
    .map((sentence) => {
      const own = markersOf(sentence);
      if (own.length > 0) next = own;
      const bare = withOneEnd(sentence.replace(citationPattern, "").trim());
      return { bare, markers: next, isLent: own.length === 0 };
    })
    .reverse();
}

/**
 * An answer so far without leading reasoning. Only its end tag is matched, because some templates write the
 * start tag themselves.
 */
export const stripThinking = (text: string): string => text.split("\n</think>").at(-1) ?? "";

/**
 * Cuts a text back to its last complete sentence, for an answer that ran out of time; "" if there is none.
 */
export function truncateToSentence(text: string): string {
  const end = [...text.matchAll(/[.!?。！？](?:\s*\[\d+\])*(?=\s|$)|\](?=[\s.,;:!?]|$)/g)].at(-1);
  return end === undefined ? "" : text.slice(0, end.index + end[0].length);
}

/** An answer that reached the length limit, up to its last complete sentence; unchanged if there is none. */
export const truncateIfCutOff = (text: string): string => truncateToSentence(text) || text;
