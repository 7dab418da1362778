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
import { chunkId, count, milliseconds, openObject, ordinal, phaseTimings, placeMembers } from "./members.ts";
import { runMembers } from "./runs.ts";
import { lineId, unavailable } from "./search.ts";
import { derive, documentSchema, printer, type Source } from "./shape.ts";

const share = z.number().min(0).max(1);
/** A passage that is cited, with its quotes. */
export const citation = derive(
  z.object({
    marker: ordinal.describe("The number in brackets in the response."),
    source_file: z.string(),
    ...placeMembers,
    chunk_id: chunkId,
    quote: z.string().describe("The sentence of the passage that supports the first sentence citing it."),
    quotes: z
      .array(z.string())
      .describe("The supporting sentence for every sentence that cites it, in order, without repeats."),
  }),
  (value: Citation) => ({ ...value, ...placeOf(value.pages, value.section, value.cells ?? []) }),
);
/** A judged sentence. */
export const sentence = derive(
  z.object({
    text: z.string(),
    markers: z.array(ordinal),
    support: z.enum(["supported", "partial", "unsupported"]),
    reason: z.string().describe("What is missing; empty if supported."),
    rule: z.string().describe("Id of the check that decided; for a supported sentence, the check it passed."),
    derivation: z
      .string()
      .describe("How numbers that are in no passage were calculated; absent if all are in a passage.")
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
      "How it was answered: by the model, by quoted sentences, refused for lack of evidence, without a search, with a question back, or with unsupported sentences.",
    ),
  reason: z.string(),
  evidence: share.describe("Score of the best passage."),
  threshold: share.describe("Threshold that the evidence had to reach."),
  grounded: z
    .enum(groundedModes)
    .describe("How unsupported sentences were treated: removed, marked or kept."),
  removed: count.describe("Number of sentences removed as unsupported."),
  sentences: z
    .array(sentence)
    .describe("Every sentence of the answer, written or quoted, including removed ones."),
});
const tool = derive(
  z.object({
    tool: z.string(),
    type: z.enum(toolTypes),
    arguments: openObject,
    reason: z.string().describe("Why it was chosen."),
    status: z.enum(["ok", "failed", "denied"]),
    code: z.string().describe("Error code of a failure; otherwise empty."),
    message: z.string(),
    data: openObject.describe("Typed result, e.g. the SQL with its rows."),
    duration_ms: milliseconds,
  }),
  ({ call, ...result }: ToolResult) => ({ ...result, ...call }),
);
const trace = z.object({
  node: z.string(),
  decided: z.string().describe("Human-readable line."),
  duration_ms: milliseconds,
  details: openObject.describe("Scores and names that led to the decision."),
});

export { trace as traceSchema };
/** One member of `trace` in ask.schema.json, and the event of `--trace` in JSON lines. */
export const traceShape = printer(trace);

/**
 * Refusals, questions back and answers with sentences that no passage supports end with statuses of their
 * own.
 */
export function exitStatusFor({ status }: Verdict): number {
  if (status === "refused") return errorTable.EVIDENCE_MISSING.exit;
  if (status === "clarify") return errorTable.QUESTION_VAGUE.exit;
  return status === "unverified" ? errorTable.ANSWER_UNVERIFIED.exit : 0;
}

const plannedPhase = z.object({ phase: z.string(), duration_ms: milliseconds });
const budget = derive(
  z.object({
    promised_ms: milliseconds.describe("Time budget."),
    used_ms: milliseconds,
    rates: z
      .enum(["measured", "warm-up", "assumed"])
      .describe(
        "Basis of the plan: past runs on this machine, a short test generation, or cautious defaults.",
      ),
    kind: z.enum(["write", "quote"]).describe("Whether the model writes the answer or sentences are quoted."),
    formulations: count.describe("Maximum number of search queries."),
    passages: count.describe("Maximum number of passages the model reads; 0 if sentences are quoted."),
    prompt_tokens: count,
    answer_tokens: count.describe("Maximum length of the answer."),
    planned: z.array(plannedPhase).describe("Expected time of each phase."),
    left_out: z.array(z.string()).describe("What an answer without a budget would have used."),
  }),
  ({ plan, ...report }: BudgetReport) => ({ ...plan, ...report, planned: plan.phases }),
);

const searched = z.object({
  documents: count,
  pages: count,
  unread_documents: count.describe("Files that the last ingest failed to read."),
  unread_pages: count.describe("Known pages without text in the documents searched."),
  nearest: z
    .array(
      derive(
        z.object({
          source_file: z.string(),
          ...placeMembers,
          collection: z.string(),
          chunk_id: chunkId,
          quote: z.string().describe("Its sentence closest to the question; empty if there is none."),
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
    .describe("Passages that were found but did not answer the question, best first."),
});

const ask = documentSchema("ask", "Output of ragctl ask --format json, and one line of a batch", {
  id: lineId,
  query: z.string(),
  intent: z.enum(intents),
  agent: z.string().nullable().describe("Agent that answered; null if there is none you can use."),
  model: z.string().nullable().describe("Model that wrote the response; null if no model did."),
  response: z.string(),
  citations: z.array(citation),
  verdict,
  refused: z.boolean().describe("Whether verdict.status is refused."),
  exit_status: count.describe(
    "Exit status of the command: 0 answered, 5 refused, 6 unverified, 9 needs clarification.",
  ),
  tools: z.array(tool).describe("Calls of tools other than search."),
  trace: z.array(trace).describe("Decisions of the steps, in order."),
  unavailable,
  phases: phaseTimings,
  draft: z
    .object({ model: z.string(), text: z.string(), sentences: z.array(sentence) })
    .describe(
      "What a small model wrote below its quotes, with answer.write always; not part of the response.",
    )
    .optional(),
  searched: searched.describe("What was searched; only in refusals.").optional(),
  budget: budget.describe("Only if the time was limited.").optional(),
  run_id: z
    .string()
    .describe("Id for ragctl logs and ragctl replay; absent if nothing was recorded.")
    .optional(),
});
const printAsk = printer(ask);
/** ask.schema.json; in a batch the caller adds `id`. */
export const askShape = (answer: Omit<Source<typeof ask>, "refused" | "exitStatus">) =>
  printAsk({
    ...answer,
    refused: answer.verdict.status === "refused",
    exitStatus: exitStatusFor(answer.verdict),
  });

const run = documentSchema("run", "Output of ragctl logs RUN --format json", {
  ...runMembers,
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe("Error that ended the run; null if it completed."),
  question: z.string().optional(),
  response: z.string().describe("The answer, or the part shown before the run was stopped.").optional(),
  verdict: verdict.nullable().describe("Null if the run was stopped or the answer is withheld.").optional(),
  ...ask.pick({ agent: true, model: true, citations: true, draft: true }).partial().shape,
  ...ask.pick({ tools: true, trace: true, unavailable: true }).partial().shape,
  searched: searched.omit({ nearest: true }).optional(),
});
const printRun = printer(run);
type RunDetail = Source<typeof run>;
type RunFacts = Pick<RunDetail, keyof Source<z.ZodObject<typeof runMembers>> | "error">;
/** run.schema.json: question, answer, sources, and the end of the run. */
export const runDetailShape = ({
  answer,
  ...rest
}: RunFacts & { readonly answer: Omit<Partial<RunDetail>, keyof RunFacts> | null }) =>
  printRun({ ...rest, ...answer });

/** The schema itself, for who must state it beforehand. */
export { ask as askDocument };
/** The documents of this file, for config/schemas/. */
export const answerDocuments = [ask, run];
