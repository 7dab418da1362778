import { partsOf } from "../../clauses.ts";
import { alternatives } from "../../languages.ts";
import { contentWords } from "../../words.ts";
import { coreRequest, withoutArticles } from "./request.ts";

/** Longest question considered, in characters. */
const longestForm = 400;

const form = new RegExp(`^(?:${alternatives(({ mentions }) => mentions?.join("|"))})$`, "iu");

/** `the word`, `the topic` before the subject itself. */
const calledWord =
  /^(?:the |das |der |den |dem |le |la )?(?:words?|terms?|topic|wort|begriff|thema|từ|chủ đề|mot|sujet) (?:of )?(?=\S)/iu;

/**
 * The subject in a question for the documents that mention it: `Which documents mention dry running?` → `dry
 * running`. Null for other questions, including those that also ask something else.
 */
export function mentionQuerySubject(question: string): string | null {
  const text = coreRequest(question);
  if (text.length > longestForm) return null;
  const found =
    form
      .exec(text)
      ?.slice(1)
      .find((group) => group !== undefined) ?? "";
  const subject = withoutArticles(found.replace(calledWord, ""))
    .replace(/^["“„«']|["”“»']$/gu, "")
    .trim();
  return contentWords(subject).length === 0 || partsOf(question).parts.length > 1 ? null : subject;
}
