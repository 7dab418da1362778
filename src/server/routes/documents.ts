import { boxesOf } from "../../app/documents/places.ts";
import { RagctlError } from "../../core/errors.ts";
import { chunkContaining } from "../../core/retrieval.ts";
import { z } from "../../core/schema.ts";
import { name } from "../../operations/fields.ts";
import { documentNamed } from "../../operations/json-schemas.ts";
import { documentsShape } from "../../shapes/documents.ts";
import { type Endpoint, endpoint, parseOrReject, type Untagged, withTag } from "../define-route.ts";
import { json } from "../reply.ts";
import { jsonResponse, page, pageShape, passage, passageShape } from "../shapes.ts";

const wholeNumber = z.coerce.number().int().min(0);

/** The document that a path names, or an empty name that none has. */
const reference = ({ document = "" }: Readonly<Record<string, string>>): string => document;

const listing: readonly Untagged[] = [
  endpoint(
    "GET /v1/documents",
    "List documents; the header X-Total-Count has their total number",
    {
      query: z.strictObject({
        collection: z.array(name).max(100).optional(),
        limit: z.coerce.number().int().min(1).max(5000).default(500),
        offset: wholeNumber.default(0),
      }),
      answers: { 200: { description: "Documents", schema: documentNamed("list") } },
    },
    async ({ query: { collection = [], limit, offset } }, { server, run }) => {
      const all = await server.app.documents(collection, run);
      const total = { "x-total-count": String(all.length) };
      return json(documentsShape(all.slice(offset, offset + limit)), 200, total);
    },
  ),
  endpoint(
    "DELETE /v1/documents/{document}",
    "Remove a document; if its file was uploaded, it is removed too",
    jsonResponse("The removed document", "list"),
    async ({ params }, { server, run }) => {
      const removed = await server.app.forget([reference(params)], run);
      return json(documentsShape(removed));
    },
  ),
];

const reading: readonly Untagged[] = [
  endpoint(
    "GET /v1/documents/{document}/original",
    "Download the file as it was ingested",
    {
      answers: {
        200: { description: "The file", mediaType: "application/octet-stream" },
        206: { description: "The part requested with Range", mediaType: "application/octet-stream" },
        304: { description: "The file matches If-None-Match" },
        416: { description: "The range is outside the file" },
      },
    },
    async ({ params }, { server, run, request }) => {
      const document = await server.app.source(reference(params), run);
      return server.originals.response(document, request);
    },
  ),
  endpoint(
    "GET /v1/documents/{document}/pages/{page}",
    "Show the text of a page with its positions; page 0 is the text of a format without pages",
    { answers: { 200: { description: "The page", schema: page } } },
    async ({ params }, { server, run }) => {
      const number = parseOrReject(wholeNumber, params["page"], "the page");
      const { document } = await server.app.background.history(reference(params), run);
      const { blocks, pageCount } = await server.app.reading(document.id, run);
      if (number > pageCount || (number === 0 && pageCount > 0))
        throw new RagctlError("NOT_FOUND", `${document.name} has no page ${number}`, {
          hint: `its last page is ${pageCount}`,
        });
      const onPage = blocks.filter(({ pages }) => number === 0 || pages.includes(number));
      return json(
        pageShape({
          documentId: document.id,
          page: number,
          pageCount,
          blocks: onPage.map(({ kind, text, level = null, boxes = [], confidence = null }) => ({
            kind,
            text,
            level,
            boxes: boxes.filter((box) => box.page === number),
            confidence,
          })),
        }),
      );
    },
  ),
  endpoint(
    "GET /v1/passages/{chunk}",
    "Show a passage with its document and its position on the pages",
    {
      query: z.strictObject({ quote: z.string().max(20_000).optional() }),
      answers: { 200: { description: "The passage", schema: passage } },
    },
    async ({ params, query: { quote = "" } }, { server, run }) => {
      const { document, chunk } = await server.app.passage(params["chunk"] ?? "", run);
      const { pages } = chunk;
      // Only a format with pages has places; others need not be read again.
      const content = pages.length === 0 ? { blocks: [] } : await server.app.reading(document.id, run);
      const [boxes, quoteBoxes] = [boxesOf(chunk.text, pages, content), boxesOf(quote, pages, content)];
      return json(passageShape({ document, chunk: chunkContaining({ chunk }, quote), boxes, quoteBoxes }));
    },
  ),
];

const collection = endpoint(
  "DELETE /v1/collections/{collection}",
  "Remove a collection with its documents and uploaded files",
  jsonResponse("The removed item", "list"),
  async ({ params: { collection = "" } }, { server, run }) =>
    json(documentsShape(await server.app.forgetCollection(collection, run))),
);

/** Stored documents, one by one and by collection. */
export const documents: readonly Endpoint[] = [
  ...withTag("Documents", [...listing, ...reading]),
  ...withTag("Company", [collection]),
];
