import type { RunView } from "../app/records.ts";
import {
  type Citation,
  groundedModes,
  intents,
  type NearPassage,
  type SentenceVerdict,
  type Verdict,
} from "../core/answers/answer.ts";
import type { BudgetReport } from "../core/answers/budget.ts";
import { type ToolResult, toolTypes } from "../core/answers/tool.ts";
import { cellsOf } from "../core/documents/cells.ts";
import { errorTable } from "../core/errors.ts";
import { z } from "../core/schema.ts";
import { placeOf, sectionOf } from "./documents.ts";
import { chunkId, count, milliseconds, openObject, ordinal, phases, placeMembers } from "./members.ts";
import { runMembers } from "./runs.ts";
import { lineId, unavailable } from "./search.ts";
import { documentSchema, from, printer, type Source } from "./shape.ts";

const share = z.number().min(0).max(1);
/** A passage that is cited, with its quotes. */
export const citation = from(
  z.object({
    marker: ordinal.describe("The number in brackets in the response."),
    source_file: z.string(),
    ...placeMembers,
    chunk_id: chunkId,
    quote: z.string().describe("The sentence of the passage that supports the first sentence citing it."),
    quotes: z
      .array(z.string())
      .describe("The same for every sentence that cites it, in their order, each once."),
  }),
  (value: Citation) => ({ ...value, ...placeOf(value.pages, value.section, value.cells ?? []) }),
);
/** A sentence as it was judged. */
export const sentence = from(
  z.object({
    text: z.string(),
    markers: z.array(ordinal),
    support: z.enum(["supported", "partial", "unsupported"]),
    reason: z.string().describe("What is missing; empty when supported."),
    rule: z
      .string()
      .describe("Id of the tie or rule that decided; of a supported sentence the tie that holds it."),
    derivation: z
      .string()
      .describe("How numbers were worked out that stand in no passage; absent where all stand there.")
      .optional(),
  }),
  (value: SentenceVerdict) => value,
);
/** One member of `verdict.sentences` in ask.schema.json. */
export const sentenceShape = printer(sentence);
const verdict = z.object({
  status: z
    .enum(["answered", "extractive", "refused", "direct", "clarify", "unverified"])
    .describe(
      "By the model, by sentences of the passages, not at all for want of evidence, without a search, a question back, or with sentences that nothing supports.",
    ),
  reason: z.string(),
  evidence: share.describe("Score of the best passage."),
  threshold: share.describe("What the evidence was held against."),
  grounded: z
    .enum(groundedModes)
    .describe("What became of sentences that no passage supports: removed, marked, or left."),
  removed: count.describe("Sentences taken out because nothing supports them."),
  sentences: z
    .array(sentence)
    .describe("Every sentence of the answer, written or quoted, those removed too."),
});
const tool = from(
  z.object({
    tool: z.string(),
    type: z.enum(toolTypes),
    arguments: openObject,
    reason: z.string().describe("Why it was chosen."),
    status: z.enum(["ok", "failed", "denied"]),
    code: z.string().describe("Error code of a failure, else empty."),
    message: z.string(),
    data: openObject.describe("Typed result, e.g. the SQL with its rows."),
    duration_ms: milliseconds,
  }),
  ({ call, ...result }: ToolResult) => ({ ...result, ...call }),
);
const trace = z.object({
  node: z.string(),
  decided: z.string().describe("One line for people."),
  duration_ms: milliseconds,
  details: openObject.describe("Scores and names behind the decision."),
});

export { trace as traceSchema };
/** One member of `trace` in ask.schema.json, and the event of `--trace` in JSON lines. */
export const traceShape = printer(trace);

/**
 * Refusals, questions back and answers with sentences that no passage supports end with statuses of their
 * own.
 */
export function exitOf({ status }: Verdict): number {
  if (status === "refused") return errorTable.EVIDENCE_MISSING.exit;
  if (status === "clarify") return errorTable.QUESTION_VAGUE.exit;
  return status === "unverified" ? errorTable.ANSWER_UNVERIFIED.exit : 0;
}

const plannedPhase = z.object({ phase: z.string(), duration_ms: milliseconds });
const budget = from(
  z.object({
    promised_ms: milliseconds.describe("The time given."),
    used_ms: milliseconds,
    rates: z
      .enum(["measured", "warm-up", "assumed"])
      .describe("What was planned by: past runs of this machine, a short generation, or cautious values."),
    kind: z.enum(["write", "quote"]).describe("Whether the model writes or sentences are quoted."),
    formulations: count.describe("Queries searched by, at most."),
    passages: count.describe("Passages the model reads, at most; 0 where sentences are quoted."),
    prompt_tokens: count,
    answer_tokens: count.describe("Longest answer."),
    attempts: count,
    planned: z.array(plannedPhase).describe("Expected time of each phase."),
    left_out: z.array(z.string()).describe("What an answer without a limit would have had."),
  }),
  ({ plan, ...report }: BudgetReport) => ({ ...plan, ...report, planned: plan.phases }),
);

const searched = z.object({
  documents: count,
  pages: count,
  unread_documents: count.describe("Files that the last ingest of them failed to read."),
  unread_pages: count.describe("Pages without text of the documents searched, as far as is known."),
  nearest: z
    .array(
      from(
        z.object({
          source_file: z.string(),
          ...placeMembers,
          collection: z.string(),
          chunk_id: chunkId,
          quote: z.string().describe("Its sentence nearest to the question; empty for none to show."),
        }),
        ({ chunk, quote }: NearPassage) => ({
          ...chunk,
          quote,
          sourceFile: chunk.sourceName,
          chunkId: chunk.id,
          ...placeOf(chunk.pages, sectionOf(chunk), cellsOf(chunk)),
        }),
      ),
    )
    .describe("Passages that were found and did not answer, best first."),
});

const ask = documentSchema("ask", "Output of ragctl ask --format json, and one line of a batch", {
  id: lineId,
  query: z.string(),
  intent: z.enum(intents),
  agent: z
    .string()
    .nullable()
    .describe("Agent that answered; null where the registry has none that may be used."),
  model: z.string().nullable().describe("Model that wrote the response; null where none did."),
  response: z.string(),
  citations: z.array(citation),
  verdict,
  refused: z.boolean().describe("Whether verdict.status is refused."),
  exit_status: count.describe(
    "The status the command ends with: 0 answered, 5 refused, 6 unverified, 9 a question back.",
  ),
  tools: z.array(tool).describe("Calls of tools other than the search."),
  trace: z.array(trace).describe("What every node of the graph decided, in order."),
  unavailable,
  phases,
  searched: searched.describe("What was searched; present where it was refused.").optional(),
  budget: budget.describe("Present where the time was limited.").optional(),
  run_id: z
    .string()
    .describe("For ragctl logs and ragctl replay; absent where nothing was recorded.")
    .optional(),
});
const printAsk = printer(ask);
/** ask.schema.json; in a batch the caller adds `id`. */
export const askShape = (answer: Omit<Source<typeof ask>, "refused" | "exitStatus">) =>
  printAsk({
    ...answer,
    refused: answer.verdict.status === "refused",
    exitStatus: exitOf(answer.verdict),
  });

const run = documentSchema("run", "Output of ragctl logs RUN --format json", {
  ...runMembers,
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe("What ended a run that did not complete, else null."),
  question: z.string().optional(),
  response: z.string().describe("The answer, or what was shown of it when the run was stopped.").optional(),
  verdict: from(openObject, printer(verdict))
    .nullable()
    .describe("As in ask.schema.json; null when the run was stopped or the answer is withheld.")
    .optional(),
  citations: z
    .array(from(openObject, printer(citation)))
    .describe("As in ask.schema.json.")
    .optional(),
});
const printRun = printer(run);
/** run.schema.json: what was asked and answered, what it rests on, and what ended it. */
export const runDetailShape = ({ answer, ...rest }: RunView) => printRun({ ...rest, ...answer });

/** The schema itself, for who must state it beforehand. */
export { ask as askDocument };
/** The documents of this file, for config/schemas/. */
export const answerDocuments = [ask, run];
