import { type Hit, readChunk } from "../../../core/retrieval.ts";
import { lookAsked, tellsLook, withoutLook } from "../../../language/looks.ts";
import { sentences } from "../../../language/sentences.ts";
import { contentTerms, isNumber, words } from "../../../language/terms.ts";
import type { EvidenceContext } from "../evidence.ts";
import { type Question, readQuestion, shares } from "../question.ts";

/**
 * Whether a question asks how something looks on its page and no passage tells that in its own words: no sentence or
 * row speaks of such a look and, itself or the one before it, of the thing; of a picture, of half of what is said of
 * it. Passages are read with the rest of their pages.
 */
export function isUnseen({ text, terms, alternatives }: Question, hits: readonly Hit[]): boolean {
  const look = lookAsked(text);
  if (look === null) return false;
  const left = new Set(contentTerms(withoutLook(look, text)));
  const things = alternatives.filter((_, at) => left.has(terms[at] ?? "") && !isNumber(terms[at] ?? ""));
  // Many a caption has a word of a long question.
  const least = look === "pictures" ? things.length / 2 : Math.min(1, things.length);
  const tells = (units: readonly string[]): boolean =>
    units.some((unit, at) => {
      if (!tellsLook(look, unit)) return false;
      const own = new Set(words(`${units[at - 1] ?? ""}\n${unit}`));
      return things.filter((forms) => shares([forms], own)).length >= least;
    });
  return !hits.some((hit) => tells(sentences(readChunk(hit).text)));
}

/** Whether all that is asked must be seen on a page. Where no evidence is asked for, this is no limit either. */
export function mustBeSeen(
  text: string,
  hits: readonly Hit[],
  { parts = [], evidence }: EvidenceContext,
): boolean {
  const asked = parts.length < 2 ? [text] : parts;
  // Most questions ask for no look: then nothing is read for it.
  return (
    evidence.threshold > 0 &&
    asked.every((part) => lookAsked(part) !== null) &&
    asked.every((part) => isUnseen(readQuestion(part), hits))
  );
}
