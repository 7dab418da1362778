import type { ChatEvent } from "../../app/ask/chat.ts";
import { z } from "../../core/schema.ts";
import { askMembers, askOptions } from "../../operations/answers/ask.ts";
import { question } from "../../operations/answers/search.ts";
import { documentNamed } from "../../operations/json-schemas.ts";
import { askShape } from "../../shapes/answer.ts";
import { chatRoomsShape, messageSchema, messageShape } from "../../shapes/chat.ts";
import { schemaVersion } from "../../shapes/shape.ts";
import { type Call, type Described, type Endpoint, endpoint, withTag } from "../define-route.ts";
import { json } from "../reply.ts";
import { chatEvent, postMessage } from "../rooms/messages.ts";
import { frame } from "../rooms/socket.ts";
import { streamResponse, wantsEvents } from "../stream/answers.ts";
import { answerEvents } from "./questions.ts";

const said = z.object({
  schema_version: z.literal(schemaVersion),
  message: messageSchema,
  silent: z.string().nullable().describe("Why there is no reply; null if there is one."),
  answer: z.union([documentNamed("ask"), z.null()]),
});

const events = { "message-stored": messageSchema, silent: z.object({ reason: z.string() }), ...answerEvents };

/** The message and its reply, as one document. */
async function saidShape(spoken: AsyncIterable<ChatEvent>, { server, visitor }: Call) {
  using _slot = server.auth.limits.stream(visitor.principal);
  let message: unknown = null;
  let silent: string | null = null;
  let answer: unknown = null;
  for await (const event of spoken) {
    if (event.type === "message-stored") message = messageShape(event.message);
    if (event.type === "silent") silent = event.reason;
    if (event.type === "answer-end") answer = askShape(event.answer);
  }
  return { schema_version: schemaVersion, message, silent, answer };
}

/** A room as a conversation; rooms/socket.ts has it. */
export const roomSocket: Described = {
  method: "get",
  path: "/v1/chats/{chat}/socket",
  tag: "Chats",
  summary: "Chat over a WebSocket",
  answers: { 101: { description: "The WebSocket is open; messages are JSON, received ones {type, data}" } },
  messages: { sent: frame, received: { ...events, message: messageSchema, error: documentNamed("error") } },
};

/** Rooms with memory. The socket of a room is mounted separately: rooms/socket.ts. */
export const rooms: readonly Endpoint[] = withTag("Chats", [
  endpoint(
    "POST /v1/chats",
    "Create a chat; its creator administers it",
    {
      body: z.strictObject({
        name: z.string().min(1).max(200),
        visibility: z.enum(["public", "private"]).default("private"),
      }),
      answers: { 201: { description: "The chat", schema: documentNamed("chat-rooms") } },
    },
    async ({ body: { name, visibility } }, { server, run }) => {
      const chat = await server.app.chat();
      return json(chatRoomsShape([await chat.open(name, visibility, run)]), 201);
    },
  ),
  endpoint(
    "POST /v1/chats/{chat}/messages",
    "Send a message to a chat; streams the reply with Accept: text/event-stream",
    {
      body: z.strictObject({
        text: question,
        decide: z.boolean().describe("Whether the model decides if a reply is needed.").default(false),
        ...askMembers,
      }),
      answers: { 200: { description: "The message and its reply", schema: said, events } },
    },
    async ({ params, body: { text, decide, ...rest } }, call) => {
      const options = askOptions(rest, call.server.settings.retrieve.topK);
      const spoken = postMessage({ room: params["chat"] ?? "", text, decide, ...options }, call);
      return wantsEvents(call.request)
        ? streamResponse(spoken, call, chatEvent)
        : json(await saidShape(spoken, call));
    },
  ),
]);
