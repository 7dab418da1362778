import { intents } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";

/** The intents, and `other` for messages that are none of them. */
export const utteranceClasses = [...intents, "other"] as const;
export type UtteranceClass = (typeof utteranceClasses)[number];

/** Labelled utterances by class; every class has at least one. */
export type Utterances = Readonly<Record<UtteranceClass, readonly string[]>>;

const list = z.array(z.string().trim().min(1).max(500)).min(1).max(1000);
const schema = z.strictObject({
  retrieval: list,
  direct: list,
  multi_part: list,
  clarify: list,
  other: list,
});

/**
 * Validates the content of an utterance file; `name` is its name in errors. An utterance belongs to one class
 * only.
 * @throws CONFIG_INVALID
 */
export function readUtterances(content: unknown, name: string): Utterances {
  const fail = (reason: string): RagctlError =>
    new RagctlError("CONFIG_INVALID", `the utterances of ${name} are not valid: ${reason}`, {
      hint: `it holds one list of utterances for each of ${utteranceClasses.join(", ")}`,
    });
  const checked = schema.safeParse(content);
  if (!checked.success)
    throw fail(checked.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "));
  const seen = new Map<string, UtteranceClass>();
  for (const label of utteranceClasses) {
    for (const text of checked.data[label]) {
      const key = text.normalize("NFKC").toLowerCase();
      const other = seen.get(key);
      if (other !== undefined) throw fail(`"${text}" stands under ${other} and ${label}`);
      seen.set(key, label);
    }
  }
  return checked.data;
}
