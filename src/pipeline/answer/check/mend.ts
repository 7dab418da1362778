import type { GroundedMode, Message } from "../../../core/answers/answer.ts";
import { containsValueOfType } from "../../../language/asking/values.ts";
import { cleanLine } from "../clean.ts";
import type { Question } from "../question.ts";
import type { Checked } from "./checked.ts";

/** The message that gives an answer with contradictions back to its reader, once. */
export function buildRetryMessage({ contradictions, sentences }: Checked): Message {
  const lines = contradictions.map(
    ({ sentence, value, marker, quote }) =>
      `- You wrote: ${sentences[sentence]?.text ?? ""}\n  Passage [${marker}] does not give ${value} here:\n  > ${cleanLine(quote)}`,
  );
  return {
    role: "user",
    text: `Parts of your answer are not what its passages say:
${lines.join("\n")}

Read these passages again and write the whole answer once more, with its citations. Keep what is right. If a value was worked out, say what from.`,
  };
}

/** The kind of value that a question asks for; null for none. */
function askedKind({ value, asksNumber, kind }: Question): "date" | "number" | null {
  if (value === "date") return value;
  return asksNumber || value === "number" || kind === "number" || kind === "total" ? "number" : null;
}

/**
 * Index of the key statement: the first that gives a value of the kind the question asks for, which the question does not give
 * itself; otherwise the first that cites a passage.
 */
export function keyStatement({ sentences }: Checked, question: Question): number {
  const kind = askedKind(question);
  const withoutAsked = (said: string): string =>
    [...question.numbers].reduce((left, number) => left.replaceAll(number, " "), said);
  const giving =
    kind === null ? -1 : sentences.findIndex(({ text }) => containsValueOfType(kind, withoutAsked(text)));
  const citing = sentences.findIndex(({ markers }) => markers.length > 0);
  return giving >= 0 ? giving : Math.max(0, citing);
}

/**
 * Whether an answer may be shown: always unless `strict`; then not if its key statement is contradicted, or has a number, date
 * or code that no passage has.
 */
export function mayBeShown(checked: Checked, question: Question, mode: GroundedMode): boolean {
  if (mode !== "strict") return true;
  const key = keyStatement(checked, question);
  const isLoose = checked.untied.some(
    ({ sentence, elsewhere, value }) => sentence === key && elsewhere.length === 0 && value.kind !== "name",
  );
  return !isLoose && !checked.contradictions.some(({ sentence }) => sentence === key);
}
