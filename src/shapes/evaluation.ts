import type { DraftQuestion, EvalOutcome, EvalPlace, EvalReport } from "../core/answers/evaluation.ts";
import { z } from "../core/schema.ts";
import { count, differenceMembers, milliseconds, ordinal } from "./members.ts";
import { derive, documentSchema, printer } from "./shape.ts";

const scores = z
  .record(z.string(), z.number())
  .describe("Metric → value; metrics that do not apply to the question are missing.");
const place = derive(
  z.object({ source_file: z.string().describe("Base name."), pages: z.array(ordinal) }),
  ({ document, pages }: EvalPlace) => ({ sourceFile: document, pages }),
);
const summary = z.object({
  metric: z.string(),
  mean: z.number(),
  low: z.number().describe("Lower bound of the 95 % bootstrap interval."),
  high: z.number(),
  questions: count.describe("Questions for which the metric is defined."),
});
const metrics = z.array(summary);
const difference = z.object({
  ...differenceMembers,
  questions: count.describe("Number of pairs: questions with this metric in both runs."),
});
const outcome = derive(
  z.object({
    id: z.string(),
    line: ordinal.describe("Line in the file of questions."),
    question: z.string(),
    group: z.string(),
    draft: z.boolean(),
    scores,
    hits: z.array(place),
    answer: z
      .object({
        run_id: z.string().describe("Id for ragctl logs and ragctl replay."),
        response: z.string(),
        status: z.string().describe("As verdict.status of ask.schema.json."),
        reason: z.string(),
        citations: z.array(place),
      })
      .nullable()
      .describe("Null if only retrieval was evaluated."),
  }),
  ({ question: { id, line, question, group, draft }, ...rest }: EvalOutcome) => ({
    ...{ id, line, question, group, draft },
    ...rest,
  }),
);
const excluded = z.array(
  z.object({
    line: ordinal,
    id: z.string().describe("Empty if it cannot be read."),
    kind: z.enum(["line", "document", "failed"]),
    reason: z.string(),
  }),
);
const evaluation = documentSchema("eval", "Output of ragctl eval --format json", {
  version: z.string().describe("Version of ragctl."),
  principal: z.string(),
  top_k: ordinal,
  answers: z.boolean().describe("Whether answers were evaluated, or retrieval only."),
  model: z.string().nullable().describe("Model that wrote the answers; null if no model did."),
  duration_ms: milliseconds,
  drafts: count.describe("Evaluated questions that a model drafted and nobody has checked."),
  metrics,
  groups: z.array(z.object({ group: z.string(), metrics })).describe("Empty if there is only one group."),
  ablations: z.array(
    z.object({
      variant: z.string(),
      description: z.string(),
      metrics,
      differences: z.array(difference).describe("Compared with the complete search."),
    }),
  ),
  comparison: z
    .object({
      differences: z.array(difference),
      changed: z.array(
        z.object({ id: z.string(), metric: z.string(), before: z.number(), after: z.number() }),
      ),
      unmatched: z.array(z.string()).describe("Ids present in only one run, or with a different question."),
    })
    .nullable(),
  gates: z.array(
    z.object({
      metric: z.string(),
      operator: z.enum([">=", "<=", ">", "<"]),
      bound: z.number(),
      value: z.number().nullable().describe("Null if the metric could not be computed."),
      passed: z.boolean(),
      reason: z.string(),
    }),
  ),
  excluded,
  questions: z.array(outcome).describe("In file order."),
});
const printEvaluation = printer(evaluation);
/** eval.schema.json. */
export const evaluationShape = ({ programVersion, outcomes, ...rest }: EvalReport) =>
  printEvaluation({ ...rest, version: programVersion, questions: outcomes });

const draft = derive(
  z.object({
    id: z.string(),
    question: z.string(),
    doc: z.string(),
    answer: z.string(),
    answerable: z.boolean(),
    evidence_pages: z.array(ordinal),
    draft: z.boolean().describe("True until someone has checked the question."),
    passage: z.string().describe("The text it was drafted from."),
  }),
  ({ document, pages, ...rest }: DraftQuestion) => ({
    ...rest,
    ...{ doc: document, answerable: true, evidencePages: pages, draft: true },
  }),
);
const drafts = documentSchema("eval-drafts", "Output of ragctl eval make --format json", {
  questions: z.array(draft),
});
const printDrafts = printer(drafts);
/** One line of a file of questions. */
export const draftShape = printer(draft);
/** eval-drafts.schema.json. */
export const draftsShape = (questions: readonly DraftQuestion[]) => printDrafts({ questions });

/** The documents of this file, for config/schemas/. */
export const evaluationDocuments = [evaluation, drafts];
