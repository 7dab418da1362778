import type { Turn } from "../../core/answers/agent.ts";
import { RagctlError } from "../../core/errors.ts";

/** A question as it was typed, without invisible characters. */
export interface TypedQuestion {
  readonly text: string;
  /** Number of turns before it. */
  readonly turns: number;
}

/** Longest question, in characters; anything longer is a document. */
const longestQuestion = 8000;

/** Checks a question and strips invisible characters. @throws USAGE_INVALID */
export function readTyped(query: string, history: readonly Turn[]): TypedQuestion {
  const text = query
    .normalize("NFC")
    .replace(/[\p{Cf}\p{Co}\p{Cs}]|(?![\t\n])\p{Cc}/gu, " ")
    .replace(/[ \t]+/g, " ")
    .trim();
  if (!/[\p{L}\p{N}]/u.test(text)) {
    throw new RagctlError("USAGE_INVALID", "the question is empty", {
      hint: 'e.g. ragctl ask "How many days of leave do I get?"',
    });
  }
  if (text.length > longestQuestion) {
    throw new RagctlError(
      "USAGE_INVALID",
      `the question has ${text.length} characters; the limit is ${longestQuestion}`,
      { hint: "put long text into a file, ingest it, and ask about it" },
    );
  }
  return { text, turns: history.length };
}
