import type { PhaseMetrics } from "../core/run.ts";
import { z } from "../core/schema.ts";
import { derive } from "./shape.ts";

/** A count of things. */
export const count = z.int().min(0);
/** A number from 1. */
export const ordinal = z.int().min(1);
/** Milliseconds. */
export const milliseconds = z.number().min(0);
/** A point in time. */
export const time = z.string().describe("ISO 8601.");
/** A JSON object that is printed unchanged. */
export const openObject = z.record(z.string(), z.unknown());
/** The Milvus instance of a collection. */
export const instance = z.enum(["public", "private"]);

/** The place of a passage, as members of a schema. */
export const placeMembers = {
  page_number: ordinal.nullable().describe("First of pages; null if the format has none."),
  pages: z.array(ordinal).describe("Pages or slides, 1-based, ascending; empty if the format has none."),
  section: z
    .string()
    .describe("Heading path of the quoted text, levels separated by ' › '; empty if there is none."),
  cells: z
    .array(z.string())
    .describe(
      "Spreadsheet cells, e.g. Pumps!C7 or Pumps!A2:I8, or C7 in a CSV; lines of text and code (lines 12–40); times of subtitles (00:02:05–00:03:10); cells of a notebook (cell 3); the label of a page that is not its number (labelled ii); empty for other formats.",
    ),
};

/** Two runs on the same questions, by one metric, as members of a schema. */
export const differenceMembers = {
  metric: z.string(),
  before: z.number(),
  after: z.number(),
  difference: z.number(),
  low: z.number().describe("Lower bound of the 95 % bootstrap interval of the difference."),
  high: z.number(),
  p: z.number().describe("Two-sided, by approximate randomization over pairs."),
};

/** The id of a passage. */
export const chunkId = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/)
  .describe("Stable id of the chunk.");

/** A phase as one flat object: its counts next to `phase` and `duration_ms`. */
const phase = derive(
  z
    .object({
      phase: z.string(),
      duration_ms: milliseconds.describe("Wall-clock time of the phase, milliseconds."),
    })
    .catchall(z.number()),
  ({ counts, ...rest }: PhaseMetrics) => ({ ...counts, ...rest }),
);

/** What every run took, phase by phase. */
export const phaseTimings = z
  .array(phase)
  .describe("One entry per phase, in order; other members are counts named after their unit.");
