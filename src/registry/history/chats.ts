import { randomUUID } from "node:crypto";
import type { Citation } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import type { Instance } from "../../core/retrieval.ts";
import { roomName } from "../company/definitions.ts";
import type { Database } from "../database.ts";
import { insertRows, parseRow } from "../rows.ts";

/** A place for conversation; a public one can be read by everyone who is not denied. */
export interface ChatRoom {
  /** UUID. */
  readonly id: string;
  readonly name: string;
  readonly visibility: Instance;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly messages: number;
}

export interface ChatMessage {
  /** UUID. */
  readonly id: string;
  /** 0-based place within the room. */
  readonly position: number;
  /** Principal, or the agent that answered. */
  readonly author: string;
  readonly type: "user" | "assistant";
  readonly content: string;
  /** Of an answer; empty for what people say. */
  readonly citations: readonly Citation[];
  /**
   * The sources of an answer, as app/answer-sources.ts writes them: only those who may read all of them may
   * read the answer.
   */
  readonly sources: readonly string[];
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface Chats {
  /** By name. */
  rooms(): Promise<readonly ChatRoom[]>;
  find(name: string): Promise<ChatRoom | undefined>;
  /** @throws USAGE_INVALID for a name that cannot be one or is taken */
  add(name: string, visibility: Instance): Promise<ChatRoom>;
  /** Removes the room, everything said in it and the rules about it; how many messages went. */
  remove(roomId: string): Promise<number>;
  /** Appends a message. @throws NOT_FOUND when the room was removed in the meantime */
  say(
    roomId: string,
    message: Pick<ChatMessage, "author" | "type" | "content"> &
      Partial<Pick<ChatMessage, "citations" | "sources">>,
  ): Promise<ChatMessage>;
  /** The newest `limit` messages, oldest first. */
  history(roomId: string, limit: number): Promise<readonly ChatMessage[]>;
  /** Those of the messages that still exist, by id. */
  standing(ids: readonly string[]): Promise<ReadonlyMap<string, ChatMessage>>;
}

type MessageRow = Omit<ChatMessage, "citations" | "sources"> & {
  readonly citations: string;
  readonly sources: string;
};

/** The columns hold what `say` wrote. */
const messageOf = (row: MessageRow): ChatMessage => ({
  ...row,
  citations: JSON.parse(row.citations) as readonly Citation[],
  sources: JSON.parse(row.sources) as readonly string[],
});

const selectMessages =
  "SELECT id, position, author, type, content, citations, sources, created_at AS createdAt FROM chat_messages";

const selectRooms = `SELECT id, name, visibility, created_at AS createdAt,
  (SELECT count(*) FROM chat_messages m WHERE m.room_id = chat_rooms.id) AS messages FROM chat_rooms`;

/** Access to the chat rooms of a registry. */
export function createChatRepository(database: Database, now: () => Date = () => new Date()): Chats {
  const find = (name: string): Promise<ChatRoom | undefined> =>
    database
      .statement<ChatRoom>(`${selectRooms} WHERE lower(name) = lower(:name) OR id = lower(:name)`)
      .get({ name });
  return {
    rooms: () => database.statement<ChatRoom>(`${selectRooms} ORDER BY lower(name)`).all(),
    find,
    async add(given, visibility) {
      const name = parseRow(roomName, given, "the name of the chat");
      const row = { id: randomUUID(), name, visibility, createdAt: now().toISOString() };
      await database.write(async () => {
        if ((await find(name)) !== undefined)
          throw new RagctlError("USAGE_INVALID", `cannot create a chat named "${name}"`, {
            hint: "choose another name",
          });
        await insertRows(database, "chat_rooms", [row]);
      });
      return { ...row, messages: 0 };
    },
    remove: (roomId) => database.write(() => removeRoom(database, roomId)),
    async say(roomId, { author, type, content, citations = [], sources = [] }) {
      const said = { author, type, content, citations, sources };
      const message = { id: randomUUID(), ...said, createdAt: now().toISOString() };
      return database.write(() => insertMessage(database, roomId, message));
    },
    async history(roomId, limit) {
      const newest = database.statement<MessageRow>(
        `${selectMessages} WHERE room_id = ? ORDER BY position DESC LIMIT ?`,
      );
      return (await newest.all(roomId, limit)).map(messageOf).toReversed();
    },
    async standing(ids) {
      const known = database.statement<MessageRow>(
        `${selectMessages} WHERE id IN (SELECT value FROM json_each(?))`,
      );
      return new Map((await known.all(JSON.stringify(ids))).map((row) => [row.id, messageOf(row)]));
    },
  };
}

async function removeRoom(database: Database, roomId: string): Promise<number> {
  const room = await database
    .statement<Pick<ChatRoom, "name" | "messages">>(`${selectRooms} WHERE id = ?`)
    .get(roomId);
  await database
    .statement("DELETE FROM permissions WHERE resource_kind = 'room' AND lower(resource) = lower(?)")
    .run(room?.name ?? "");
  await database.statement("DELETE FROM chat_rooms WHERE id = ?").run(roomId);
  return room?.messages ?? 0;
}

async function insertMessage(
  database: Database,
  roomId: string,
  message: Omit<ChatMessage, "position">,
): Promise<ChatMessage> {
  const room = await database
    .statement<{ next: number }>(
      "SELECT (SELECT coalesce(max(position) + 1, 0) FROM chat_messages WHERE room_id = chat_rooms.id) AS next FROM chat_rooms WHERE id = ?",
    )
    .get(roomId);
  if (room === undefined)
    throw new RagctlError("NOT_FOUND", "the chat was removed in the meantime", {
      hint: "to list chats: ragctl chat list",
    });
  const [citations, sources] = [JSON.stringify(message.citations), JSON.stringify(message.sources)];
  const said = { ...message, position: room.next };
  await insertRows(database, "chat_messages", [{ ...said, roomId, citations, sources }]);
  return said;
}
