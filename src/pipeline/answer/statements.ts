import { sentences } from "../../language/sentences.ts";

/** A citation as the model writes it, with the space before it. */
export const markerPattern = /(?<!\s)\s*\[(\d+)\]/g;

/**
 * Sentences of an answer, each with its markers; a marker standing alone after a sentence belongs to that
 * sentence.
 */
export function statementsOf(text: string): string[] {
  const found: string[] = [];
  for (const part of sentences(text)) {
    const rest = part.replace(/^(?:\s*\[\d+\])+[.,;:!?]?\s*/, "");
    const leading = part.slice(0, part.length - rest.length).trim();
    const before = found.pop();
    if (before !== undefined) found.push(leading === "" ? before : `${before} ${leading}`);
    const own = before === undefined ? part : rest;
    if (own !== "") found.push(own);
  }
  return found;
}

/** A sentence without its markers. */
export const bareOf = (statement: string): string => statement.replace(markerPattern, "").trim();

/** The numbers a sentence cites, in order, each once. */
export const markersOf = (statement: string): number[] => [
  ...new Set([...statement.matchAll(markerPattern)].map((match) => Number(match[1]))),
];
