import { named } from "../../app/audit/attempt.ts";
import { timelineOf } from "../../app/verify/timeline.ts";
import { z } from "../../core/schema.ts";
import { visibleCharacter } from "../../core/text.ts";
import { chunkId, ordinal } from "../../shapes/members.ts";
import { unavailable } from "../../shapes/search.ts";
import { documentSchema, printer } from "../../shapes/shape.ts";
import { collections, limit } from "../fields.ts";
import { field, operation } from "../operation.ts";
import { location, plural, unavailableNotes } from "../text.ts";

const schema = documentSchema("timeline", "Output of ragctl timeline --format json", {
  topic: z.string(),
  statements: z
    .array(
      z.object({
        date: z.string().describe("2026-03-01, 2026-03, or 2026 where day and month cannot be told apart."),
        statement: z.string().describe("The sentence or row, as the document has it."),
        document_id: z.string(),
        document: z.string().describe("Name of the document."),
        collection: z.string(),
        chunk_id: chunkId,
        pages: z.array(ordinal),
        headings: z.array(z.string()),
        cells: z.array(z.string()),
      }),
    )
    .describe("Earliest first; a statement with several dates is listed under each."),
  unavailable,
});

/** Dated statements about a topic, in order. */
export const timeline = operation({
  name: "timeline",
  input: {
    topic: field(
      "<topic>",
      z.string().max(4000).regex(visibleCharacter, "must not be empty"),
      "topic to search for",
    ),
    collections: collections("search only this collection"),
    limit: limit(100, 50, "maximum number of passages to search for dates"),
  },
  document: schema,
  lines: "statements",
  examples: ['ragctl timeline "maintenance of the cooling pump"'],
  stage: "searching",
  http: { route: "GET /v1/timeline", tag: "Questions", answer: "Statements, earliest first" },
  mcp: { effect: "reads" },
  attempt: ({ question: topic, collection }) => [
    { input: { topic, limit: 100 }, certain: false },
    { input: { topic, collections: [collection] }, by: "of its collection", ...named, certain: false },
  ],
  run: (app, { topic, collections, limit: topK }, { run }) =>
    timelineOf({ query: topic, topK, collections, mode: "hybrid" }, app, run),
  print: printer(schema),
  text: ({ statements }) => [
    ...statements.map(
      ({ date, statement, document, pages, headings, cells }) =>
        `${date.padEnd(10)}  ${statement}\n            ${location(document, pages, headings.join(" › "), cells)}`,
    ),
    plural(statements.length, "dated statement"),
  ],
  notes: ({ unavailable }) => unavailableNotes(unavailable),
});
