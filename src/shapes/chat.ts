import type { Answer } from "../core/answers/answer.ts";
import { z } from "../core/schema.ts";
import type { ChatMessage, ChatRoom } from "../registry/history/chats.ts";
import { askShape } from "./answer.ts";
import { count, instance, openObject } from "./members.ts";
import { derive, documentSchema, printer } from "./shape.ts";

const rooms = documentSchema("chat-rooms", "Output of ragctl chat list --format json", {
  rooms: z.array(
    z.object({ name: z.string(), visibility: instance, messages: count, created_at: z.string() }),
  ),
});
const printRooms = printer(rooms);
/** chat-rooms.schema.json. */
export const chatRoomsShape = (list: readonly ChatRoom[]) => printRooms({ rooms: list });

const message = derive(
  z.object({
    id: z.string(),
    author: z.string(),
    message_type: z.enum(["user", "assistant"]),
    content: z.string(),
    created_at: z.string(),
  }),
  (value: ChatMessage) => ({ ...value, messageType: value.type }),
);
const history = documentSchema("chat-history", "Output of ragctl chat history --format json", {
  room: z.string(),
  messages: z.array(message),
});
const printHistory = printer(history);

export { message as messageSchema };
/** One member of `messages` in chat-history.schema.json. */
export const messageShape = printer(message);
/** chat-history.schema.json. */
export const chatMessagesShape = (room: string, messages: readonly ChatMessage[]) =>
  printHistory({ room, messages });

const turn = documentSchema(
  "chat",
  "One line of ragctl chat --format json or jsonl: a message and its reply",
  {
    room: z.string(),
    message: message.describe("The message as stored in the chat."),
    answer: derive(openObject, (answer: Answer) => ({ ...askShape(answer) }))
      .nullable()
      .describe("As in ask.schema.json; null if there is no reply."),
    reason: z.string().describe("Why there is no reply; empty if there is one."),
  },
);
/** chat.schema.json: one message in a room, and the reply to it. */
export const chatShape = printer(turn);

const removedRoom = documentSchema("removed-room", "Output of ragctl chat remove --format json", {
  room: z.string(),
  removed: count.describe("Number of messages removed with it."),
});
/** removed-room.schema.json. */
export const removedRoomShape = printer(removedRoom);

/** The documents of this file, for config/schemas/. */
export const chatDocuments = [turn, rooms, history, removedRoom];
