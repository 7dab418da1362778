import type { QuestionKind } from "../../../core/answers/answer.ts";
import { detectDependence } from "../../dependence.ts";
import { stripGreeting } from "../../forms.ts";
import { alternatives, languages } from "../../languages.ts";
import { oneLine } from "../../words.ts";
import { stripFormat } from "../answer-form.ts";
import { parseStructureQuestion } from "./contents.ts";
import { mentionQuerySubject } from "./mentions.ts";

/** Characters of a question considered: the rest of a longer one is material. */
const longestForm = 400;

/** In the order tried: narrower kinds first. */
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

/** Matches nothing, for forms that no language has. */
const never = "(?!)";

/** End of a form: a word boundary, or a final space. */
const formEnd = "(?:(?<= )|(?![\\p{L}\\p{N}]))";

const forms = order.map((kind) => ({
  kind,
  starts: new RegExp(`^(?:${formsOf(kind, "starts") || never})${formEnd}`, "iu"),
  holds: new RegExp(`(?<![\\p{L}\\p{N}])(?:${formsOf(kind, "holds") || never})${formEnd}`, "iu"),
}));

/** Before a request: courtesy, or a conjunction. */
const lead = new RegExp(
  `^(?:${alternatives(({ courtesies }) => courtesies)}|${alternatives(({ and }) => and)})[, ]+`,
  "iu",
);

/** The scope before the question word: `Among adults, what share …`. */
const opening = new RegExp(
  `^(?:${alternatives(({ openings }) => openings?.phrase)})\\s[^,?]{1,120},\\s+(?=(?:${alternatives(({ openings }) => openings?.question)})\\s)`,
  "iu",
);

/** The kind of question whose form opens a text; null for none. */
export function kindFromOpening(text: string): QuestionKind | null {
  if (mentionQuerySubject(text) !== null) return "mentions";
  if (parseStructureQuestion(text) !== null) return "contents";
  return (
    forms.find(({ starts }) => starts.test(text.replaceAll("’", "'").slice(0, longestForm)))?.kind ?? null
  );
}

/** The kind of a question, by form alone. `isConversation`: it may refer to earlier turns. */
export function classify(question: string, isConversation = false): QuestionKind {
  const request = stripFormat(stripGreeting(question));
  if (isConversation && detectDependence(request) !== null) return "follow_up";
  const text = oneLine(request).replaceAll("’", "'").replace(lead, "").slice(0, longestForm);
  if (mentionQuerySubject(request) !== null) return "mentions";
  if (parseStructureQuestion(request) !== null) return "contents";
  const formOf = (asked: string): QuestionKind | undefined =>
    forms.find(({ starts, holds }) => starts.test(asked) || holds.test(asked))?.kind;
  return formOf(text) ?? formOf(text.replace(opening, "")) ?? "fact";
}
