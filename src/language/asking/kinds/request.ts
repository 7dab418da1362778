import { withoutEnd } from "../../../core/text.ts";
import { withoutOpening } from "../../forms.ts";
import { oneLine } from "../../words.ts";

/** A question in one line as forms of a whole question are held against it: without its opening, courtesy and mark. */
export const requestIn = (question: string): string =>
  withoutEnd(
    oneLine(withoutOpening(question))
      .replaceAll("’", "'")
      .replace(/^(?:please|bitte|hãy|ok)[, ]+/i, ""),
    /[\s?!.？]/u,
  );
