import { blockKinds } from "../core/documents/document.ts";
import { z } from "../core/schema.ts";
import { documentNamed } from "../operations/json-schemas.ts";
import { chunkSchema, document } from "../shapes/documents.ts";
import { count, instance, milliseconds, ordinal, placeMembers } from "../shapes/members.ts";
import { printer, schemaVersion } from "../shapes/shape.ts";

/** The answer of an endpoint that returns exactly one JSON document of the command line. */
export const jsonResponse = (description: string, name: string) => ({
  answers: { 200: { description, schema: documentNamed(name) } },
});

const version = z.literal(schemaVersion);

const box = z.object({
  page: ordinal,
  left: z.number(),
  top: z.number(),
  right: z.number(),
  bottom: z.number(),
});
const boxes = z
  .array(box)
  .describe("In points from the top left corner of the page; empty if the format has no positions.");

/** `GET /v1/session`. */
export const session = z.object({
  schema_version: version,
  principal: z.string().describe("Principal whose permissions apply."),
  kind: z.enum(["owner", "person", "service"]),
  departments: z.array(z.string()),
  csrf_token: z
    .string()
    .describe("Send it in X-CSRF-Token with requests that change something; empty without a cookie."),
  signed_in_by: z.enum(["link", "key", "none"]),
  may_impersonate: z.boolean().describe("Whether the header X-Ragctl-As is accepted."),
});
/** As `session` is printed. */
export const sessionShape = printer(session);

/** `GET /v1/documents/{document}/pages/{page}`. */
export const page = z.object({
  schema_version: version,
  document_id: z.string(),
  page: count.describe("0 for a format without pages."),
  page_count: count,
  blocks: z.array(
    z.object({
      kind: z.enum(blockKinds),
      text: z.string(),
      level: ordinal.nullable().describe("Heading level, 1 to 6; null for other blocks."),
      boxes,
      confidence: z.number().nullable().describe("Confidence of OCR, 0 to 1; null for text not read by OCR."),
    }),
  ),
});
/** As `page` is printed. */
export const pageShape = printer(page);

/** `GET /v1/passages/{chunk}`. */
export const passage = z.object({
  schema_version: version,
  document,
  chunk: chunkSchema,
  boxes,
  quote_boxes: boxes.describe("Boxes of the blocks that contain the quote; empty if it was not found."),
});
/** As `passage` is printed. */
export const passageShape = printer(passage);

/** `GET /v1/conversations`. */
export const conversationsSchema = z.object({
  schema_version: version,
  conversations: z.array(
    z.object({
      id: z.string(),
      title: z.string().describe("Its first question that is still kept."),
      questions: count,
      asked_at: z.string().describe("Time of its last question."),
    }),
  ),
});
/** As `conversations` is printed. */
export const conversationsShape = printer(conversationsSchema);

const keptFile = {
  job_id: z.string(),
  name: z.string().describe("Name as stored, with unsafe characters replaced."),
  size_bytes: count,
};

/** A part of a form that was not accepted. */
export const failedPart = z.object({
  name: z
    .string()
    .nullable()
    .describe("Name of the file or field sent by the client; null if it could not be read."),
  code: z.string(),
  message: z.string(),
  hint: z.string().describe("What to do next; empty if unknown."),
});

/** The answer to an upload. */
export const uploadResponse = z
  .object({
    schema_version: version,
    ...keptFile,
    collection: z.string(),
    instance,
    uploads: z.array(z.object(keptFile)).describe("Every stored file, each with its own job."),
    failed: z.array(failedPart).describe("Other contents of the form, and why they were not stored."),
  })
  .describe("The first stored file, then all of them.");
/** As `upload` is printed. */
export const uploadShape = printer(uploadResponse);

/** Passages that an answer will rest on, before it is written. */
export const contextReady = z.object({
  question: z.string(),
  usual_ms: milliseconds
    .describe("Usual writing time here; absent if no model writes or none has yet.")
    .optional(),
  passages: z.array(
    z.object({
      marker: ordinal,
      chunk_id: z.string(),
      source_file: z.string(),
      ...placeMembers,
      collection: z.string(),
      text: z.string(),
    }),
  ),
});
/** As `contextReady` is printed. */
export const contextShape = printer(contextReady);
