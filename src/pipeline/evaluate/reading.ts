import type { ProbedQuestion, Reading, ReadingOutcome, Share } from "../../core/answers/reading.ts";
import type { Chunk } from "../../core/documents/chunk.ts";
import type { Context } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import { isDeclineReply } from "../answer/prompt.ts";
import { statementsOf } from "../answer/statements.ts";
import { contains } from "./compare-texts.ts";

const spellings = z.union([z.string().transform((text) => [text]), z.array(z.string()).min(1)]);
const questionSchema = z.strictObject({
  kind: z.enum(["fact", "table", "reckoning", "list", "orders", "absent"]),
  ask: z.string(),
  right: z.array(spellings).default([]),
  wrong: z.array(z.string()).default([]),
});
const passageSchema = z.strictObject({
  source: z.string(),
  page: z.number().optional(),
  heading: z.string(),
  text: z.string(),
});
const probeSchema = z.strictObject({
  sets: z.array(
    z.strictObject({
      language: z.string(),
      passages: z.array(passageSchema),
      questions: z.array(questionSchema),
    }),
  ),
});

/** A question about passages with the content of a correct answer: every entry, in any of its spellings. */
export type ReadingQuestion = z.infer<typeof questionSchema>;

/** Questions about passages; all questions of a set are about the same passages. */
export type ReadingProbe = z.infer<typeof probeSchema>;

/** The questions of a parsed config/reading.yaml. @throws if the form is invalid */
export const readProbe = (content: unknown): ReadingProbe => probeSchema.parse(content);

const chunkOf = ({ source, page, heading, text }: z.infer<typeof passageSchema>, ordinal: number): Chunk => ({
  id: `reading-${ordinal}`,
  documentId: source,
  versionId: source,
  ordinal,
  text,
  title: heading,
  headings: [heading],
  pages: page === undefined ? [] : [page],
  contentType: "paragraph",
  tokenCount: 0,
  sourcePath: source,
  sourceName: source,
  format: "text",
  collection: "reading",
  department: "",
  method: "reading",
  contentHash: "",
});

/** What a model is shown for a question: all passages of its set. */
export const contextOf = ({ passages }: ReadingProbe["sets"][number], { ask }: ReadingQuestion): Context => ({
  question: ask,
  passages: passages.map((passage, at) => ({
    marker: at + 1,
    chunk: chunkOf(passage, at),
    text: passage.text,
  })),
  tokenCount: 0,
  dropped: { overBudget: 0, duplicate: 0 },
});

/** Grades an answer. */
export function gradeProbeAnswer(
  { right, wrong }: Pick<ReadingQuestion, "right" | "wrong">,
  answer: string,
): ReadingOutcome {
  if (answer.trim() === "") return "silent";
  if (isDeclineReply(answer)) return "refused";
  const isRight =
    right.length > 0 && right.every((accepted) => contains(answer, accepted)) && !contains(answer, wrong);
  return isRight ? "right" : "invented";
}

/** Whether every sentence of an answer ends with valid passage numbers. */
export function hasWellFormedCitations(answer: string, passages: number): boolean {
  const statements = statementsOf(answer);
  return (
    statements.length > 0 &&
    statements.every(
      ({ markers, isLent }) =>
        !isLent && markers.length > 0 && markers.every((marker) => marker >= 1 && marker <= passages),
    )
  );
}

/** Counts the results of a probe. */
export function tallyProbe(questions: readonly ProbedQuestion[]): Reading {
  const absent = questions.filter(({ kind }) => kind === "absent");
  const count = (of: readonly ProbedQuestion[], outcome: ReadingOutcome): number =>
    of.filter((question) => question.outcome === outcome).length;
  const written = questions.filter(({ outcome }) => outcome === "right" || outcome === "invented");
  return {
    answerable: questions.length - absent.length,
    right: count(questions, "right"),
    absent: absent.length,
    refused: count(absent, "refused"),
    invented: count(questions, "invented"),
    written: written.length,
    cited: written.filter(({ cited }) => cited).length,
  };
}

/** Quantile of the normal distribution for 95 %. */
const normal95 = 1.96;

/**
 * A share with its 95 % interval, which does not collapse at 0 or 1. Source: Wilson, Probable Inference, the
 * Law of Succession, and Statistical Inference, JASA 1927.
 */
export function wilsonInterval(count: number, of: number): Share {
  if (of === 0) return { count, of, share: 0, low: 0, high: 1 };
  const share = count / of;
  const squared = normal95 ** 2;
  const middle = share + squared / (2 * of);
  const reach = normal95 * Math.sqrt((share * (1 - share)) / of + squared / (4 * of * of));
  const scale = 1 + squared / of;
  return {
    ...{ count, of, share },
    low: Math.max(0, (middle - reach) / scale),
    high: Math.min(1, (middle + reach) / scale),
  };
}

/** Share of questions handled correctly: answered if the passages have the answer, refused otherwise. */
export const readingScore = ({ answerable, right, absent, refused }: Reading): Share =>
  wilsonInterval(right + refused, answerable + absent);
