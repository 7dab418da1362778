import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { RagctlError } from "../core/errors.ts";

/** One question of a batch; `id` is absent for the question typed on the command line. */
export interface Question {
  readonly id?: string | number;
  readonly query: string;
}

/** The typed question, or every line of the batch file in order. @throws USAGE_INVALID naming the line */
export async function* readBatch(words: readonly string[], batch: string | undefined): AsyncGenerator<Question> {
  const typed = words.join(" ").trim();
  if (batch === undefined) {
    if (typed === "")
      throw new RagctlError("USAGE_INVALID", "there is no question", {
        hint: 'write it after the command, or use --batch FILE.jsonl with {"id","query"} lines',
      });
    yield { query: typed };
    return;
  }
  if (typed !== "") throw new RagctlError("USAGE_INVALID", "a question and --batch exclude each other", { hint: "leave one of them out" });
  const input = batch === "-" ? process.stdin : createReadStream(batch, "utf8");
  let number = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (text.trim() !== "") yield question(text, `${batch}:${number}`);
    }
  } catch (cause) {
    if (cause instanceof RagctlError) throw cause;
    throw new RagctlError("USAGE_INVALID", `cannot read ${batch}`, { hint: "give an existing JSONL file", cause });
  }
}

function question(text: string, where: string): Question {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RagctlError("USAGE_INVALID", `${where} is not JSON`, { hint: 'every line is {"id": …, "query": "…"}', cause });
  }
  const members: Readonly<Record<string, unknown>> = typeof value === "object" && value !== null ? { ...value } : {};
  const { id, query: asked = members["question"] } = members;
  const query = typeof asked === "string" ? asked.trim() : "";
  if ((typeof id !== "string" && typeof id !== "number") || query === "") {
    throw new RagctlError("USAGE_INVALID", `${where} has no id or no query`, { hint: 'every line is {"id": …, "query": "…"}' });
  }
  return { id, query };
}
