import type { QuestionKind } from "../../../core/answers/answer.ts";
import { dependence } from "../../dependence.ts";
import { withoutOpening } from "../../forms.ts";
import { alternatives, languages } from "../../languages.ts";
import { oneLine } from "../../words.ts";
import { withoutAnswerForm } from "../answer-form.ts";
import { contentsAsked } from "./contents.ts";
import { mentionedSubject } from "./mentions.ts";

/** Longest question whose form is looked at, in characters: the rest of a longer one is its material. */
const longestForm = 400;

/** Kinds in the order in which their forms are tried: the narrower one first. */
const order = [
  "holdings",
  "summary",
  "comparison",
  "definition",
  "procedure",
  "total",
  "yes_no",
  "number",
  "list",
] as const satisfies readonly QuestionKind[];

const formsOf = (kind: QuestionKind, where: "starts" | "holds"): string =>
  languages.flatMap(({ kinds }) => kinds?.[kind]?.[where] ?? []).join("|");

/** What matches nothing where no language has a form. */
const never = "(?!)";

/** The end of a form: of a word, or the blank it ends with. */
const formEnd = "(?:(?<= )|(?![\\p{L}\\p{N}]))";

const forms = order.map((kind) => ({
  kind,
  starts: new RegExp(`^(?:${formsOf(kind, "starts") || never})${formEnd}`, "iu"),
  holds: new RegExp(`(?<![\\p{L}\\p{N}])(?:${formsOf(kind, "holds") || never})${formEnd}`, "iu"),
}));

/** What a question is asked of, before its question word: `Among adults, what share …`. */
const opening = new RegExp(
  `^(?:${alternatives(({ openings }) => openings?.phrase)})\\s[^,?]{1,120},\\s+(?=(?:${alternatives(({ openings }) => openings?.question)})\\s)`,
  "iu",
);

/** The kind of question whose form a text begins with; null where it begins like none. */
export function kindBegun(text: string): QuestionKind | null {
  if (mentionedSubject(text) !== null) return "mentions";
  if (contentsAsked(text) !== null) return "contents";
  return (
    forms.find(({ starts }) => starts.test(text.replaceAll("’", "'").slice(0, longestForm)))?.kind ?? null
  );
}

/**
 * What a question asks for, by its form alone. `isConversation`: something was said before that it may lean
 * on.
 */
export function kindOf(question: string, isConversation = false): QuestionKind {
  const request = withoutAnswerForm(withoutOpening(question));
  if (isConversation && dependence(request) !== null) return "follow_up";
  const text = oneLine(request)
    .replaceAll("’", "'")
    .replace(/^(?:please|bitte|and|und|ok)[, ]+/i, "")
    .slice(0, longestForm);
  if (mentionedSubject(request) !== null) return "mentions";
  if (contentsAsked(request) !== null) return "contents";
  const formOf = (asked: string): QuestionKind | undefined =>
    forms.find(({ starts, holds }) => starts.test(asked) || holds.test(asked))?.kind;
  return formOf(text) ?? formOf(text.replace(opening, "")) ?? "fact";
}
