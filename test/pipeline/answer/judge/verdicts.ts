import { judge } from "../../../../src/pipeline/answer/judge/judge.ts";
import { chunkOf } from "../../fixtures.ts";

/** What the judge says of a statement about a text, and of nothing else. */
export const verdictOf = (question: string, text: string, statement: string) =>
  judge(`${statement} [1]`, [{ marker: 1, text, chunk: chunkOf(text) }], question)[0];

/** Why it is removed; undefined where it is kept. */
export function reasonOf(question: string, text: string, statement: string): string | undefined {
  const verdict = verdictOf(question, text, statement);
  return verdict?.support === "unsupported" ? verdict.reason : undefined;
}
