import type { ChatMessage, ChatRoom } from "../../app/ask/chat.ts";
import { schemaVersion } from "./shapes.ts";

/** rooms of chat-rooms.schema.json. */
export function chatRoomsShape(rooms: readonly ChatRoom[]) {
  return {
    schema_version: schemaVersion,
    rooms: rooms.map(({ name, visibility, messages, createdAt }) => ({
      name,
      visibility,
      messages,
      created_at: createdAt,
    })),
  };
}

/** One member of `messages` in chat-history.schema.json. */
export function messageShape({ id, author, type, content, createdAt }: ChatMessage) {
  return { id, author, message_type: type, content, created_at: createdAt };
}

/** chat-history.schema.json. */
export function chatMessagesShape(room: string, messages: readonly ChatMessage[]) {
  return { schema_version: schemaVersion, room, messages: messages.map(messageShape) };
}
