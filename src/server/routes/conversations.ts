import { z } from "../../core/schema.ts";
import { documentNamed } from "../../operations/json-schemas.ts";
import { runDetailShape } from "../../shapes/answer.ts";
import { schemaVersion } from "../../shapes/shape.ts";
import { type Call, type Endpoint, endpoint, withTag } from "../define-route.ts";
import { json } from "../reply.ts";
import { conversationsSchema, conversationsShape } from "../shapes.ts";
import { answerEvent, streamResponse } from "../stream/answers.ts";
import { answerEvents } from "./questions.ts";

const keyOf = ({ conversation = "" }: Readonly<Record<string, string>>, { visitor }: Call) => ({
  principal: visitor.principal,
  conversation,
});

const one = z.object({
  schema_version: z.literal(schemaVersion),
  runs: z.array(documentNamed("run")).describe("Its newest questions, oldest first."),
});

/** One's own conversations: of questions that were sent with the id of one. */
export const conversations: readonly Endpoint[] = withTag("Conversations", [
  endpoint(
    "GET /v1/conversations",
    "List your own conversations, the last asked in first",
    {
      query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(20) }),
      answers: { 200: { description: "Conversations", schema: conversationsSchema } },
    },
    async ({ query: { limit } }, { server, run }) =>
      json(conversationsShape({ conversations: await server.app.conversations(limit, run) })),
  ),
  endpoint(
    "GET /v1/conversations/{conversation}",
    "Show a conversation of your own",
    { answers: { 200: { description: "Its questions and answers", schema: one } } },
    async ({ params: { conversation = "" } }, { server, run }) => {
      const asked = await server.app.conversation(conversation, run);
      return json({ schema_version: schemaVersion, runs: asked.map(runDetailShape) });
    },
  ),
  endpoint(
    "GET /v1/conversations/{conversation}/events",
    "Follow the answer that is being written in a conversation, from its beginning",
    { answers: { 200: { description: "The stream of POST /v1/ask", events: answerEvents } } },
    ({ params }, call) =>
      streamResponse(call.server.underWay.follow(keyOf(params, call), call.run.signal), call, answerEvent),
  ),
  endpoint(
    "DELETE /v1/conversations/{conversation}/events",
    "Stop the answer that is being written in a conversation",
    { answers: { 204: { description: "It stops" } } },
    ({ params }, call) => {
      call.server.underWay.stop(keyOf(params, call));
      return new Response(null, { status: 204 });
    },
  ),
]);
