import type { SearchResult } from "../core/app.ts";
import { cellsOf } from "../core/documents/cells.ts";
import type { Hit } from "../core/retrieval.ts";
import { z } from "../core/schema.ts";
import { placeOf, sectionOf } from "./documents.ts";
import { chunkId, count, ordinal, phaseTimings, placeMembers } from "./members.ts";
import { derive, documentSchema, printer } from "./shape.ts";

/** Which question of a batch a line answers. */
export const lineId = z
  .union([z.string(), z.number()])
  .describe("Id of the line; only in batches.")
  .optional();
/** What could not be searched, as `search` and `ask` print it. */
export const unavailable = z
  .array(
    z.object({
      collection: z.string(),
      code: z.string().describe("An error code; see docs/reference/errors.md."),
      reason: z.string(),
      hint: z.string().describe("What to do about it; empty if unknown."),
    }),
  )
  .describe("Collections that could not be searched; empty if all were.");

const hit = derive(
  z.object({
    rank: ordinal.describe("From 1, best first."),
    score: z.number().describe("Comparable only between hits with the same via."),
    text: z.string(),
    source_file: z.string().describe("Name of the document, as listed by `ragctl list`."),
    ...placeMembers,
    chunk_id: chunkId,
    chunk_index: count.describe("Position of the chunk in its document, from 0."),
    content_type: z
      .string()
      .describe("Kind of its blocks: paragraph, table, list, heading, code and the like."),
    file_type: z.string().describe("Format of the document, e.g. pdf."),
    collection: z.string(),
    department: z.string().describe("Empty if the document has none."),
    via: z.enum(["dense", "lexical", "fused", "reranked"]).describe("Route that produced the score."),
    parts: z
      .record(z.string(), z.number())
      .optional()
      .describe("With --explain: contribution of each component to the score, by name."),
  }),
  ({ rank, chunk, score, via, parts }: Hit & { readonly rank: number }) => {
    const { sourceName: sourceFile, id: chunkId, ordinal: chunkIndex, format: fileType, pages } = chunk;
    const place = placeOf(pages, sectionOf(chunk), cellsOf(chunk));
    return { ...chunk, rank, score, via, parts, sourceFile, ...place, chunkId, chunkIndex, fileType };
  },
);
const search = documentSchema("search", "Output of ragctl search --format json, and one line of a batch", {
  id: lineId,
  query: z.string(),
  read_as: z
    .string()
    .optional()
    .describe("The query as searched, with misspelt words corrected from the documents."),
  hits: z.array(hit),
  found: z
    .boolean()
    .optional()
    .describe(
      "False if nothing fits: by their evidence the hits, which are the nearest, do not answer the query.",
    ),
  named: z.array(z.string()).describe("Documents named in the question; their passages rank higher."),
  unavailable,
  phases: phaseTimings,
});
const printSearch = printer(search);
/** search.schema.json; in a batch the caller adds `id`. */
export const searchShape = (result: SearchResult) =>
  printSearch({ ...result, hits: result.hits.map((each, index) => ({ ...each, rank: index + 1 })) });

/** The schema itself, for who must state it beforehand. */
export { search as searchDocument };
/** The documents of this file, for config/schemas/. */
export const searchDocuments = [search];
