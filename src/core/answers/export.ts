import { z } from "../schema.ts";

/** A citation of an exported answer, with the file that it was read from. */
const citation = z.object({
  marker: z.int().min(1),
  document: z.string(),
  document_id: z.string(),
  collection: z.string(),
  pages: z.array(z.int().min(1)),
  section: z.string(),
  quotes: z.array(z.string()),
  /** SHA-256 of the file, in hex; "" where the document had changed by the time of the export. */
  sha256: z.string(),
});
export type ExportedCitation = z.output<typeof citation>;

/** The record that an exported answer is checked against; its page contains it as JSON. */
export const exportRecord = z.object({
  format: z.literal("ragctl-export"),
  version: z.literal(1),
  run_id: z.string(),
  question: z.string(),
  response: z.string(),
  principal: z.string(),
  asked_at: z.string(),
  exported_at: z.string(),
  program_version: z.string(),
  citations: z.array(citation),
  verdict: z.record(z.string(), z.unknown()),
  /** What decided the answer, for `ragctl replay`; null where it was not kept. */
  replay: z.record(z.string(), z.unknown()).nullable(),
  /** SHA-256 of the page without this record, in hex. */
  page_sha256: z.string(),
});
export type ExportRecord = z.output<typeof exportRecord>;

/** What became of a citation of an exported answer: its file is the same, another one, or not there. */
export const citationStates = ["unchanged", "changed", "gone"] as const;
