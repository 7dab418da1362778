import { named } from "../../app/audit/attempt.ts";
import { similarDocuments } from "../../app/verify/similar.ts";
import { z } from "../../core/schema.ts";
import { document } from "../../shapes/documents.ts";
import { ordinal } from "../../shapes/members.ts";
import { unavailable } from "../../shapes/search.ts";
import { documentSchema, printer } from "../../shapes/shape.ts";
import { collections, limit } from "../fields.ts";
import { operation } from "../operation.ts";
import { listed } from "../result-text.ts";
import { singleLine, unavailableNotes } from "../text.ts";
import { document as reference } from "./reference.ts";

const schema = documentSchema("similar", "Output of ragctl similar --format json", {
  document: document.describe("The document that others are compared with."),
  similar: z
    .array(
      z.object({
        document_id: z.string(),
        document: z.string().describe("Name of the document."),
        collection: z.string(),
        score: z.number().describe("Cosine of its nearest passage with the mean of the document's passages."),
        pages: z.array(ordinal).describe("Pages of its nearest passages, nearest first."),
      }),
    )
    .describe("Best first."),
  unavailable,
});

/** Documents like one document. */
export const similar = operation({
  name: "similar",
  input: {
    document: reference,
    collections: collections("compare only with documents in this collection"),
    limit: limit(100, 10, "maximum number of documents to list"),
  },
  document: schema,
  lines: "similar",
  examples: ["ragctl similar policy_handbook.pdf --limit 5"],
  stage: "comparing documents",
  http: { route: "GET /v1/documents/{document}/similar", tag: "Documents", answer: "Documents, best first" },
  mcp: { effect: "reads", name: "similar_documents" },
  attempt: ({ document: { id }, word }) => [
    { input: { document: id, limit: 100 }, by: "by id", ...named },
    { input: { document: `${word}.md`, limit: 100 }, by: "by name", ...named },
  ],
  run: (app, { document, ...rest }, { run }) => similarDocuments(document, rest, app.parts, run),
  print: printer(schema),
  text: ({ similar }) =>
    listed(similar, "no document to compare with; `ragctl ingest PATH` adds some", {
      score: ({ score }) => score,
      document: (each) => singleLine(each.document),
      collection: ({ collection }) => collection,
      pages: ({ pages }) => pages.join(", "),
    }),
  notes: ({ unavailable }) => unavailableNotes(unavailable),
});
