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

/**
 * Sentences of an answer, each with its markers. One that has none is of the markers that follow next: a model
 * cites once for what it says in a row.
 */
export function statementsOf(text: string): string[] {
  let next = "";
  return sentencesOf(text)
    .reverse()
    .map((sentence) => {
      const own = sentence.match(markerPattern)?.join("") ?? "";
      if (own !== "") next = own;
      return own === "" ? `${sentence}${next}` : sentence;
    })
    .reverse();
}

/** A sentence without its markers. */
export const bareOf = (statement: string): string => statement.replace(markerPattern, "").trim();

/** The numbers a sentence cites, in order, each once. */
export const markersOf = (statement: string): number[] => [
  ...new Set([...statement.matchAll(markerPattern)].map((match) => Number(match[1]))),
];
