import { trimEndOf } from "../../../core/text.ts";
import { stripGreeting } from "../../forms.ts";
import { alternatives } from "../../languages.ts";
import { oneLine } from "../../words.ts";

const courtesy = new RegExp(`^(?:${alternatives(({ courtesies }) => courtesies)})[, ]+`, "iu");
const article = new RegExp(`^(?:${alternatives(({ articles }) => articles)}) (?=\\S)`, "iu");

/** A text without articles and the like at its beginning. */
export function withoutArticles(text: string): string {
  const rest = text.replace(article, "");
  return rest === text ? text : withoutArticles(rest);
}

/**
 * A question on one line without opening, courtesy and final punctuation, for matching whole-question forms.
 */
export const coreRequest = (question: string): string =>
  trimEndOf(oneLine(stripGreeting(question)).replaceAll("’", "'").replace(courtesy, ""), /[\s?!.？]/u);
