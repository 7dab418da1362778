import { type Hit, readChunk } from "../../../core/retrieval.ts";
import { lookAsked, tellsLook, withoutLook } from "../../../language/looks.ts";
import { sentences } from "../../../language/sentences.ts";
import { contentTerms, isNumber, words } from "../../../language/terms.ts";
import type { EvidenceContext } from "../evidence.ts";
import { type Question, readQuestion, shares } from "../question.ts";

/**
 * Whether a question asks how something looks on its page and no passage describes it: no sentence or row
 * mentions such a look and, itself or in the sentence before, the thing. For a picture, half of the
 * question's terms must match. Passages include the rest of their pages.
 */
export function isUnseen({ text, terms, alternatives }: Question, hits: readonly Hit[]): boolean {
  const look = lookAsked(text);
  if (look === null) return false;
  const left = new Set(contentTerms(withoutLook(look, text)));
  const things = alternatives.filter((_, at) => left.has(terms[at] ?? "") && !isNumber(terms[at] ?? ""));
  // Long questions share some word with many captions.
  const least = look === "pictures" ? things.length / 2 : Math.min(1, things.length);
  const tells = (units: readonly string[]): boolean =>
    units.some((unit, at) => {
      if (!tellsLook(look, unit)) return false;
      const own = new Set(words(`${units[at - 1] ?? ""}\n${unit}`));
      return things.filter((forms) => shares([forms], own)).length >= least;
    });
  return !hits.some((hit) => tells(sentences(readChunk(hit).text)));
}

/**
 * Whether every part of a question asks for something only visible on a page. Off when evidence has no
 * threshold.
 */
export function mustBeSeen(
  text: string,
  hits: readonly Hit[],
  { parts = [], evidence }: EvidenceContext,
): boolean {
  const asked = parts.length < 2 ? [text] : parts;
  // Checked first, so that most questions need no reading of passages.
  return (
    evidence.threshold > 0 &&
    asked.every((part) => lookAsked(part) !== null) &&
    asked.every((part) => isUnseen(readQuestion(part), hits))
  );
}
