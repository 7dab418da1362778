import { headingsAbove } from "../../../core/documents/sections.ts";
import { hasRow } from "../../../core/documents/table-text.ts";
import type { Context, Passage } from "../../../core/retrieval.ts";
import { sentences } from "../../../language/sentences.ts";
import { words } from "../../../language/terms.ts";
import { isPromptInjection } from "../injection/injection.ts";

/** A quoted line and the passage it is from. */
export interface QuotedLine {
  /** As it stands in the document. */
  readonly quote: string;
  /** As it is shown: with the header of its table, or after its heading. */
  readonly text: string;
  readonly passage: Passage;
}

/**
 * A line that makes sense out of context: at least six words, ending like a sentence, and not a table row.
 */
const isWhole = (sentence: string): boolean =>
  /[.!?。！？]["”’)]?$/u.test(sentence) && !hasRow(sentence) && words(sentence).length >= 6;

/**
 * A summary without a model: for each passage, in document order, its section heading and the first sentence
 * that makes sense out of context.
 */
export function extractSummary({ passages }: Context): readonly QuotedLine[] {
  let section = "";
  return passages.flatMap((passage) => {
    const allowed = sentences(passage.text).filter((sentence) => !isPromptInjection(sentence));
    const quote = allowed.find(isWhole) ?? allowed[0];
    if (quote === undefined) return [];
    const heading = headingsAbove(quote, passage.chunk).at(-1) ?? "";
    const isNew = heading !== "" && heading !== section && !isPromptInjection(heading);
    section = heading;
    return [{ quote, text: `${isNew ? `${heading}: ` : ""}${quote}`, passage }];
  });
}
