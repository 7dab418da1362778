import { type Canary, inRoom, replyKinds } from "../../app/audit/attempt.ts";
import { z } from "../../core/schema.ts";
import { chatMessagesShape, chatRoomsShape, removedRoomShape } from "../../shapes/chat.ts";
import { limit } from "../fields.ts";
import { field, type Operation, operation } from "../operation.ts";
import { listed } from "../result-text.ts";
import { plural } from "../text.ts";

const tag = "Chats";
const chat = field("<chat>", z.string(), "name of the chat");

const list = operation({
  name: "chat list",
  alias: "rooms",
  summary: "list the chats you can read",
  input: {},
  document: "chat-rooms",
  examples: ["ragctl chat list"],
  http: { route: "GET /v1/chats", tag, answer: "Chats" },
  attempt: () => [{ room: true }],
  run: async (app, _, { run }) => (await app.chat()).rooms(run),
  print: chatRoomsShape,
  text: (rooms) =>
    listed(rooms, "no chats; `ragctl chat` creates one", {
      chat: ({ name }) => name,
      visibility: ({ visibility }) => visibility,
      messages: ({ messages }) => messages,
      made: ({ createdAt }) => createdAt.slice(0, 16),
    }),
});

/** What was replied in public rooms; some replies mention the canary whatever the agent and the model. */
const afterReplies = ({ replies }: Canary) =>
  replyKinds.map((kind) => ({
    input: { chat: replies[kind] },
    by: `after: ${kind}`,
    own: true,
    certain: kind === "refusal" || kind === "greeting",
  }));

const history = operation({
  name: "chat history",
  summary: "print the messages of a chat",
  input: { chat, limit: limit(1000, 50, "number of recent messages to print") },
  document: "chat-history",
  lines: "messages",
  examples: ["ragctl chat history workshop --limit 10"],
  http: {
    route: "GET /v1/chats/{chat}/messages",
    tag,
    summary: "List the newest messages of a chat, oldest first",
    answer: "Messages",
  },
  attempt: (canary) => [
    { input: { chat: canary.room }, ...inRoom },
    { input: { chat: canary.room.toUpperCase() }, by: "in capitals", ...inRoom },
    ...afterReplies(canary),
  ],
  run: async (app, { chat: room, limit }, { run }) => ({
    room,
    messages: await (await app.chat()).history(room, limit, run),
  }),
  print: ({ room, messages }) => chatMessagesShape(room, messages),
  text: ({ messages }) =>
    messages.length === 0
      ? "no messages yet"
      : messages.map(({ author, content, createdAt }) => `${createdAt.slice(0, 16)} ${author}: ${content}`),
});

const remove = operation({
  name: "chat remove",
  summary: "remove a chat and all its messages",
  input: { chat },
  document: "removed-room",
  examples: ["ragctl chat remove workshop"],
  http: { route: "DELETE /v1/chats/{chat}", tag, answer: "The number of removed messages" },
  attempt: ({ room }) => [{ input: { chat: room }, ...inRoom, onlyDenied: true, needs: "admin" }],
  run: async (app, { chat: room }, { run }) => ({
    room,
    removed: await (await app.chat()).remove(room, run),
  }),
  print: removedRoomShape,
  text: ({ room, removed }) => `removed chat ${room} (${plural(removed, "message")})`,
});

/** Chats with memory, apart from the conversation itself. */
export const rooms: readonly Operation[] = [list, history, remove];
