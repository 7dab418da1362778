import { RagctlError } from "../../../core/errors.ts";
import { z } from "../../../core/schema.ts";
import { documentNamed } from "../../../operations/json-schemas.ts";
import { roundForOutput } from "../../../shapes/printed.ts";
import { type Call, endpoint } from "../../define-route.ts";
import { openAiError } from "../../failure.ts";
import { streamResponse } from "../../stream/answers.ts";
import type { ServerEvent } from "../../stream/events.ts";
import { answerDescription, keepAliveJson } from "../../stream/keep-alive.ts";
import { type ResponseEvent, responseEvents } from "./response-events.ts";
import { agentOf, content, questionOf, type SpokenMessage, streamError } from "./shared.ts";

const notKept = "must be omitted: nothing is stored between responses, so send the conversation as input";

const responseBody = z.looseObject({
  model: z.string().max(200).describe("ragctl, or ragctl/AGENT."),
  input: z
    .union([
      z.string().max(100_000),
      z
        .array(
          z.looseObject({
            type: z.string().optional(),
            role: z.string().max(50).optional(),
            content: content.nullish(),
          }),
        )
        .min(1)
        .max(400),
    ])
    .describe("The question, or the messages of a conversation; other items are ignored."),
  stream: z.boolean().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        vector_store_ids: z.array(z.string().min(1)).max(50).optional(),
        max_num_results: z.int().min(1).max(50).optional(),
      }),
    )
    .max(100)
    .nullish()
    .describe(
      "file_search with the collections to search as vector_store_ids, and the number of passages; other tools are ignored.",
    ),
  background: z.literal(false, "must be false: responses are synchronous").nullish(),
  previous_response_id: z.null(notKept).optional(),
  conversation: z.null(notKept).optional(),
});

const annotation = z.object({
  type: z.literal("file_citation"),
  index: z.int().min(0).describe("Position of the citation in the text, in UTF-16 code units."),
  file_id: z.string().describe("Id of the document."),
  filename: z.string(),
});
const fileSearch = z.object({
  type: z.literal("file_search_call"),
  id: z.string(),
  status: z.literal("completed"),
  queries: z.array(z.string()),
  results: z.array(
    z.object({
      file_id: z.string(),
      filename: z.string(),
      text: z.string(),
      attributes: z.record(z.string(), z.union([z.string(), z.number()])),
    }),
  ),
});
const message = z.object({
  type: z.literal("message"),
  id: z.string(),
  status: z.literal("completed"),
  role: z.literal("assistant"),
  content: z.array(
    z.object({
      type: z.literal("output_text"),
      text: z.string(),
      annotations: z.array(annotation),
      logprobs: z.array(z.unknown()),
    }),
  ),
});
const response = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  status: z.literal("completed"),
  model: z.string(),
  output: z.array(z.union([fileSearch, message])),
  usage: z.looseObject({
    input_tokens: z.int().min(0),
    output_tokens: z.int().min(0),
    total_tokens: z.int().min(0),
  }),
  ragctl: documentNamed("ask"),
});

type Body = z.output<typeof responseBody>;

/** The messages among the items of an input. */
function messagesOf(input: Body["input"]): readonly SpokenMessage[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  return input.flatMap(({ type = "message", role, content: given }) =>
    type === "message" && role !== undefined ? [{ role, content: given }] : [],
  );
}

/** Where a file_search tool narrows the search to. */
function narrowedBy({ tools }: Body, usual: number) {
  const searches = (tools ?? []).filter(({ type }) => type === "file_search");
  return {
    collections: [...new Set(searches.flatMap(({ vector_store_ids = [] }) => vector_store_ids))],
    topK: searches.find(({ max_num_results }) => max_num_results !== undefined)?.max_num_results ?? usual,
  };
}

/** Events as clients of OpenAI's responses read them. */
function eventText({ name, data }: ServerEvent): string {
  const shown = name === "error" ? { type: "error", ...streamError(data) } : data;
  return `event: ${name}\ndata: ${JSON.stringify(roundForOutput(shown))}\n\n`;
}

/** The response that the last of its events holds. */
async function last(events: AsyncIterable<ResponseEvent>, call: Call): Promise<unknown> {
  using _slot = call.server.auth.limits.stream(call.visitor.principal);
  for await (const { response: whole, type } of events) if (type === "response.completed") return whole;
  throw new RagctlError("INTERNAL", "the answer stream ended without an answer");
}

async function respond(body: Body, call: Call): Promise<Response> {
  const { server, run } = call;
  const { query, history } = questionOf(messagesOf(body.input));
  const request = { query, ...narrowedBy(body, server.settings.retrieve.topK), ...agentOf(body.model) };
  const events = server.app.ask(request, run, { history });
  const isStreamed = body.stream === true;
  const written = responseEvents(events, { query, model: body.model, isStreamed });
  if (!isStreamed) return keepAliveJson(last(written, call), call, undefined, openAiError);
  return streamResponse(written, call, (event) => ({ name: event.type, data: event }), eventText);
}

/** The route for clients of OpenAI's responses. */
export const responses = endpoint(
  "POST /v1/responses",
  "Answer the last message from the documents, with passages and citations; with stream: true, as it is written",
  {
    openAi: true,
    body: responseBody,
    answers: { 200: { description: answerDescription, schema: response, events: {} } },
  },
  ({ body }, call) => respond(body, call),
);
