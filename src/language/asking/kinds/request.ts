import { trimEndOf } from "../../../core/text.ts";
import { stripGreeting } from "../../forms.ts";
import { oneLine } from "../../words.ts";

/**
 * A question on one line without opening, courtesy and final punctuation, for matching whole-question forms.
 */
export const coreRequest = (question: string): string =>
  trimEndOf(
    oneLine(stripGreeting(question))
      .replaceAll("’", "'")
      .replace(/^(?:please|bitte|hãy|ok)[, ]+/i, ""),
    /[\s?!.？]/u,
  );
