// The forms of labelled questions that the scripts here read.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Chunk } from "../../src/core/documents/chunk.ts";
import { z } from "../../src/core/schema.ts";

/** A question about pages of a document; a script extends it by what else it reads. */
export const pageQuestion = z.object({
  question: z.string(),
  /** File that answers it; null for none. */
  doc: z.string().nullable(),
  answerable: z.boolean(),
  /** 1-based. */
  evidence_pages: z.array(z.number()),
  text_only_ok: z.boolean().optional(),
  needs_ocr: z.boolean().optional(),
});
type PageQuestion = z.infer<typeof pageQuestion>;

/** Questions about paragraphs of articles, in the form of SQuAD 2.0. */
export const squad = z.object({
  data: z.array(
    z.object({
      title: z.string(),
      paragraphs: z.array(
        z.object({
          context: z.string(),
          qas: z.array(
            z.object({
              id: z.string(),
              question: z.string(),
              answers: z.array(z.object({ text: z.string() })),
              is_impossible: z.boolean().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** Questions about a table and the paragraphs beside it, in the form of TAT-QA. */
export const tatqa = z.array(
  z.object({
    table: z.object({ table: z.array(z.array(z.string())) }),
    paragraphs: z.array(z.object({ text: z.string() })),
    questions: z.array(
      z.object({
        question: z.string(),
        answer: z.unknown(),
        answer_type: z.string(),
        answer_from: z.string(),
        /** How an answer was computed; "" for one that stands there. */
        derivation: z.string().default(""),
        /** `thousand`, `million`, `billion`, `percent` or "". */
        scale: z.string(),
      }),
    ),
  }),
);

/** The lines of a JSONL text, each checked; empty ones are left out. */
export function parseLines<Line>(text: string, schema: z.ZodType<Line>): Line[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}

/** The lines of a JSONL file. */
export const readLines = <Line>(path: string, schema: z.ZodType<Line>): Line[] =>
  parseLines(readFileSync(path, "utf8"), schema);

/** Whether a page is known that answers it. */
export const isLocated = ({ answerable, evidence_pages }: PageQuestion): boolean =>
  answerable && evidence_pages.length > 0;

/** Whether a chunk stands on one of the pages that answer it. */
export const isOnEvidence = (
  { doc, evidence_pages }: Pick<PageQuestion, "doc" | "evidence_pages">,
  { sourceName, pages }: Pick<Chunk, "sourceName" | "pages">,
): boolean =>
  basename(sourceName) === basename(doc ?? "") && pages.some((page) => evidence_pages.includes(page));

/** Whether it can be answered from the text of its pages: it needs neither a figure nor OCR. */
export const isTextual = ({ text_only_ok, needs_ocr }: PageQuestion): boolean =>
  text_only_ok !== false && needs_ocr !== true;

/** Whether a file's name has the title of an article, both by their letters and digits. */
export function isNamedFor(file: string, title: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  return letters(file.replace(/\.[a-z]+$/i, "")).includes(letters(title.replace(/\.[a-z]+$/i, "")));
}
